"""What programs ask about, and set on, hardware that this engine does not use."""

from autograd_lab.backends import cudnn, mps

__all__ = ["cudnn", "mps"]
