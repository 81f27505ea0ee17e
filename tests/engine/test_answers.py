"""What results print as, and what wrong arguments raise: one expression each, as in real PyTorch; `out=`; pickling."""

from __future__ import annotations

import copy
import operator
import pickle
import subprocess
import sys
import warnings
from typing import Any

import pytest

import autograd_lab

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

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
m.bincount(n) | m.bincount(u) | m.bincount(m.tensor([-1])) | m.histc(d,bins=4,min=-4,max=4) | m.vander(n[0])
m.histogram(d,4) | m.histogram(d,u,density=True) | m.histogram(n,2) | m.vander(u,2,True) | m.vander(n) | m.histc(d,4)
n.histc(3) | x.count_nonzero(0) | n.count_nonzero((0,1)) | m.searchsorted(u,d) | m.searchsorted(u,2.0)
m.zeros(7,3).fill_diagonal_(5,True) | m.zeros(4,3).fill_diagonal_(5,wrap=True) | m.zeros(9,2).fill_diagonal_(1,True)
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
m.spmm(x,n.t()) | m.spmm(x,x.t())
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
n.clone().geometric_(.5).dtype | d.clone().geometric_(2) | d.clone().cauchy_(0,-1) | n.clone().cauchy_()
n.clone().log_normal_() | d.clone().log_normal_(0,-1) | m.hann_window(5) | m.hann_window(4,False) | m.hann_window(1)
m.hann_window(0) | m.hann_window(-1) | m.hamming_window(5,False,.5) | m.blackman_window(6)[1:] | m.bartlett_window(5)
m.kaiser_window(4) | m.kaiser_window(5,False,5.) | m.hann_window(3,dtype=m.float64)
m.hann_window(3,requires_grad=True) | m.bartlett_window(4,False) | m.blackman_window(1)
m.unravel_index(m.tensor([3,5]),(2,3)) | m.unravel_index(m.tensor(7),(2,2,2)) | m.unravel_index(m.tensor([1]),4)
m.unravel_index(m.tensor([1.]),(2,)) | m.unravel_index(m.tensor([1]),(-2,)) | m.unravel_index(m.tensor([1]),(2.,))
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
m.gcd(n,m.tensor(4)) | m.lcm(6*n,m.tensor([4,6,8])) | m.gcd(x,x) | n.gcd(n.int()).dtype | n.clone().gcd_(n+2)
n.clone().lcm_(n+2) | m.gcd(b,b) | m.range(1,4) | m.range(3) | m.range(0,1,0.25,dtype=m.float64) | m.range(4,1)
m.range(1,2,0) | m.range(0,3,dtype=m.int64) | m.asarray(x+1) | m.asarray(x,requires_grad=True).requires_grad
m.typename(m.nn.Parameter(u)) | m.typename(u) | m.typename(n) | m.pixel_shuffle(m.ones(1,4,1,1),2)
m.nonzero_static(m.tensor([[1,0],[3,2]]),size=5,fill_value=7) | m.tensor([1,0,2]).nonzero_static(size=1)
m.nonzero_static(m.tensor(3),size=2) | m.nonzero_static(n,size=-1) | m.autograd.Variable(u,requires_grad=1)
x.dim_order(ambiguity_check="x") | x.dim_order(ambiguity_check=[3]) | m.ones(1,2).dim_order(ambiguity_check=True)
m.float32.is_complex, m.int8.is_complex, m.bool.is_signed, m.uint8.is_signed, m.half.itemsize
type(m.Generator().set_state(m.Generator().get_state())).__name__
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


