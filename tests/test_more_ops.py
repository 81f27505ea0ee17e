"""The ops beyond arithmetic, one line each: as in real PyTorch, with their second gradients; and ops without gradients.

`OPS` are differentiated twice: nodes, edges, saved values, strides, numbers. `ANSWERS` are compared as they print, or
by the error that they raise.
"""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import numpy as np
import pytest

import autograd_lab
from tests.programs import graph, saved

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

X = [[0.5, 1.0, 2.0], [3.0, 4.0, 0.25]]
Y = [[1.5, 0.1, 2.2], [3.0, 0.7, 5.0]]

OPS = """
(x/5).asin(); (x/5).acos(); x.asinh(); (x+1).acosh(); (x/5).atanh(); m.atan2(x,y); m.hypot(x, y); x.erf(); x.erfc()
(x/5).erfinv(); x.lgamma(); x.digamma(); m.polygamma(2, x); x.trunc(); x.frac(); x.fix(); m.fmod(x,1.5); m.fmod(x,y)
m.div(x,y,rounding_mode='floor'); m.div(x,2.5,rounding_mode='trunc'); m.lerp(x,y,0.3); m.lerp(x,y,0.7)
m.lerp(x,y,k/10); m.lerp(x,y,w); m.addcmul(x,y,k,value=2); m.addcmul(x,y,w); m.addcdiv(x,y,k,value=2)
m.addcdiv(x,y,y); m.xlogy(x,y); m.xlogy(x,2.0); m.xlogy(2.0,x); x.exp2(); m.logaddexp(x,y); m.logaddexp2(x,y)
m.nan_to_num(x); m.copysign(x,y); m.copysign(x,-1.0); m.sinc(x); m.logit(x/5); m.logit(x/5, eps=0.1); m.rsub(x,y)
m.rsub(x,2); m.rsub(x, y, alpha=2); m.float_power(x,2); x.deg2rad(); x.rad2deg(); m.round(x, decimals=1)
m.clamp(x,k,None); m.clamp(x,None,k); m.clamp(x,k,k+1); m.clamp(x,y,k+1); m.clamp_min(x,y); m.clamp_max(x,y)
m.fmax(x,y); m.fmin(x,y); x.masked_fill(k > 2, u[0]); x.cumprod(0); x.cumprod(-1); (x * (k > 1)).cumprod(1)
x.cumsum(0, dtype=m.float64); x.cummax(1)[0]; x.cummin(0).values; x.median(); x.median(1).values
x.median(0,keepdim=True)[0]; x.nanmedian(); x.nanmedian(1)[0]; x.mode(1)[0]; x.kthvalue(2,1)[0]; x.sort(1)[0]
x.sort()[0]; x.sort(1,descending=True)[0]; x.sort(stable=True)[0]; x.msort(); x.topk(2)[0]; x.topk(2,0)[0]
x.topk(2,largest=False)[0]; x.nansum(); x.nansum(1); x.nanmean(); x.nanmean(1); m.var_mean(x)[0]; m.var_mean(x,1)[1]
m.var_mean(x,1)[0] + m.var_mean(x, 1)[1]; m.std_mean(x,0,keepdim=True)[0]; x.aminmax()[0]; x.aminmax(dim=1)[1]
x.aminmax(dim=0)[0] * x.aminmax(dim=0)[1]; x.logcumsumexp(1); m.diff(x); m.diff(x,dim=0); x.sum(0,dtype=m.float64)
x.mean(dtype=m.float64); x.prod(0,dtype=m.float64); x.sum(axis=0); x.mean(axis=1, keepdims=True); x.sum(dim=[])
x.mean(dim=[]); m.linalg.norm(x); m.linalg.norm(x,dim=1); m.linalg.norm(x,1,1); m.linalg.vector_norm(x,3)
m.linalg.norm(sq,'fro'); m.linalg.matrix_norm(sq); m.linalg.norm(sq, 1); m.linalg.norm(sq, float('inf'))
m.norm(x,p='fro',dim=(0,1)); x.norm(2); x.norm(dtype=m.float64); x.norm(float('inf')); m.dist(x,y); m.dist(x,y,1)
sq.det(); sq.inverse(); m.linalg.inv(sq); m.linalg.solve(sq,w[:2]); m.linalg.solve(sq,x); sq.slogdet()[1]
m.linalg.slogdet(sq)[1]; sq.logdet(); m.linalg.cholesky(sq@sq.t()); sq.matrix_power(2); sq.matrix_power(3)
sq.matrix_power(-1); m.linalg.multi_dot([sq,sq,x]); m.linalg.vecdot(x,y); m.linalg.cross(u,w); m.cross(u,w,dim=0)
m.linalg.diagonal(x); m.linalg.matmul(x,y.t()); x.diagonal(); x.diagonal(1); sq.diag(); sq.diag(1); u.diag()
m.diag_embed(x); m.diag_embed(u, 1); x.roll(1); x.roll((1,1),(0,1)); x.rot90(); x.rot90(2); x.index_select(0,i)
x.index_select(1, m.tensor([2, 2])); x.index_add(0,i,y); x.index_add(1,i,y[:, :2],alpha=2); x.index_fill(0,i,1.0)
x.index_fill(0,i,u[0]); x.index_copy(0,i,y); x.masked_select(k>2); x.masked_scatter(k>2,y); x.take(i)
x.take(m.tensor([[0, 0], [5, 2]])); x.put(i, u[:2]); m.take_along_dim(x,k.long()*0,1); m.take_along_dim(x, i)
x.scatter(1,k.long()*0,y); x.scatter(1,i[:,None],5.0); x.scatter(1,i[:,None],y[:, :1]); x.scatter_add(1,k.long()*0,y)
x.scatter_reduce(1,k.long()*0,y,'sum'); x.scatter_reduce(1,k.long()*0,y,'prod')
x.scatter_reduce(1,k.long()*0,y,'amax'); x.scatter_reduce(1,k.long()*0,y,'mean')
x.scatter_reduce(1,k.long()*0,y,'amin', include_self=False); x.index_put((i,),u); x.index_put((i,),u,accumulate=True)
x.gather(1,i[:,None]); x.gather(0, m.tensor([[1]])); x.gather(1, m.tensor([[0, 0], [2, 2]])); m.hstack([x,y])
m.hstack([u,w]); m.vstack([u,w]); m.dstack([x,y]); m.column_stack([u,w]); x.tile(2); x.tile(2,2); x.tile((2,))
x.repeat_interleave(2); x.repeat_interleave(2,0); x.repeat_interleave(i+1,0); x.movedim(0,1); x.moveaxis(0,-1)
x.swapaxes(0,1); x.unflatten(1,(3,1)); x.unflatten(1,(-1,1)); x.tensor_split(2)[1]; x.tensor_split((1,),1)[1]
m.meshgrid(u,w,indexing='ij')[1]; m.meshgrid(u,w,indexing='xy')[0]; m.cartesian_prod(u,w); m.broadcast_tensors(x,u)[1]
m.atleast_1d(u[0]); m.atleast_2d(u); m.atleast_3d(x); m.atleast_3d(u); m.kron(sq,sq); m.kron(u, sq)
m.baddbmm(x[None],sq[None],x[None]); m.baddbmm(x[None],sq[None],x[None],beta=2,alpha=3); m.addbmm(x,sq[None],x[None])
m.addmv(u[:2],x,w); m.addmv(u[:2],x,w,beta=2,alpha=3); m.addr(x,u[:2],w); m.tensordot(x,y,2); m.tensordot(x,y.t(),1)
m.tensordot(x,y,([1],[1])); m.inner(x,y); m.inner(u,w); m.inner(u[0], x); m.vdot(u,w); x[None].squeeze((0,1))
x.unfold(1,2,1); x.unfold(0, 2, 1); x.expand(-1,3); m.block_diag(x,sq); x.hsplit(3)[1]; x.vsplit(2)[0]; m.fliplr(x)
m.flipud(x); x.adjoint(); x.mH; x.sum_to_size(1,3); m.where(k > 2, x, 0); x.squeeze(0); x.T.mT; m.ger(u, w)
(x*1).asin_(); (x*1).lerp_(y,0.5); (x*1).lerp_(y,k); (x*1).addcmul_(y,k); (x*1).addcdiv_(y,k); (x*1).index_add_(0,i,y)
(x*1).index_fill_(0,i,1.); (x*1).scatter_(1,i[:,None],5.); (x*1).scatter_(1,i[:,None],y[:, :1])
(x*1).scatter_add_(1,i[:,None],y[:, :1]); (x*1).tril_(); (x*1).triu_(1); (x*1).cumsum_(0); (x*1).cumprod_(0)
(x*1).masked_scatter_(k>2,y); (x*1).index_put_((i,),u); (x*1).index_copy_(0,i,y); (x*1).fmod_(2); (x*1).remainder_(2)
(x*1).remainder_(y); (x*1).div_(y,rounding_mode='floor'); (x*1).clamp_min_(1); (x*1).clamp_max_(y); (x*1).clamp_(y,k)
(x*1).nan_to_num_(); (x*1).addmm_(sq,y); (x*1).atan2_(y); (x*1).hypot_(y); (x*1).xlogy_(y); (x*1).copysign_(y)
(x*1).scatter_reduce_(1,i[:,None],y[:, :1],'amax'); (x*1).fill_diagonal_(2.); (x*1).put_(i,u[:2]); (x*1).frac_()
(x*1).erf_(); (x*1).sgn_(); (x*1).masked_fill_(k>1,u[0]); (x*1).t_(); (x*1).transpose_(0,1); (x*1).unsqueeze_(0)
(x[None]*1).squeeze_(); (x[None]*1).squeeze_(0); (x[None]*1).squeeze_((0,1)); (x*1).eq_(y); (x*1).gt_(1)
(x*1).uniform_() * 0; (x*1).normal_() * 0; (x*1).bernoulli_(.5) * 0; (x*1).logical_not_(); (x*1).float().sinh_()
(x*1).trunc_(); (x*1).exp2_(); (x*1).expm1_(); (x*1).log1p_(); (x*1).as_strided_((2,),(1,)); m.bernoulli(x/9) * 0
m.normal(x, y) * 0; (x*1).addr_(u[:2], w); (x*1).logit_(.1); (x*1).swapaxes_(0, 1)
"""
EXPRESSIONS = [each.strip() for each in OPS.replace("\n", ";").split(";") if each.strip()]

