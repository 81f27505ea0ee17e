"""For tests of models: `assert_gradients_flow(model, loss)` and `no_graph_leak()`, of PyTorch or of this engine.

pytest has them without an import from `pytest_autograd_lab`, its plugin: as fixtures of these names.
"""

from autograd_lab.testing.gradient_flows import assert_gradients_flow as assert_gradients_flow
from autograd_lab.testing.leak import no_graph_leak as no_graph_leak

__all__ = ["assert_gradients_flow", "no_graph_leak"]