OUTS = """
abs(x,out=o) | neg(x,out=o) | sign(x,out=o) | exp(x,out=o) | isposinf(x,out=o) | all(x,out=o) | sum(x,0,out=o)
prod(x,0,out=o) | cumsum(x,0,out=o) | cumprod(x,0,out=o) | logcumsumexp(x,0,out=o) | amax(x,0,out=o) | dot(x,x,out=o)
gather(x,0,n,out=o) | take(x,n,out=o) | index_select(x,0,n,out=o) | masked_select(x,x>0,out=o) | tril(x[None],out=o)
mm(x[None],x[:,None],out=o) | spmm(x[None],x[:,None],out=o)
softmax(x,0,out=o) | cat([x,x],out=o) | stack([x,x],out=o) | zeros(2,out=o)
arange(3,out=o)
full((2,),2,out=o) | zeros(2,dtype=m.float32,out=o) | nan_to_num(x,out=o) | nonzero(x,out=o)
max(x,0,out=(o,n)) | max(x,0,out=(x.clone(),o)) | topk(x,1,out=(o,n)) | sort(x,out=(o,n)) | cummax(x,0,out=(o,n))
float_power(x,2,out=o) | quantile(x,.5,out=o) | linalg.vector_norm(x,out=o) | linalg.vecdot(x,x,out=o) | argmax(x,out=o)
linalg.vecdot(x,o) | linalg.vector_norm(x,dtype=o.dtype) | cumsum(x,0,dtype=o.dtype) | histc(x,2,out=o)
clamp(x,0,1,out=o) | clamp_min(x,1,out=o) | where(x>1,x,x,out=o) | matmul(x[None],x,out=o) | norm(x,out=o)
diag(x,out=o)
mv(x[None],x,out=o) | inverse(x[None,:1],out=o) | searchsorted(x,x,out=o) | bucketize(x,x,out_int32=True,out=o)
multinomial(x.new_ones(1),1,out=o) | heaviside(x,x,out=o) | narrow_copy(x,0,0,1,out=o) | logsumexp(x,0,out=o)
ldexp(x,x,out=o) | select_copy(x,0,0,out=o) | matrix_power(x[None,:1],2,out=o) | cholesky(x[None,:1],out=o)
searchsorted(x,o) | inner(x,x,out=o) | scatter(x,0,n,1.,out=o) | logical_not(x,out=o) | eq(x,x,out=o) | add(x,x,out=o)
"""


@pytest.mark.parametrize("kind", ["int64", "float64", "float16", "bool"])
@pytest.mark.parametrize("call", [each.strip() for each in OUTS.replace("\n", "|").split("|") if each.strip()])
def test_each_function_takes_or_refuses_an_out_of_another_dtype_as_in_pytorch(call: str, kind: str) -> None:
    found = []
    for m in (autograd_lab, torch):
        names = {"m": m, "x": m.tensor([0.75, 2.5]), "n": m.tensor([1, 0]), "o": m.zeros(0, dtype=getattr(m, kind))}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                made = eval(f"m.{call}", names)
                found.append(repr(made if isinstance(made, m.Tensor) else tuple(made)))
            except Exception as error:
                found.append(f"{type(error).__name__}: {str(error).splitlines()[0]}")
    assert found[0] == found[1]


LAID_OUT = """
m.combinations(v, 0) | m.combinations(v, -1) | m.combinations(d, 2) | m.combinations(v, 0, True) | d.rot90(1, (0, 2))
d.rot90(1.0) | d.rot90(1, (0, -3)) | d.rot90(1, (0, -2)) | d.rot90(k=-3) | v.unfold(0, -1, 1) | v.unfold(0, 9, 1)
v.unfold(0, 0, 1) | v.unfold(0, 1, 0) | s.unfold(0, -1, 1) | s.unfold(0, 1, 1) | v.clone().resize_(-1)
v.clone().resize_((1, -3)) | v.clone().resize_() | v.clone().resize_(2) | m.broadcast_shapes((-1, 2), (2,))
m.broadcast_shapes((1, 0), (-1,)) | m.broadcast_shapes(None, (2, 1)) | d.amax(dim=None) | d.amin(None, True)
m.amax(d, None) | m.range(1, 3, out=m.empty(2)) | m.range(1, 4.5, 0.5, out=m.empty(0).half())
m.range(4, 1.5, -1, dtype=m.int32) | m.range(1, 3, out=m.empty(3), dtype=m.float64) | m.range(1, 9e999)
m.range(1, 4, dtype=m.bool) | m.range(end=3) | m.range(1, "a") | m.range(1, 4, None) | m.result_type(1, "a")
m.result_type(None, v) | m.result_type(v, True) | m.can_cast(1, 2) | m.promote_types(m.int8, "a") | d.split(True)
d.split(2, True) | d.split((2, True)) | d.split((True, 2)) | d.split(m.tensor(2)) | d.split(m.tensor([1, 2]))
d.split("a") | d.split([1, 2.0]) | m.split(d, 2, dim="a") | d.tensor_split(True) | d.narrow(0, True, 1)
d.narrow(0, 1, True) | m.narrow(d, 0, 1, True) | F.pad(d, (True, True)) | F.pad(d, (1, True)) | F.pad(d, (1, 1.5))
F.pad(d, m.tensor([1, 1])) | F.pad(d[None], (1.0, 1), "circular") | m.tril_indices(True, 2) | m.triu_indices(2, True)
m.tril_indices(2.0, 3) | m.tril_indices(-1, 3) | m.triu_indices(2, -3) | m.triu_indices(2, 3, 1.0)
m.tril_indices(2, 3, dtype=m.float32) | m.triu_indices(2, 3, dtype=m.int32) | d.nonzero(as_tuple=True)
m.nonzero(v, as_tuple=True) | s.nonzero(as_tuple=True) | (s * 0).nonzero(as_tuple=True) | m.where(d > 3) | d.nonzero()
d.nonzero(as_tuple=1) | m.zeros(0, 3).nonzero(as_tuple=True) | m.fill(v, None) | m.flip(d) | d.flip()
d.flip((0, True))
m.zeros(2, True) | m.zeros((2, True)) | m.zeros((True, 2)) | m.ones(2, 1.5) | m.ones(("a", 2)) | m.full((True, 2), 1.0)
m.zeros((2, None)) | d.new_zeros((2, True)) | d.new_zeros((True, 2)) | d.reshape(12, True) | d.view(12, True)
d.expand(-2, 3, 4) | d.broadcast_to((-2, 3, 4)) | d.unflatten(1, (True, 4)) | d.unflatten(1, (4, True))
d.view(True, 12) | d.repeat(2, True) | d.permute(1, False) | d.permute(False, 1) | d.tile((2, True))
"""


