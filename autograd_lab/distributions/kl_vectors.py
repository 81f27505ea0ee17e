"""How far normal distributions of vectors are from each other."""

from __future__ import annotations

from typing import Any

from autograd_lab.distributions.kl import register_kl
from autograd_lab.distributions.lowrank_multivariate_normal import LowRankMultivariateNormal
from autograd_lab.distributions.multivariate_normal import MultivariateNormal, squared_distance
from autograd_lab.linalg import solve_triangular


def _squares(matrix: Any) -> Any:
    """The trace of X Xᵀ."""
    return matrix.pow(2).sum((-2, -1))


def _check(p: Any, q: Any, kind: str = "(Low Rank) Multivariate Normals") -> None:
    if p.event_shape != q.event_shape:
        raise ValueError(
            f"KL-divergence between two {kind} with\
                          different event shapes cannot be computed"
        )


@register_kl(MultivariateNormal, MultivariateNormal)
def _full(p: MultivariateNormal, q: MultivariateNormal) -> Any:
    _check(p, q, "Multivariate Normals")
    lower = q._unbroadcasted_scale_tril
    spread = _squares(solve_triangular(lower, p._unbroadcasted_scale_tril, upper=False))
    away = squared_distance(lower, q.loc - p.loc)
    return q._half_log_det() - p._half_log_det() + 0.5 * (spread + away - p.event_shape[0])


@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
def _low(p: LowRankMultivariateNormal, q: LowRankMultivariateNormal) -> Any:
    _check(p, q, "Low Rank Multivariate Normals")
    reduced, factor, roots = q._reduced(), p._unbroadcasted_cov_factor, p._unbroadcasted_cov_diag.sqrt()
    spread = (p._unbroadcasted_cov_diag / q._unbroadcasted_cov_diag).sum(-1)
    spread = spread + _squares(factor * q._unbroadcasted_cov_diag.rsqrt().unsqueeze(-1))
    spread = spread - _squares(reduced * roots.unsqueeze(-2)) - _squares(reduced @ factor)
    away = q._squared_distance(q.loc - p.loc)
    return 0.5 * (q._log_det() - p._log_det() + spread + away - p.event_shape[0])


@register_kl(MultivariateNormal, LowRankMultivariateNormal)
def _full_from_low(p: MultivariateNormal, q: LowRankMultivariateNormal) -> Any:
    _check(p, q)
    lower = p._unbroadcasted_scale_tril
    spread = _squares(lower * q._unbroadcasted_cov_diag.rsqrt().unsqueeze(-1)) - _squares(q._reduced() @ lower)
    away = q._squared_distance(q.loc - p.loc)
    return 0.5 * (q._log_det() - 2 * p._half_log_det() + spread + away - p.event_shape[0])


@register_kl(LowRankMultivariateNormal, MultivariateNormal)
def _low_from_full(p: LowRankMultivariateNormal, q: MultivariateNormal) -> Any:
    _check(p, q)
    lower = q._unbroadcasted_scale_tril
    roots = p._unbroadcasted_cov_diag.sqrt().diag_embed()
    parts = (p._unbroadcasted_cov_factor, roots)
    first, second = (_squares(solve_triangular(lower, part, upper=False)) for part in parts)
    away = squared_distance(lower, q.loc - p.loc)
    return 0.5 * (2 * q._half_log_det() - p._log_det() + first + second + away - p.event_shape[0])
