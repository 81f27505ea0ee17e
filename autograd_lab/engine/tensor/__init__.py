"""The `Tensor` that a program sees: its methods and properties, how it is made, and what it is made of."""
