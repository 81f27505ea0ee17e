"""What PyTorch promises beyond the chain rule: hooks, modes, saved tensors, anomalies, and the texts of its errors."""