LAPACK = {"_saved_LU", "_saved_pivots"}
"""What PyTorch keeps of a factorization; here it is done again."""


def numbers(tensors: Any) -> list[Any]:
    return [None if tensor is None else np.asarray((tensor.detach() + 0).tolist()) for tensor in tensors]


def inputs(m: Any) -> dict[str, Any]:
    def leaf(data: Any) -> Any:
        return m.tensor(data, dtype=m.float32, requires_grad=True)

    return {
        "m": m,
        "x": leaf(X),
        "y": leaf(Y),
        "sq": leaf([[2.0, 1.0], [0.5, 3.0]]),
        "u": leaf([1.0, 2.0, 3.0]),
        "w": leaf([0.3, 0.2, 0.1]),
        "i": m.tensor([0, 1]),
        "k": m.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]),
    }


def plain_slots(node: Any) -> dict[str, str]:
    """The saved values of a node; of tensors only that they are there."""
    slots = {} if node is None else saved(node)
    return {
        name: "a tensor" if "tensor" in text or "object" in text else text
        for name, text in slots.items()
        if name not in LAPACK
    }


def results(m: Any, expression: str) -> tuple[list[Any], list[Any]]:
    """What is compared exactly, and what is compared as numbers."""
    names = inputs(m)
    leaves = [names[name] for name in ("x", "y", "sq", "u", "w")]
    z = eval(expression, names)
    exact = [graph(z), repr(z.dtype), tuple(z.shape), z.stride(), z._version, z.is_leaf, plain_slots(z.grad_fn)]
    first = m.autograd.grad((z * z).sum(), leaves, create_graph=True, allow_unused=True) if z.requires_grad else ()
    total = sum((g * g).sum() for g in first if g is not None and g.requires_grad)
    second = m.autograd.grad(total, leaves, allow_unused=True) if not isinstance(total, int) else ()
    return exact, numbers([z, *first, *second])


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_op_computes_and_differentiates_twice_as_in_pytorch(expression: str) -> None:
    (exact, ours), (wanted, theirs) = results(autograd_lab, expression), results(torch, expression)
    assert exact == wanted
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        if one is None or other is None:
            assert one is other
        else:
            np.testing.assert_allclose(one, other, rtol=2e-4, atol=2e-6)


