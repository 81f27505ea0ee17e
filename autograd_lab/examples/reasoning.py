"""A search that branches where it is in doubt, and goes on with the best branch only. How easy it is is an argument."""

import sys

import autograd_lab as torch

start = torch.tensor(float(sys.argv[1]) if sys.argv[1:] else 0.2)
judge = torch.tensor(1.0, requires_grad=True)
bold = torch.tensor(0.5, requires_grad=True)
careful = torch.tensor(0.1, requires_grad=True)
looked_at = []


def think(thought, depth=3):
    looked_at.append(thought)
    score = torch.tanh(judge * thought)
    if score > 0.6 or depth == 0:
        return score
    return max(think(thought + bold, depth - 1), think(torch.sin(thought + careful), depth - 1))


best = think(start)
best.backward()
print(len(looked_at), "thoughts", best, bold.grad, careful.grad)
