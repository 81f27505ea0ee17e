"""What programs ask of hardware, or set on it, that this engine does not have."""

from autograd_lab.backends import cudnn, mps

__all__ = ["cudnn", "mps"]