ANSWERS = """
n.floor() | n.round() | n.trunc() | n.frac() | b.floor() | b.sign() | n.sign().dtype | n.sqrt().dtype | n.asin()
m.atan2(n,n).dtype | m.hypot(n,n) | n.exp2() | n//2 | n//2.0 | -n//2 | n/2 | m.div(n,2,rounding_mode='floor')
m.div(n,2,rounding_mode='bad') | n%0 | n//0 | m.fmod(n,2) | m.fmod(x,0) | m.div(x,0,rounding_mode='floor') | x//0
m.lerp(x,n,0.5) | m.addcmul(n,n,n) | m.addcmul(x,n,n) | m.addcdiv(n,n,n) | m.logical_and(x,n) | m.logical_xor(x,b)
n&3 | n<<1 | n>>1 | x&1 | b&b | b&1 | b^True | m.bitwise_not(x) | m.bitwise_left_shift(n,2) | 1<<n | 3&n
n.bitwise_and(b) | m.isposinf(x) | m.isneginf(n) | m.isreal(x) | m.signbit(x) | m.signbit(n)
m.heaviside(d,m.tensor(0.5)) | m.heaviside(x,x) | m.nan_to_num(n) | m.copysign(n,-1) | m.xlogy(n,n) | m.logit(n)
m.lerp(x,x,n) | 2//x | 2%x | 2%n | 7.5%x | 2@x | x@2 | x<<1 | m.add(n,n,alpha=1.5) | m.add(b,b) | m.add(b,1)
m.add(b,True) | m.mul(b,b) | m.add(b,b,alpha=True) | m.add(x,x,alpha=m.tensor(2.)) | m.add(x,'a') | m.add(x,None)
x+None | x+'a' | m.sub(b,b) | 1-b | m.exp('a') | m.exp(1.0) | m.floor_divide(x,2) | m.true_divide(x,2) | m.divide(x,2)
m.subtract(x,2) | m.multiply(x,2) | m.negative(x) | m.absolute(x) | m.clip(x,0,1) | m.clamp(n,0.5,2)
m.clamp(n,m.tensor(2),None) | m.clamp(b,0,1) | m.maximum(x,1) | m.maximum(x,n) | x.maximum(n) | m.where(b,x,n)
m.where(b,1,2) | m.where(b,1.0,2) | m.where(b) | m.where(n,x,x) | x.sigmoid_() | d.clone().asin_() | n.asin_()
n.exp_() | m.sign(b) | m.isclose(x,x) | m.positive(b) | m.float_power(n,2) | 2**n | n**-1 | n**2.0 | b**2
m.square(n) | m.pow(2,n) | n.reciprocal() | n.rsqrt() | n.sigmoid() | n.relu() | b.neg() | m.expm1(n)
m.gather(x,1,f) | m.gather(x,1,i) | x.gather(1,m.tensor([[0],[1],[2]])) | x.gather(1,m.tensor([[3]]))
x.gather(1,m.tensor([[-1]])) | x.gather(0,m.tensor([[1]])) | x.gather(1,n.int()) | x.gather(1,n.float())
s.gather(0,m.tensor(0)) | s.gather(0,m.tensor([0])) | x.gather(2,n) | d.scatter(1,n.int(),1.) | d.scatter(1,n,n)
d.scatter(1,m.tensor([[3]]),1.) | d.scatter(1,n,m.zeros(1,1)) | d.scatter(1,i,1.)
d.scatter(1,m.tensor([[0],[1],[2]]),1.) | d.scatter_add(1,n,n) | d.scatter_add(1,n,1.)
d.scatter_add(1,m.tensor([[3]]),d) | d.scatter_reduce(1,n,d,'bad') | d.scatter(1,n,1.,reduce='bad')
d.scatter(1,n,d,reduce='add') | d.scatter(1,n,2.,reduce='multiply') | d.index_select(0,f)
d.index_select(0,m.tensor([5])) | d.index_select(0,n) | d.index_select(0,m.tensor(1))
d.index_select(0,m.tensor([-1])) | s.index_select(0,m.tensor([0])) | d.index_select(2,i) | d.index_add(0,i,n)
d.index_add(0,i,d[:1]) | d.index_add(0,m.tensor([0,7]),d) | d.index_add(0,f,d) | d.index_add(0,n,d)
d.index_add(1,i,d[:, :2],alpha=2) | d.index_fill(0,i,d) | d.index_fill(0,f,1.) | d.index_fill(0,m.tensor([7]),1.)
d.index_fill(0,m.tensor([-1]),1.) | d.index_copy(0,i,d[:1]) | d.index_copy(0,i,n) | d.index_copy(0,m.tensor([0,9]),d)
d.masked_select(n) | d.masked_select(b[:, :2]) | u.masked_select(b) | d.masked_scatter(b,u[:1])
d.masked_scatter(n,u) | d.masked_scatter(b,n) | d.take(m.tensor([7])) | d.take(m.tensor([-1])) | d.take(f) | d.take(n)
m.take_along_dim(d,n) | m.take_along_dim(d,n,1) | m.take_along_dim(d,i,1) | d.nonzero() | d.nonzero(as_tuple=True)
s.nonzero() | s.nonzero(as_tuple=True) | m.nonzero(b) | m.argwhere(b) | s.argwhere() | x.cumsum(5) | n.cumsum(0)
b.cumsum(0) | n.cumprod(0).dtype | x.cumsum(0,dtype=m.float64).dtype | d.cummax(0) | n.cummax(1) | z.cumsum(0)
z.cummax(0) | s.cumsum(0) | s.cummax(0) | m.cumsum(x,dim=0) | x.logcumsumexp(0) | n.logcumsumexp(0) | n.median()
z.median() | z.sum(0) | n.mode() | b.sort() | z.sort(1) | s.sort() | s.topk(1) | x.topk(4) | x.kthvalue(4)
n.float().median(0) | d.median(dim=1,keepdim=True) | z.max() | z.max(0) | z.max(1) | z.argmax() | z.argmax(0)
z.amax(0) | z.amax() | z.min(0) | b.max() | b.argmax() | b.max(0) | n.argmax(0) | n.amax((0,1))
m.max(x,dim=1,keepdim=True) | m.max(x,1,True) | x.max(dim=1) | m.max(x,n) | m.aminmax(n) | z.aminmax()
x.aminmax(dim=5) | n.unique() | d.unique(return_inverse=True) | d.unique(return_counts=True) | n.unique(dim=0)
n.unique(return_inverse=True,return_counts=True) | m.unique_consecutive(m.tensor([1,1,2,1]),return_counts=True)
m.bincount(m.tensor([1,1,3])) | m.bincount(m.tensor([1,1,3]),weights=u) | m.bincount(m.tensor([1,1,3]),minlength=6)
m.bincount(n) | m.bincount(u) | m.bincount(m.tensor([-1])) | m.histc(d,bins=4,min=-4,max=4) | m.histc(d,4)
n.histc(3) | x.count_nonzero(0) | n.count_nonzero((0,1)) | m.searchsorted(u,d) | m.searchsorted(u,2.0)
m.bucketize(d,u) | m.nansum(n) | m.nansum(b) | m.nanmean(n) | m.var_mean(n) | m.var(n) | x.var(correction=0)
x.var(dim=1,unbiased=False) | x.std(unbiased=False) | x.var([0,1],keepdim=True) | m.tensor([1.]).var()
m.tensor([1.]).std() | x.var(0,correction=2) | m.var(x,dim=(),unbiased=True) | x.mean(dim=[]) | x.sum(dim=[])
x.sum(axis=0) | x.mean(axis=1,keepdims=True) | x.sum(0,dtype=m.float64) | n.sum(dtype=m.float32)
n.mean(dtype=m.float32) | n.mean() | x.prod(0,dtype=m.float64) | n.prod() | b.prod() | b.sum() | b.mean()
x.amax(axis=1) | x.all() | x.all(0) | x.all((0,1)) | n.any(1,keepdim=True) | m.all(b,dim=0) | x.any(5) | x.sum(2)
x.sum((0,0)) | x.norm(p=float('inf')) | n.norm() | n.float().norm(0) | m.linalg.norm(n) | m.linalg.vector_norm(n)
m.linalg.norm(sq,1) | m.linalg.norm(sq,-1) | m.linalg.norm(sq,float('inf')) | m.linalg.norm(u,3)
m.linalg.norm(x,dim=(0,1)) | m.linalg.norm(u,'fro') | x.norm(dtype=m.float64) | x.logsumexp(5) | n.logsumexp(0)
x.det() | n.det() | u.det() | m.linalg.inv(x) | m.linalg.inv(m.zeros(2,2)) | m.linalg.solve(sq,u)
m.linalg.solve(m.zeros(2,2),i.float()) | m.linalg.solve(sq,i) | sq.slogdet() | m.linalg.slogdet(sq) | m.linalg.det(sq)
sq.logdet() | m.linalg.inv(n[:, :2]) | m.linalg.cholesky(sq) | m.linalg.cholesky(-sq) | m.linalg.matrix_power(sq,-1)
sq.matrix_power(0) | m.linalg.matrix_rank(sq) | m.inverse(sq) | u.diagonal() | x.diagonal(5)
x.diagonal(dim1=0,dim2=0) | x.diagonal(1) | x.diagonal(-1) | u.diag(1) | x.diag(1) | s.diag() | m.zeros(2,2,2).diag()
m.diag_embed(u,1) | m.diag_embed(u,dim1=0,dim2=1) | m.diagflat(sq) | x.roll(1) | x.roll((1,1),0) | x.roll(1,5)
x.roll((1,2)) | x.rot90(1,(0,0)) | x.rot90(2) | x.rot90(1,[0]) | x.flip(0,0) | x.flip([0,1]) | u.fliplr() | x.tril(5)
u.tril() | x.expand(3,3) | x.expand(-1,-1) | x.expand(2,2,-1) | u.expand(-1,2,3) | x.unfold(1,5,1) | x.unfold(1,2,0)
x.unfold(2,1,1) | x.unfold(1,2,1) | x.unfold(0,1,1).shape | s.unfold(0,1,1) | x.squeeze(5) | x.squeeze((0,0))
x.unsqueeze(5) | x.unflatten(1,(2,2)) | x.unflatten(1,()) | x.movedim(0,5) | x.movedim((0,1),(1,))
x.movedim((0,1),(1,0)) | x.movedim((0,0),(0,1)) | x.tensor_split(0) | x.tensor_split(2,5) | s.tensor_split(2)
x.tensor_split([1,2],1) | x.chunk(0) | x.chunk(4,1) | x.split(0) | x.split(-1) | x.split([1,2]) | x.split([1,-1,3],1)
x.split(2,dim=1) | x.hsplit(2) | s.hsplit(1) | u.vsplit(1) | u.hsplit([1]) | x.dsplit(1)
m.meshgrid(u,u,indexing='bad') | m.meshgrid([u,i],indexing='ij') | m.meshgrid(u,s,indexing='ij')
m.broadcast_tensors(x,i) | m.broadcast_shapes((2,3),(3,)) | m.broadcast_shapes((2,),(3,)) | x.tile(2,1,1) | x.tile()
x.repeat(2) | x.repeat_interleave(-1) | x.repeat_interleave(m.tensor([1,2]),1) | x.repeat_interleave(f,0)
m.repeat_interleave(i) | u.repeat_interleave(m.tensor([1,0,2])) | m.hstack([s,s]) | m.vstack([s,u]) | m.hstack([])
m.column_stack([u,x]) | m.dstack([u,u]).shape | m.cat([x,u]) | m.cat([x,n]) | m.cat([]) | m.cat([x,m.tensor([])])
m.cat((x,x),dim=5) | m.stack([x,n]) | m.stack([]) | m.stack([x,u]) | m.concat([x,x]) | m.concatenate([x,x],axis=1)
m.row_stack([u,u]) | m.atleast_1d(s,u) | m.atleast_3d(s).shape | m.atleast_3d(u).shape | m.block_diag(u,sq)
m.kron(u,sq).shape | m.baddbmm(d,d,d) | m.addmv(u,x,u) | m.addmv(u[:2],x,u) | m.addr(x,u,u) | m.addbmm(d,d,d)
m.tensordot(x,x) | m.tensordot(x,x,([1],[1])).shape | m.tensordot(x,x,([0],[1])) | m.tensordot(x,sq,1) | m.inner(x,u)
m.inner(u,x) | m.inner(s,x) | m.inner(u,i.float()) | m.vdot(u,f) | m.vdot(u,n[0]) | m.cdist(x,x).detach()
m.cdist(u,x) | m.cdist(x,sq) | m.cross(u,u) | m.cross(x,x) | m.cross(sq,sq) | m.dist(x,x) | m.bmm(x,x)
m.bmm(m.zeros(2,2,2),m.zeros(2,2,2).double()) | m.mm(x,n.t()) | x@n.t() | m.mm(n,n.t()) | b.float()@b.t() | m.mv(x,f)
m.dot(u,i) | m.addmm(d,sq,n.float(),beta=0) | m.addmm(s,sq,d) | m.addmm(d,sq,d,alpha=0.5) | m.ger(u,u) | m.outer(x,u)
m.outer(u,i) | m.linalg.multi_dot([sq]) | m.trace(u) | m.diff(u,2) | m.diff(s) | m.matmul(s,x) | m.matmul(x,2)
m.full((2,),1) | m.full((2,),1.) | m.full((2,),True) | m.full(2,1) | m.full((2,2),'a')
m.full((2,),1,dtype=m.float32) | m.logspace(0,2,3) | m.logspace(0,2,3,base=2) | m.linspace(0,1,3,dtype=m.int64)
m.eye(2,3) | m.eye(-1) | m.arange(3.) | m.arange(1,2,0.5) | m.arange(5,dtype=m.float32) | m.arange(3,1)
m.zeros_like(n,dtype=m.float32) | m.zeros_like(x).requires_grad | m.ones_like(x,requires_grad=True)
m.full_like(n,2.5) | m.empty_like(x).shape | m.randint_like(n,5).shape | d.new_full((2,),7)
d.new_full((2,),7,dtype=m.int64) | n.new_full((2,),1.5) | d.new_tensor([1,2]) | n.new_tensor([1.5])
d.new_empty(2,3).shape | d.new_empty((2,)).dtype | d.new_zeros((2,2)) | d.new_ones(2,dtype=m.int32)
d.new_zeros(2,requires_grad=True) | m.tril_indices(2,3) | m.triu_indices(3,3,1) | m.bernoulli(x) | m.bernoulli(n)
m.normal(0.,-1.,(2,)) | m.normal(u,-u) | m.normal(2.0,u).shape | m.multinomial(u,4) | m.multinomial(-u,2)
m.multinomial(u,2).shape | m.multinomial(d,2) | m.multinomial(u,5,replacement=True).shape | m.multinomial(n,1)
m.multinomial(m.zeros(3),1) | d.clone().uniform_(1,0) | d.clone().normal_(0,-1) | n.uniform_() | n.normal_()
n.clone().random_(0) | n.clone().random_(3).max()<3 | n.clone().random_(5,3) | d.clone().bernoulli_(2.)
n.clone().bernoulli_(.5).dtype | d.clone().exponential_(-1) | m.rand(2,dtype=m.int64) | m.randn(2,dtype=m.int64)
m.randint(3,(2,)).dtype | m.randint(5,3,(2,)) | m.randint(0,3,(2,),dtype=m.float32).dtype | m.randperm(3).dtype
m.randperm(-1) | m.poisson(u).shape | m.scalar_tensor(2) | m.asarray([1,2]) | m.zeros([2,3]).shape
m.zeros(m.Size([2])).shape | m.zeros(-1) | m.zeros(2.5) | m.ones(()).shape | m.numel(x) | m.is_floating_point(n)
m.result_type(x,n) | m.can_cast(m.float32,m.int64) | m.promote_types(m.int32,m.float16) | m.finfo(m.float32)
m.iinfo(m.int8) | m.is_nonzero(s) | m.is_nonzero(x) | m.tensor(3).is_complex() | d.is_signed() | x.clone().t_().shape
d.clone().unsqueeze_(0).shape | d.clone().t_().stride() | d.clone().squeeze_(5) | d.clone().transpose_(0,5) | x.t_()
n.clone().floor_divide_(2) | n.clone().div_(2) | d.clone().scatter_(1,n,1.) | d.clone().eq_(2) | n.clone().eq_(2)
n.clone().logical_not_() | n.clone().bitwise_and_(1) | d.clone().cumsum_(0) | d.clone().index_fill_(0,i,3.)
d.clone().masked_fill_(b,s) | d.clone().masked_fill_(n,1.) | d.clone().resize_(3) | x.clone().resize_(3)
d.clone().lerp_(d,n) | n.clone().add_(1.5) | n.clone().mul_(True) | d.clone().addcmul_(d,u) | u.clone().addcmul_(d,u)
d.clone().tril_() | u.clone().tril_() | x.sort(5) | x.topk(1,5) | x.median(5) | x.flip(5) | x.roll(1,(0,0)) | x.std(5)
x.prod(5) | x.cumprod(5) | x.unbind(5) | x.select(0,9) | x.narrow(0,1,5) | x.index_select(0,m.tensor([0,1,0]))
"""
QUESTIONS = [each.strip() for each in ANSWERS.replace("\n", "|").split("|") if each.strip()]


