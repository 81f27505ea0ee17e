"""What ops compute with, to the last digit as PyTorch has it: orders of addition, fused products, half precision."""
