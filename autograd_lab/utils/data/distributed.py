"""`DistributedSampler`: the share of a data set that one of several processes goes through."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sized

import numpy as np

from autograd_lab.utils.data.sampler import Sampler


class DistributedSampler(Sampler):
    """Every `num_replicas`-th example from number `rank` on, in an order that `set_epoch` changes."""

    def __init__(
        self, dataset: Sized, num_replicas: int | None = None, rank: int | None = None, shuffle: bool = True,
        seed: int = 0, drop_last: bool = False,
    ) -> None:  # fmt: skip
        if num_replicas is None or rank is None:
            raise RuntimeError("Requires distributed package to be available: give num_replicas and rank")
        if not 0 <= rank < num_replicas:
            raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset, self.num_replicas, self.rank = dataset, num_replicas, rank
        self.shuffle, self.seed, self.drop_last, self.epoch = shuffle, seed, drop_last, 0
        share = len(dataset) / num_replicas
        self.num_samples = math.floor(share) if drop_last and len(dataset) % num_replicas else math.ceil(share)
        self.total_size = self.num_samples * num_replicas

    def __iter__(self) -> Iterator[int]:
        count = len(self.dataset)
        order = np.random.default_rng(self.seed + self.epoch).permutation(count) if self.shuffle else np.arange(count)
        whole = np.resize(order, self.total_size)  # too few are filled up from the beginning
        return iter(whole[self.rank :: self.num_replicas].tolist())

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Have the next epoch come in another order."""
        self.epoch = epoch
