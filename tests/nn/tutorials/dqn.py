"""Q-learning with a replay memory and a target network, REINFORCE and an actor-critic, on a walk along a line."""

import random
from collections import deque, namedtuple
from itertools import count

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.distributions import Categorical

from tests.nn.tutorials.drawn import draws

numbers, _, settle = draws(torch)


Transition = namedtuple("Transition", ("state", "action", "next_state", "reward"))
random.seed(0)


class ReplayMemory:
    def __init__(self, capacity):
        self.memory = deque([], maxlen=capacity)

    def push(self, *args):
        self.memory.append(Transition(*args))

    def sample(self, batch_size):
        return random.sample(self.memory, batch_size)

    def __len__(self):
        return len(self.memory)


class DQN(nn.Module):
    def __init__(self, n_observations, n_actions):
        super().__init__()
        self.layer1 = nn.Linear(n_observations, 24)
        self.layer2 = nn.Linear(24, 24)
        self.layer3 = nn.Linear(24, n_actions)

    def forward(self, x):
        x = F.relu(self.layer1(x))
        x = F.relu(self.layer2(x))
        return self.layer3(x)


BATCH_SIZE, GAMMA, TAU = 8, 0.9, 0.05
policy_net, target_net = settle(DQN(2, 2)), DQN(2, 2)
target_net.load_state_dict(policy_net.state_dict())
optimizer = optim.AdamW(policy_net.parameters(), lr=1e-2, amsgrad=True)
memory = ReplayMemory(100)


def select_action(state, eps):
    if random.random() > eps:
        with torch.no_grad():
            return policy_net(state).max(1).indices.view(1, 1)
    return torch.tensor([[random.randrange(2)]], dtype=torch.long)


def optimize_model():
    if len(memory) < BATCH_SIZE:
        return None
    batch = Transition(*zip(*memory.sample(BATCH_SIZE)))
    non_final_mask = torch.tensor(tuple(map(lambda s: s is not None, batch.next_state)), dtype=torch.bool)
    non_final_next_states = torch.cat([s for s in batch.next_state if s is not None])
    state_batch, action_batch, reward_batch = map(torch.cat, (batch.state, batch.action, batch.reward))
    state_action_values = policy_net(state_batch).gather(1, action_batch)
    next_state_values = torch.zeros(BATCH_SIZE)
    with torch.no_grad():
        next_state_values[non_final_mask] = target_net(non_final_next_states).max(1).values
    expected = (next_state_values * GAMMA) + reward_batch
    loss = nn.SmoothL1Loss()(state_action_values, expected.unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_value_(policy_net.parameters(), 100)
    optimizer.step()
    return loss.item()


for episode in range(5):
    place, losses = 0, []
    state = torch.tensor([[place / 3, 1.0]])
    for t in count():
        action = select_action(state, 0.5 / (1 + episode))
        place += 1 if action.item() else -1
        done = abs(place) == 3 or t == 11
        next_state = None if done else torch.tensor([place / 3, 1.0], dtype=torch.get_default_dtype()).unsqueeze(0)
        memory.push(state, action, next_state, torch.tensor([1.0 if place == 3 else -0.1]))
        state = next_state
        losses.append(optimize_model())
        target, policy = target_net.state_dict(), policy_net.state_dict()
        for key in policy:
            target[key] = policy[key] * TAU + target[key] * (1 - TAU)
        target_net.load_state_dict(target)
        if done:
            break
    print(episode, place, t, [loss for loss in losses if loss is not None][-2:])
print(policy_net(torch.tensor([[-0.5, 1.0], [0.5, 1.0]])))

# an actor and a critic, with the actions that a list of numbers decides
actor, critic = settle(nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 2))), settle(nn.Linear(2, 1))
optimizer = optim.RMSprop([*actor.parameters(), *critic.parameters()], lr=0.01)
eps = np.finfo(np.float32).eps.item()
for episode in range(4):
    log_probs, values, rewards, entropy, place = [], [], [], 0, 0
    for t in range(6):
        state = torch.tensor([place / 3, 1.0])
        m = Categorical(logits=actor(state))
        action = (m.probs[1] > numbers.rand()).long()
        log_probs.append(m.log_prob(action))
        entropy = entropy + m.entropy()
        values.append(critic(state))
        place += 1 if action.item() else -1
        rewards.append(place / 3)
    returns, R = deque(), 0
    for r in rewards[::-1]:
        R = r + GAMMA * R
        returns.appendleft(R)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + eps)
    values, log_probs = torch.cat(values), torch.stack(log_probs)
    advantage = returns - values
    loss = -(log_probs * advantage.detach()).sum() + F.mse_loss(values, returns) - 0.01 * entropy
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item(), advantage.abs().max().item(), place)
