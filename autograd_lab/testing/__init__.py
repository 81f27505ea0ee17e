"""For tests: `assert_close`, as `torch.testing` has it, and of models `assert_gradients_flow` and `no_graph_leak`.

The last two are for PyTorch and for this engine; pytest has them without an import from `pytest_autograd_lab`, its
plugin: as fixtures of these names.
"""

from autograd_lab.testing.closeness import assert_close as assert_close
from autograd_lab.testing.creation import assert_allclose as assert_allclose
from autograd_lab.testing.creation import make_tensor as make_tensor
from autograd_lab.testing.gradient_flows import assert_gradients_flow as assert_gradients_flow
from autograd_lab.testing.leak import no_graph_leak as no_graph_leak

__all__ = ["assert_allclose", "assert_close", "assert_gradients_flow", "make_tensor", "no_graph_leak"]