@pytest.mark.parametrize("question", [each.strip() for each in LAID_OUT.replace("\n", "|").split("|") if each.strip()])
def test_odd_arguments_are_taken_or_refused_and_results_laid_out_as_in_pytorch(question: str) -> None:
    found = []
    for m in (autograd_lab, torch):
        d = m.arange(12.0).view(3, 4)
        names = {"m": m, "F": m.nn.functional, "d": d, "v": m.tensor([1.0, 2.0, 3.0], requires_grad=True).detach()}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                made = eval(question, {**names, "s": m.tensor(2.0)})
                parts = made if type(made) is tuple else (made,)
                laid = [(one.stride(), one._base is None) for one in parts if isinstance(one, m.Tensor)]
                found.append((repr(made), laid))
            except Exception as error:
                found.append((f"{type(error).__name__}: {str(error).splitlines()[0]}", []))
    assert found[0] == found[1]


def test_a_new_tensor_in_out_has_its_size_without_a_word_but_for_arange() -> None:
    told = []
    for m in (autograd_lab, torch):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for make in (m.zeros, m.rand, m.randperm, m.arange):
                make(3, out=m.empty(2))
            m.eye(2, out=m.empty(2, dtype=m.int64))
        told.append([str(one.message).split(" (Triggered")[0] for one in caught])
    assert told[0] == told[1]


REFUSED_OUTS = """
abs(x, out=3) | max(x, 0, out=x) | topk(x, 1, out=x) | sort(x, out=(x, x, x)) | mm(x, x, out=(x,)) | cat([x], out="a")
sum(x, 0, out=[x]) | median(x, 0, out=x) | exp(x, out=(x, x)) | add(x, x, out=g) | vstack([x, x], out=g)
norm(x, out=g)
square(x, out=g) | softmax(x, 0, out=g) | zeros(2, out=g) | outer(x[0], x[0], out=g) | msort(x, out=g) | eq(x, x, out=g)
gt(g, g, out=x > 0) | argmax(g, 0, out=x[0].long()) | logical_and(g, x, out=x > 0) | take_along_dim(x, n, 0, out=g)
"""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", [each.strip() for each in REFUSED_OUTS.replace("\n", "|").split("|") if each.strip()])
def test_what_no_result_can_be_written_to_is_refused_as_in_pytorch(call: str) -> None:
    found = []
    for m in (autograd_lab, torch):
        x = m.tensor([[0.75, 2.5], [1.0, 0.5]])
        names = {"m": m, "x": x, "g": x.clone().requires_grad_(), "n": m.tensor([[1, 0], [0, 1]])}
        try:
            found.append(repr(eval(f"m.{call}", names)))
        except Exception as error:
            found.append(f"{type(error).__name__}: {error}")
    assert found[0] == found[1]


def test_a_pickled_tensor_has_its_elements_and_no_history() -> None:
    x = autograd_lab.tensor([1.0, 2.0], requires_grad=True)
    back = pickle.loads(pickle.dumps(x))
    assert back.requires_grad
    assert back.tolist() == [1.0, 2.0]
    assert back.is_leaf
    assert copy.copy(x).tolist() == [1.0, 2.0]


