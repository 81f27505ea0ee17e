"""Every kind of finding and its title, under what one sees of it.

A kind is an address, which stays: the page of the guide about it is `mistakes/KIND.html`.
"""

from __future__ import annotations

SEEN: dict[str, dict[str, str]] = {
    "The program stops with an error": {
        "second-backward": "Trying to backward through the graph a second time",
        "saved-value-overwritten": "A variable needed for gradient computation was modified by an inplace operation",
        "nothing-to-differentiate": "Element 0 of tensors does not require grad and does not have a grad_fn",
        "backward-of-many-numbers": "grad can be implicitly created only for scalar outputs",
        "seed-of-another-shape": "Mismatch in shape: grad_output[0] and output[0]",
        "leaf-written": "A leaf Variable that requires grad is being used in an in-place operation",
        "not-a-leaf": "You can only change requires_grad flags of leaf variables",
        "copy-of-a-computed-tensor": "Only Tensors created explicitly by the user support the deepcopy protocol",
        "numpy-of-a-recorded-tensor": "Can't call numpy() on Tensor that requires grad",
        "inference-tensor-in-a-graph": "Inference tensors cannot be saved for backward",
        "input-not-in-graph": "One of the differentiated Tensors appears to not have been used in the graph",
        "input-does-not-ask": "One of the differentiated Tensors does not require grad",
        "batch-of-one": "Expected more than 1 value per channel when training",
        "program-raised": "Errors that have nothing to do with autograd",
    },
    "Numbers are NaN or inf, or grow beyond all bounds": {
        "not-finite": "The loss or a gradient is NaN or inf",
        "loss-diverges": "The loss grows by orders of magnitude",
        "exploding-gradients": "Gradients explode",
        "updates-larger-than-weights": "The updates are larger than the weights",
    },
    "A gradient is None, zero or wrong": {
        "grad-of-a-result": "The .grad of a computed tensor is None",
        "grad-of-data": "The .grad of an input is None",
        "no-gradient-detached": "A parameter gets no gradient because of detach()",
        "no-gradient-no-grad": "A parameter gets no gradient because of torch.no_grad()",
        "no-gradient-whole-numbers": "A parameter gets no gradient because of argmax or a comparison",
        "no-gradient-unrecorded": "A parameter gets no gradient because a result has no history",
        "no-gradient-none-sent": "A parameter gets no gradient because a backward() returns None",
        "no-gradient-other-way": "A parameter gets no gradient because its output is not in the loss",
        "no-gradient-unused": "A parameter gets no gradient because it is never used",
        "gradient-in-some-turns": "A parameter gets a gradient in some iterations only",
        "no-gradient-frozen": "A parameter gets no gradient because it is frozen",
        "gradient-of-steps": "A gradient is 0 because of round(), floor() or sign()",
        "gradient-not-recorded": "A term of the loss is a gradient that was not recorded",
        "tensor-of-tensors": "torch.tensor() of tensors loses their gradients",
        "vanishing-gradients": "Gradients vanish",
        "dead-relu": "A ReLU is dead",
        "written-behind-autograd": "A gradient is wrong, without an error",
    },
    "Training runs, and the model does not learn": {
        "gradients-add-up": "Gradients add up from iteration to iteration",
        "gradients-cleared-before-step": "Gradients are cleared before the step",
        "step-before-backward": "The step comes before backward()",
        "step-without-backward": "The step comes without backward()",
        "step-never-called": "The optimizer never steps",
        "step-changes-nothing": "The step changes nothing",
        "training-in-eval-mode": "Training goes on in eval mode",
        "clipping-before-backward": "Gradients are clipped before backward()",
        "gradients-scaled": "Gradients are clipped or used while they are scaled",
        "clipping-after-step": "Gradients are clipped after the step",
        "layer-not-registered": "Layers are missing from model.parameters()",
        "parameter-not-optimized": "A parameter was not given to the optimizer",
        "parameter-replaced": "A layer was replaced after the optimizer was made",
        "weights-shared": "Layers share their weights where copies were meant",
        "leaf-replaced": "A weight is replaced instead of updated",
        "softmax-before-loss": "Softmax or sigmoid before a loss that applies it itself",
        "nll-of-logits": "nll_loss is given logits instead of logarithms",
        "loss-broadcasts": "The loss compares each output with each target: (N, 1) against (N,)",
        "loss-of-itself": "The loss compares something with itself",
        "loss-is-a-leaf": "backward() begins at a new tensor instead of the loss",
    },
    "Memory grows, or iterations become slower": {
        "graph-kept-alive": "Graphs of earlier iterations stay in memory",
        "graph-grows": "Each backward() goes through all iterations before",
        "graph-never-used": "A graph is recorded and never used",
        "one-backward-would-do": "Two backward passes where one of the sum would do",
    },
}  # fmt: skip
KINDS = {kind: title for kinds in SEEN.values() for kind, title in kinds.items()}
