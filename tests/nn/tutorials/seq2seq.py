"""Translation of reversed numbers: an encoder, Bahdanau's attention, a decoder with LSTM cells, teacher forcing."""

import random

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import optim
from torch.utils.data import DataLoader, RandomSampler, SequentialSampler, TensorDataset

from tests.nn.tutorials.drawn import draws

numbers, _, settle = draws(torch)


SOS_token, EOS_token, MAX_LENGTH = 0, 1, 6
device = torch.device("cpu")
random.seed(1)


class EncoderRNN(nn.Module):
    def __init__(self, input_size, hidden_size, dropout_p=0.0):
        super(EncoderRNN, self).__init__()
        self.embedding = nn.Embedding(input_size, hidden_size, padding_idx=2)
        self.gru = nn.GRU(hidden_size, hidden_size, batch_first=True, bidirectional=True)
        self.join = nn.Linear(2 * hidden_size, hidden_size)
        self.dropout = nn.Dropout(dropout_p)

    def forward(self, input):
        output, hidden = self.gru(self.dropout(self.embedding(input)))
        return self.join(output), torch.tanh(hidden[0] + hidden[1])


class BahdanauAttention(nn.Module):
    def __init__(self, hidden_size):
        super().__init__()
        self.Wa = nn.Linear(hidden_size, hidden_size)
        self.Ua = nn.Linear(hidden_size, hidden_size)
        self.Va = nn.Linear(hidden_size, 1)

    def forward(self, query, keys):
        scores = self.Va(torch.tanh(self.Wa(query) + self.Ua(keys)))
        weights = F.softmax(scores.squeeze(2).unsqueeze(1), dim=-1)
        return torch.bmm(weights, keys), weights


class AttnDecoderRNN(nn.Module):
    def __init__(self, hidden_size, output_size):
        super().__init__()
        self.embedding = nn.Embedding(output_size, hidden_size)
        self.attention = BahdanauAttention(hidden_size)
        self.cell = nn.LSTMCell(2 * hidden_size, hidden_size)
        self.out = nn.Linear(hidden_size, output_size)

    def forward(self, encoder_outputs, encoder_hidden, target_tensor=None):
        batch_size = encoder_outputs.size(0)
        decoder_input = torch.empty(batch_size, dtype=torch.long, device=device).fill_(SOS_token)
        state = encoder_hidden, torch.zeros_like(encoder_hidden)
        outputs, attentions = [], []
        for i in range(MAX_LENGTH):
            context, weights = self.attention(state[0].unsqueeze(1), encoder_outputs)
            state = self.cell(torch.cat((self.embedding(decoder_input), context.squeeze(1)), dim=1), state)
            output = self.out(state[0])
            outputs.append(output)
            attentions.append(weights)
            if target_tensor is not None and random.random() < 0.7:
                decoder_input = target_tensor[:, i]
            else:
                _, topi = output.topk(1)
                decoder_input = topi.squeeze(-1).detach()
        return F.log_softmax(torch.stack(outputs, 1), dim=-1), torch.cat(attentions, dim=1)


source = torch.tensor(numbers.randint(3, 9, (12, MAX_LENGTH)))
source[::3, 4:] = 2
target = source.flip(1).where(source.flip(1) != 2, torch.tensor(EOS_token))
data = TensorDataset(source, target)
loader = DataLoader(data, sampler=SequentialSampler(data), batch_size=4)
encoder, decoder = settle(EncoderRNN(9, 10)), settle(AttnDecoderRNN(10, 9))
encoder_optimizer = optim.Adam(encoder.parameters(), lr=1e-2)
decoder_optimizer = optim.Adam(decoder.parameters(), lr=1e-2)
criterion = nn.NLLLoss(ignore_index=2)
for epoch in range(3):
    total_loss = 0
    for input_tensor, target_tensor in loader:
        encoder_optimizer.zero_grad()
        decoder_optimizer.zero_grad()
        encoder_outputs, encoder_hidden = encoder(input_tensor)
        decoder_outputs, _ = decoder(encoder_outputs, encoder_hidden, target_tensor)
        loss = criterion(decoder_outputs.view(-1, decoder_outputs.size(-1)), target_tensor.reshape(-1))
        loss.backward()
        encoder_optimizer.step()
        decoder_optimizer.step()
        total_loss += loss.item()
    print(epoch, total_loss / len(loader))
with torch.no_grad():
    decoder_outputs, attention = decoder(*encoder(source[:1]))
    print(decoder_outputs.topk(1)[1].squeeze().tolist(), attention[0].max(-1))
print(encoder.embedding.weight.grad[2], len(RandomSampler(data)))
