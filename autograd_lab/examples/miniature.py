"""The whole idea of an autograd engine, for a first hour: this package's engine, and PyTorch's, without the comforts.

Forward, each op computes its result and leaves a `Node` behind: the op's derivative, what that has to remember, where
gradients go from here. So a result holds the graph of all that it came from. Backward goes through it to the leaves,
and multiplies derivatives along each way, and adds where ways meet. That is the chain rule, and all there is.

`autograd-lab play miniature` plays it, though the player has never heard of it: a recorder hears what `tell` says, and
looks at the few attributes that `recording/reader.py` names.
"""

from collections import Counter
from heapq import heappop, heappush
from itertools import count

import numpy as np

from autograd_lab import listening
from autograd_lab.whose import program_begins_here

next_number = count().__next__  # 0, then 1, then 2, …
FIRST, SECOND, RESULT = 0, 1, -1


def tell(what, *facts):
    """Say what has just happened to whoever listens, if anybody does. Nothing else depends on it."""
    if listening.active is not None:
        getattr(listening.active, what)(*facts)


def product(x, y):
    """The product of two matrices; of vectors and batches the derivative is another."""
    assert x.ndim == y.ndim == 2, "@ is for two matrices here"
    return x @ y


def op(name, forward, saves, backward):
    """A method of tensors that computes `forward` and, if a gradient is wanted, leaves a node with the derivative.

    `backward` is given g, how much the end result changes with the op's result, and what the op `saves`. It gives how
    much the end result changes with each operand: g times the op's own derivative.
    """

    def apply(*operands):
        numbers = forward(*[operand._array for operand in operands])
        wanted = any(operand.requires_grad for operand in operands)
        node = Node(name, saves, backward, operands, numbers) if wanted else None
        result = Tensor(numbers, wanted, node)
        tell("op_applied", node, node.name() if node else name, operands, (result,))
        return result

    return apply


class Tensor:
    """Numbers that know where they came from: `grad_fn` is the node of the op that made them, and None for a leaf.

    `tensor` makes leaves. If one `requires_grad`, backward adds to its `grad` how the end result changes with it.
    """

    def __init__(self, numbers, requires_grad=False, grad_fn=None):
        self._array = np.asarray(numbers, np.float32)
        self._grad, self._cell = None, [0]  # how often it was written to, which nobody counts here
        self.requires_grad, self.grad_fn, self.output_nr = requires_grad, grad_fn, 0
        self.gradient_goes_to = grad_fn or (AccumulateGrad(self) if requires_grad else None)

    grad = property(lambda self: self._grad)
    is_leaf = property(lambda self: self.grad_fn is None)

    # z = x + y, so dz/dx = 1 and dz/dy = 1.
    __add__ = op("add", np.add, {}, lambda g: (g, g))
    # z = x - y, so dz/dx = 1 and dz/dy = -1.
    __sub__ = op("sub", np.subtract, {}, lambda g: (g, -g))
    # z = x y, so dz/dx = y and dz/dy = x. Slots stand in PyTorch's order: `other`, then `self`.
    __mul__ = op("mul", np.multiply, {"other": SECOND, "self": FIRST}, lambda g, y, x: (g * y, g * x))
    # Z = X Y, of matrices: x_ik comes into each z_ij, times y_kj. So its gradient is the sum over j of g_ij y_kj: G Yᵀ.
    __matmul__ = op("mm", product, {"mat2": SECOND, "self": FIRST}, lambda g, y, x: (g @ y.T, x.T @ g))
    # z = tanh x, so dz/dx = 1 - z²: the result is all that it has to remember.
    tanh = op("tanh", np.tanh, {"result": RESULT}, lambda g, z: (g * (1 - z * z),))
    # z = x_1 + x_2 + …, so dz/dx_i = 1: each element is given all of g; `fitted` sees to it.
    sum = op("sum", np.sum, {}, lambda g: (g,))

    def backward(self):
        """Send gradients to the leaves, beginning with 1: by so much this number changes with itself.

        A node is ready once a gradient has come along every edge that leads to it: only then is their sum complete. Of
        the nodes that are ready, the newest runs first. They wait in a heap, without recursion: no graph is too deep.
        """
        if not self.requires_grad or self._array.size != 1:
            raise RuntimeError("backward begins at a single number that was computed from what requires grad")
        root, one = self.gradient_goes_to, np.ones_like(self._array)
        expected, arrived, total, ready = edges_to_each(root), Counter(), {root: one}, [root]
        tell("backward_started", [self], [(root, 0)], [one], False, False)  # no retain_graph, no create_graph
        while ready:
            node = heappop(ready)
            sent = node.run(total.pop(node))
            for position, ((target, _), g) in enumerate(zip(node.next_functions, sent, strict=True)):
                if target is None:
                    continue
                total[target] = total[target] + g if target in total else g
                arrived[target] += 1
                tell("gradient_sent", node, position, g, arrived[target], expected[target])
                if arrived[target] > 1:
                    tell("gradients_added", target, 0, total[target])
                if arrived[target] == expected[target]:
                    heappush(ready, target)
        tell("backward_finished")


