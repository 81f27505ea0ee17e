"""Language: a recurrent cell takes a turn for each word, and leaves its nodes each time. Words are arguments."""

import sys

import autograd_lab as torch

words = sys.argv[1:] or ["the", "cat", "sat"]
w_word = torch.tensor([[0.5, -0.3], [0.2, 0.4]], requires_grad=True)
w_before = torch.tensor([[0.1, 0.6], [-0.5, 0.3]], requires_grad=True)

state = torch.zeros(2)
for word in words:
    vowels = sum(word.count(letter) for letter in "aeiou")
    state = torch.tanh(torch.tensor([float(len(word)), float(vowels)]) @ w_word + state @ w_before)
loss = (state**2).sum()
loss.backward()
print(len(words), "words", loss, w_before.grad)