FUNCTIONS = """
tanh relu zeros_like nn.functional.relu nn.functional.gelu nn.functional.softplus linalg.inv special.erf Tensor.add
Tensor.relu_ cat where nn.functional.max_pool2d_with_indices nn.init.zeros_ func.grad
"""


@pytest.mark.parametrize("path", FUNCTIONS.split())
def test_functions_are_pickled_by_their_names(path: str) -> None:
    for m in (autograd_lab, torch):
        function = operator.attrgetter(path)(m)
        assert pickle.loads(pickle.dumps(function)) == function, m
        assert copy.deepcopy(function) == function, m


@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_layers_with_functions_in_them_are_pickled(activation: str) -> None:
    for m in (autograd_lab, torch):
        layer = m.nn.TransformerEncoderLayer(4, 2, 8, activation=activation).eval()
        layer.also = [m.tanh, m.nn.functional.silu]
        again = pickle.loads(pickle.dumps(layer))
        x = m.arange(8.0).reshape(2, 1, 4)
        assert again(x).tolist() == layer(x).tolist()
        assert [one(x).tolist() for one in again.also] == [one(x).tolist() for one in layer.also]


def test_functions_that_classes_of_tensors_are_asked_about_are_pickled_too() -> None:
    program = """
import pickle
import autograd_lab as m
before = m.tanh, m.nn.functional.relu
class Kind(m.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return super().__torch_function__(func, types, args, kwargs or {})
m.tanh(m.ones(2).as_subclass(Kind))
assert m.tanh is not before[0]
for one in (*before, m.tanh, m.nn.functional.relu):
    assert pickle.loads(pickle.dumps(one)) is one
"""
    subprocess.run([sys.executable, "-c", program], check=True)


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


@pytest.mark.parametrize(
    "name", ["celu_", "dropout_", "alpha_dropout_", "feature_alpha_dropout_", "rrelu_", "threshold_"]
)
def test_what_writes_in_place_knows_its_name(name: str) -> None:
    assert getattr(autograd_lab, name).__name__ == getattr(torch, name).__name__ == name
    own = getattr(autograd_lab.nn.functional, name, None)
    assert own is None or own.__name__ == name


OUT_AT = """
abs(x,out=x.T)|abs(x,out=x[0])|add(x,y,out=x[0])|sum(x,out=x)|median(x,out=x[0,0])|index_select(x,0,i,out=x)
index_select(x,0,i,out=x[0])|cat([x,y],out=x)|cat([x,y],out=m.empty(4,3))|stack([x,y],out=x.T)|gather(x,0,g,out=x.T)
cumsum(x,0,out=x.T)|cumsum(x,0,out=x[0])|renorm(x,2,0,1.0,out=x.T)|scatter(x,0,g,y,out=y)|scatter(x,0,g,y,out=x)
index_add(x,0,i,y,out=y)|index_copy(x,0,i,y,out=y)|narrow_copy(x,0,0,1,out=m.zeros(5))|arange(6,out=x)|arange(6,out=x.T)
linspace(0,1,6,out=y)|logspace(0,1,6,out=y)|multinomial(x,1,out=m.zeros(7,2).long())|abs(x,out=m.empty(2,3,device="meta"))
argmax(x,0,out=m.empty(3,device="meta").long())|zeros(2,out="a")|ones(2,out=(x,))|tensordot(x,x.T,1,out="a")
tensordot(x,x.T,1,out=(x,))|amax(x,0,out=1)|max(x,0,out=x)|masked_select(x,x>1,out=x)|take(x,g,out=x[0])
"""


@pytest.mark.parametrize("call", OUT_AT.replace("\n", "|").strip("|").split("|"))
def test_an_out_that_lies_on_operands_or_does_not_fit_is_taken_or_refused_as_in_pytorch(call: str) -> None:
    def told(m: Any) -> list[str]:
        m.manual_seed(0)
        x, y = m.tensor([[1.5, 2.0, 0.5], [0.25, 3.0, 1.0]]), m.tensor([[2.0, 1.0, 4.0], [1.0, 0.5, 2.0]])
        given = {"m": m, "x": x, "y": y, "i": m.tensor([1, 0]), "g": m.tensor([[0, 1, 0], [1, 0, 1]])}
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                answer = str(eval(f"m.{call}", given))
            except Exception as error:
                answer = f"{type(error).__name__}: {error}"
        return [answer, str(y), *{str(one.message).partition(" (Triggered")[0] for one in warned}]

    assert told(autograd_lab) == told(torch)
