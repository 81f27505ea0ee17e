"""An agent that calls a tool only if it is not sure; no gradient goes through the tool. The question is an argument."""

import sys

import autograd_lab as torch

question = torch.tensor(float(sys.argv[1]) if sys.argv[1:] else 1.0)
w_sure = torch.tensor(-1.0, requires_grad=True)
w_answer = torch.tensor(1.2, requires_grad=True)
w_trust = torch.tensor(0.8, requires_grad=True)


def tool(number):
    return torch.tensor(number * number)  # any program at all


sure = torch.sigmoid(w_sure * question + 2)
answer = w_answer * question
if sure < 0.5:
    answer = (1 - sure) * w_trust * tool(question.item()) + sure * answer
loss = (answer - question * question) ** 2
loss.backward()
print("sure:", round(sure.item(), 3), loss, w_trust.grad)
