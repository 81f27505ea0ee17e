"""What torch's tensors and nodes are and hold, and who is who among them."""