def answer(m: Any, question: str) -> str:
    """What an expression prints as, or the first line of the error that it raises."""
    x = m.tensor([[0.5, -1.5, 2.5], [3.0, -4.0, 0.25]], requires_grad=True)
    n = m.tensor([[1, 2, 0], [0, 1, 2]])
    names = {
        "m": m,
        "x": x,
        "d": x.detach().clone(),
        "n": n,
        "b": n > 1,
        "i": m.tensor([0, 1]),
        "f": m.tensor([0.0, 1.0]),
        "u": m.tensor([1.0, 2.0, 3.0]),
        "s": m.tensor(2.0),
        "sq": m.tensor([[2.0, 1.0], [0.5, 3.0]]),
        "z": m.zeros(0, 3),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return repr(eval(question, names))
        except Exception as error:
            return f"{type(error).__name__}: {str(error).splitlines()[0]}"


@pytest.mark.parametrize("question", QUESTIONS)
def test_result_prints_or_fails_as_in_pytorch(question: str) -> None:
    assert answer(autograd_lab, question) == answer(torch, question)


def test_same_seed_gives_the_same_numbers() -> None:
    def drawn() -> Any:
        autograd_lab.manual_seed(3)
        x = autograd_lab.zeros(4)
        return [*x.normal_().tolist(), *x.uniform_(2, 3).tolist(), *autograd_lab.randperm(5).tolist()]

    assert drawn() == drawn()


def test_a_generator_of_ones_own_leaves_the_common_one_alone() -> None:
    autograd_lab.manual_seed(1)
    wanted = autograd_lab.rand(3).tolist()
    autograd_lab.manual_seed(1)
    own = autograd_lab.Generator().manual_seed(7)
    first = autograd_lab.rand(3, generator=own).tolist()
    assert autograd_lab.rand(3).tolist() == wanted
    assert autograd_lab.rand(3, generator=own.manual_seed(7)).tolist() == first


def test_random_numbers_are_distributed_as_asked() -> None:
    autograd_lab.manual_seed(0)
    x = autograd_lab.zeros(20000)
    assert abs(x.normal_(5, 2).mean().item() - 5) < 0.1
    assert abs(x.std().item() - 2) < 0.1
    assert abs(x.exponential_(4).mean().item() - 0.25) < 0.02
    assert abs(x.bernoulli_(0.3).mean().item() - 0.3) < 0.02
    assert 2 <= x.uniform_(2, 3).min().item() <= x.max().item() < 3
    drawn = autograd_lab.multinomial(autograd_lab.tensor([1.0, 0.0, 3.0]), 4000, replacement=True)
    assert autograd_lab.bincount(drawn).tolist()[1] == 0
    assert abs((drawn == 2).float().mean().item() - 0.75) < 0.05


def test_a_pickled_tensor_has_its_elements_and_no_history() -> None:
    x = autograd_lab.tensor([1.0, 2.0], requires_grad=True)
    back = pickle.loads(pickle.dumps(x))
    assert back.requires_grad
    assert back.tolist() == [1.0, 2.0]
    assert back.is_leaf
    assert copy.copy(x).tolist() == [1.0, 2.0]


@pytest.mark.parametrize("m", [autograd_lab, torch])
def test_shapes_changed_in_place_carry_gradients(m: Any) -> None:
    x = m.ones(2, 3, requires_grad=True)
    y = x * 2
    y.t_()
    y.unsqueeze_(0)
    (y * m.arange(6.0).view(1, 3, 2)).sum().backward()
    assert x.grad.tolist() == [[0.0, 4.0, 8.0], [2.0, 6.0, 10.0]]
    assert y._version == 2


@pytest.mark.parametrize("m", [autograd_lab, torch])
def test_out_receives_the_result_and_counts_one_version(m: Any) -> None:
    x, z = m.tensor([1.0, 2.0]), m.zeros(2)
    assert m.add(x, x, out=z) is z
    assert z.tolist() == [2.0, 4.0]
    assert m.cat([x[:1], x[1:]], out=z)._version == 2
    assert z.tolist() == [1.0, 2.0]
    assert m.exp(x, out=m.zeros(0)).shape == (2,)
    for wrong, message in [
        (lambda: m.add(x, x, out=m.zeros(2, dtype=m.int64)), "result type Float can't be cast"),
        (lambda: m.mul(x, x, out=m.zeros(2, requires_grad=True)), "mul[(][)]: functions with out=... arguments don't"),
    ]:
        with pytest.raises(RuntimeError, match=message):
            wrong()
    with pytest.warns(UserWarning, match="An output with one or more elements was resized"):
        assert m.mul(x, 3, out=m.zeros(3)).tolist() == [3.0, 6.0]