def tensor(numbers, requires_grad=False):
    """A new leaf."""
    leaf = Tensor(np.array(numbers), requires_grad)
    tell("tensor_created", leaf, "tensor")
    return leaf


class Node:
    """An op that was applied: where gradients go from here, and what they will be computed from."""

    def __init__(self, op, saves, backward, operands, numbers):
        self.op, self.backward, self.shape, self.number = op, backward, numbers.shape, next_number()
        self.next_functions = [(operand.gradient_goes_to, 0) for operand in operands]  # 0: an op has one output
        # Saved are name, tensor, array, version; of a result not the tensor, which holds this node, but its number: 0.
        known = [*((operand, operand._array) for operand in operands), (0, numbers)]
        self._saved = tuple([(slot, *known[at], 0) for slot, at in saves.items()])

    def run(self, g):
        """The gradients to send along `next_functions`. What was saved for them has done its work, and is freed."""
        if self._saved is None:
            raise RuntimeError("what this node saved was freed when backward went through it the first time")
        found = self.backward(g, *[array for _, _, array, _ in self._saved])
        sent = [to and fitted(one, to.shape) for one, (to, _) in zip(found, self.next_functions, strict=True)]
        tell("node_visited", self, [g])
        tell("node_evaluated", self, sent)
        if self._saved:
            self._saved = None
            tell("saved_freed", self)
        return sent

    def __lt__(self, other):
        return self.number > other.number  # so that the newest leaves the heap first

    attributes = dict  # none; this and the rest is for listeners
    name = lambda self: f"{self.op.capitalize()}Backward0"  # noqa: E731
    saved_slots = lambda self: self._saved or ()  # noqa: E731
    _sequence_nr = lambda self: self.number  # noqa: E731


class AccumulateGrad(Node):
    """Where a way ends: adds what has come to the `grad` of a leaf. Of all that are ready it goes first."""

    op, number, next_functions, _saved = "accumulate", float("inf"), (), ()
    name = lambda self: "AccumulateGrad"  # noqa: E731

    def __init__(self, leaf):
        self.variable, self.shape = leaf, leaf._array.shape

    def run(self, g):
        leaf, is_first = self.variable, self.variable._grad is None
        if is_first:
            leaf._grad = Tensor(np.zeros(self.shape))
        leaf._grad._array += g
        tell("node_visited", self, [g])
        tell("grad_accumulated", leaf, g, is_first)
        return ()


def edges_to_each(root):
    """How many edges of the graph lead to each node, which is how many gradients will come to it."""
    edges, found = Counter(), [root]
    while found:
        for target, _ in found.pop().next_functions:
            edges[target] += 1
            if target is not None and edges[target] == 1:
                found.append(target)
    return edges


def fitted(g, shape):
    """A gradient in the shape of what it is for. What forward stretched was used many times, which is added up."""
    g = np.broadcast_to(g, np.broadcast_shapes(g.shape, shape))  # what forward summed gets g at each place
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    return g.sum(axis=tuple([axis for axis, size in enumerate(shape) if size == 1]), keepdims=True)


# What is below is shown as the program of a user.
program_begins_here()

if __name__ == "__main__":  # a network of two layers, on XOR
    x = tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    target = tensor([[0.0], [1.0], [1.0], [0.0]])
    w1 = tensor([[0.5, -0.5], [1.0, 0.25]], requires_grad=True)
    b1 = tensor([0.0, 0.5], requires_grad=True)
    w2 = tensor([[1.0], [-1.0]], requires_grad=True)

    hidden = (x @ w1 + b1).tanh()
    error = hidden @ w2 - target
    loss = (error * error).sum()
    loss.backward()
    print(loss._array, w1.grad._array)
