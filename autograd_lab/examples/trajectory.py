"""Reinforcement learning: a walker in a corridor, who is through after few moves or many. The start is an argument."""

import sys

import autograd_lab as torch

position, goal = int(sys.argv[1]) if sys.argv[1:] else 6, 8
slope = torch.tensor(0.5, requires_grad=True)
offset = torch.tensor(-1.75, requires_grad=True)

surprise = torch.tensor(0.0)
moves = 0
while 0 < position < goal:
    to_the_right = torch.sigmoid(slope * position + offset)
    is_right = bool(to_the_right > 0.5)  # the likelier move, so that a run can be repeated
    surprise = surprise - torch.log(to_the_right if is_right else 1 - to_the_right)
    position += 1 if is_right else -1  # the corridor answers; no gradient goes through it
    moves += 1
reward = 1.0 if position == goal else -1.0
loss = reward * surprise
if moves:
    loss.backward()
print(moves, "moves", loss, slope.grad)
