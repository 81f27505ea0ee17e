"""Every op, one line each: as in real PyTorch, with its gradients and second gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograd_lab
from tests.programs import graph, saved
from tests.worlds import assert_alike

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

X = [[0.5, 1.0, 2.0], [3.0, 4.0, 0.25]]
Y = [[1.5, 0.1, 2.2], [3.0, 0.7, 5.0]]

OPS = """
x + y; x + 1; 1 + x; m.add(x, y, alpha=2); x - y; x - 1.5; 1 - x; m.sub(x, y, alpha=3); x * y; x * 2.5; 3 * x; x * x
x / y; x / 3; 2 / x; -x; x**2; x**3; x**0.5; x**-1; x**0; x**1; x**2.7; x**y; x**2.0; 2**x; x % 1.5; x.square()
abs(x); x.sign(); x.sgn(); x.floor(); x.ceil(); x.round(); x.exp(); x.expm1(); x.log(); x.log2(); x.log10(); x.log1p()
x.sqrt(); x.rsqrt(); x.reciprocal(); x.sin(); x.cos(); x.tan(); x.atan(); x.sinh(); x.cosh(); x.tanh(); x.sigmoid()
(x - 1).relu(); x.softmax(-1); x.log_softmax(0); m.softmax(x, dim=0); x.clone(); x.double(); x * y[0]
x * y.sum(1, True); x.mean() * x; x.sum(); x.sum(0); x.sum(1, keepdim=True); x.sum((0, 1)); x.sum(-1); x.mean()
x.mean(0); x.mean(-1, True); x.mean((0, 1)); x.max(); x.min(); x.max(0).values; x.max(1, keepdim=True)[0]
x.min(-1)[0]; x.amax(1); x.amin(); x.amax((0, 1), keepdim=True); x.prod(); x.prod(0); x.prod(1, keepdim=True); x.var()
x.std(); x.std(0); x.var(1, unbiased=False, keepdim=True); x.var(0); x.norm(); x.norm(p=1); x.norm(3, dim=1)
x.norm(dim=1); x.norm(dim=0, keepdim=True); x.norm(1.5); x.logsumexp(1); x.cumsum(0); x.logsumexp((0, 1))
x.cumsum(-1); x @ y.t(); x.mm(y.T); x @ y.sum(0); x.sum(1) @ y; x.sum(0) @ y.sum(0); m.dot(x[0], y[1])
m.outer(x[0], y[1]); m.addmm(x.sum(1), x, y.t()); m.addmm(x[:, :2], x, y.t(), beta=2, alpha=3); (x @ y.T).trace()
x.view(1, 2, 3) @ y.view(1, 3, 2); x.view(2, 1, 3) @ y.view(1, 3, 2); x.view(1, 2, 3) @ y.t()
x.view(1, 2, 3) @ y.sum(0); m.stack([x, y]) @ m.stack([y.t(), x.t()]); m.stack([x, y]) @ y[0]
y[0] @ m.stack([x.t(), y.t()]); y @ m.stack([x.t(), y.t()]); m.bmm(m.stack([x, y]), m.stack([y.t(), x.t()]))
m.mv(x, y[0]); x.view(3, 2); x.t().reshape(6); x.flatten(); x.ravel(); x.transpose(0, -1); x.permute(1, 0); x.T; x.mT
x.t(); x.expand(4, 2, 3); x.unsqueeze(-1); x[None].squeeze(); x[None].squeeze(0); x.view_as(y); x.flatten(0, 1)
x.t().contiguous(); m.broadcast_to(x[0], (2, 3)); x[0]; x[0, 1]; x[:, 1]; x[0:1]; x[:, ::2]; x[-1]; x[:, -2:]; x[None]
x[...]; x[..., 1]; x[:]; x[:, :]; x[[0, 1, 1]]; x[:, [0, 2]]; x[[0, 1], [1, 2]]; x[x > 1]; x[0, [1, 2]]
x[m.tensor([1, 0])]; x[m.tensor([True, False])]; x.select(1, 2); x.narrow(1, 0, 2); m.where(x > 1, x, y)
m.where(x > 1, x, 0.0); m.where(x > 1, 1.0, y); x.clamp(1, 3); x.clamp(min=1.0); x.clamp(max=2.5); x.clamp_min(1.0)
x.clamp_max(2.0); m.maximum(x, y); m.minimum(x, y); m.max(x, y); x.masked_fill(x > 1, 0.0); m.cat([x, y])
m.cat([x, y, x], dim=1); m.stack([x, y]); m.stack([x, y], -1); x.unbind()[1]; x.split(2, dim=1)[1]
x.split([1, 2], dim=1)[1]; x.chunk(2)[0]; x.chunk(2)[0] * x.chunk(2)[1]; x.repeat(2, 2); x.flip(0); x.flip(0, 1)
x.tril(); x.triu(1); x.gather(1, m.tensor([[0], [2]])); sum(row for row in x); x * y.double()
x * m.tensor(2.0, dtype=m.float64); x * m.tensor([1, 2, 3]); x[0] * x[1]; x.sum() * y.sum(); (x * 1).add_(1)
(x * 1).add_(y, alpha=2); (x * 1).sub_(y); (x * 1).mul_(y); (x * 1).mul_(2); (x * 1).div_(y); (x * 1).pow_(2)
(x * 1).pow_(y); (x * 1).zero_(); (x * 1).fill_(1.0); (x * 1).fill_(y[0, 0]); (x * 1).copy_(y); (x * 1).exp_()
(x * 1).log_(); (x * 1).sqrt_(); (x * 1).sin_(); (x * 1).cos_(); (x * 1).tanh_(); (x * 1).sigmoid_(); (x - 1).relu_()
(x * 1).neg_(); (x * 1).abs_(); (x * 1).reciprocal_(); (x * 1).rsqrt_(); (x * 1).square_(); (x * 1).clamp_(1, 3)
(x * 1).masked_fill_(y > 1, 0.0); (x * 1).floor_(); (x * 1).ceil_(); (x * 1).round_(); m.zeros(2, 3).add_(x)
(x * 1)[0].mul_(y[1]); (x * 1).t().mul_(3)
(x/5).asin(); (x/5).acos(); x.asinh(); (x+1).acosh(); (x/5).atanh(); m.atan2(x,y); m.hypot(x, y); x.erf(); x.erfc()
(x/5).erfinv(); x.lgamma(); x.digamma(); m.polygamma(2, x); x.trunc(); x.frac(); x.fix(); m.fmod(x,1.5); m.fmod(x,y)
m.mvlgamma(x.exp()+1, 2); (x.exp()+2).mvlgamma(3); m.special.multigammaln(x.exp()+1, 2); (x+2).mvlgamma_(2)
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
m.linalg.lu_factor(sq)[0]; sq.lu_solve(*m.linalg.lu_factor(sq.detach()+1))
m.lu_unpack(*m.linalg.lu_factor(x))[2]; m.cholesky_inverse(sq,True); x.renorm(2,1,1.); x.index_reduce(0,i,y,'prod')
m.nextafter(x,y); m.i0(x); m.special.i1(x); m.special.i0e(x); m.special.i1e(x); m.linalg.vander(x,N=3)
m.chain_matmul(x,y.t(),x); (x*1).renorm_(1,0,.5); (x*1).index_reduce_(1,i,y[:, :2],'amax'); (x*1).i0_()
m.cholesky_solve(x,sq); x.cholesky_solve(sq,True); m.linalg.lstsq(x.t(),y.t())[0]
m.linalg.lstsq(x,u[:2])[0]; m.linalg.lstsq(x.t(),w,driver='gels')[0]
m.quantile(x,.3); x.quantile(.3,1); x.quantile(m.tensor([.2,.7]),0,True); x.quantile(u/4,1,interpolation='midpoint')
x.quantile(.6,0,interpolation='nearest'); m.nanquantile((x-.7).log(),.4,1); m.cov(x); x.cov(correction=0); m.cov(u)
m.cov(x,fweights=i.new_tensor([1,2,1]),aweights=w.detach()); m.corrcoef(x.log()); u.corrcoef(); m.trapezoid(x)
m.trapezoid(x,y); m.trapezoid(x,u,dim=1); m.trapz(x,dx=2,dim=0); m.cumulative_trapezoid(x,dx=.5); m.gradient(x)[1]
m.cumulative_trapezoid(x,y,dim=0); m.gradient(x,spacing=2.,dim=1,edge_order=2)[0]; m.gradient(x,spacing=(u,),dim=1)[0]
m.gradient(x,spacing=(k[0]**2,),dim=1,edge_order=2)[0]; m.select_scatter(x,u,0,1); x.select_scatter(u[:2],1,-1)
m.slice_scatter(x,y[:, :2],1,0,2); x.slice_scatter(y[:, ::2],1,step=2); m.diagonal_scatter(x,u[:2],1)
sq.diagonal_scatter(w[:1],-1); (x*1).trunc_(); (x*1).exp2_(); (x*1).expm1_(); (x*1).log1p_()
(x*1).as_strided_((2,),(1,)); m.bernoulli(x/9) * 0; m.normal(x, y) * 0; (x*1).addr_(u[:2], w); (x*1).logit_(.1)
(x*1).swapaxes_(0, 1); m.ldexp(x,y); x.ldexp(i[0]); m.ldexp(k,y); (x*1).ldexp_(y); m.frexp(x)[0]
m.frexp(x).mantissa * x
m.igamma(k,x); m.igammac(k,x); m.special.gammainc(k/9,x); k.igamma(x); (k*1).igammac_(x)
m.as_strided_scatter(x,u[:2],(2,),(2,),1); x.as_strided_scatter(sq,(2,2),(1,3))
m.special.entr(x); m.special.erfcx(x); m.special.log_ndtr(x-2); m.special.ndtr(x); m.special.xlog1py(x,y)
m.special.xlog1py(x,2.0); m.special.xlog1py(2.0,y); m.angle(x-2); m.cholesky(sq@sq.t()); m.cholesky(sq@sq.t(),True)
m.fill(x,2.0); m.fill(x,u[0]); m.narrow_copy(x,1,1,2); m.unsafe_split(x,2,1)[1]; x.unsafe_split_with_sizes((1,2),-1)[1]
m.constant_pad_nd(x,(1,1),2.0); m.frobenius_norm(x,(0,1)); m.nuclear_norm(sq); m.norm_except_dim(x,2,0)
m.norm_except_dim(x,2,1); (x*1).conj_physical_(); m.selu_(x*1-2); m.celu_(x*1-2,0.5)
m.threshold_(x*1,1.0,0.5); m.dropout_(x*1,0.0,True)
"""
EXPRESSIONS = [each.strip() for each in OPS.replace("\n", ";").split(";") if each.strip()]

RARE = """
m.alias_copy(x); m.as_strided_copy(x,(2,2),(1,2),1); m.diagonal_copy(x,1); m.expand_copy(x,(4,2,3))
m.unfold_copy(x,1,2,1); m.permute_copy(x,(1,0)); m.select_copy(x,1,2); m.slice_copy(x,1,0,None,2); m.slice_copy(x)
m.split_copy(x,2,1)[0]; m.split_with_sizes_copy(x,[1,2],1)[1]; m.squeeze_copy(x[None]); m.squeeze_copy(x[None],0)
m.squeeze_copy(x[None],(0,)); m.t_copy(x); m.transpose_copy(x,0,1); m.unbind_copy(x,1)[1]; m.unsqueeze_copy(x,0)
m.view_copy(x,(3,2)); m.special.ndtri(x/5); m.special.zeta(k+1,x); m.special.zeta(2,x)
m.native_layer_norm(x,(3,),u,w,1e-5)[0]; m.native_batch_norm(x,u,w,None,None,True,.1,1.)[0]
m.native_batch_norm(x,u,w,k[0],k[1],False,.1,1e-5)[0]; m.native_group_norm(x.view(1,2,3),u[:2],w[:2],1,2,3,2,1.)[0]
m.conv_tbc(x.view(2,1,3),y.view(1,3,2),sq[0]); m.conv_tbc(y.view(3,2,1),sq.view(2,1,2),u[:2],1)
m.convolution(x.view(1,1,6),u.view(1,1,3),w[:1],[1],[0],[1],False,[0],1)
m.affine_grid_generator(x.view(1,2,3),[1,1,2,2],False); m.grid_sampler(x.view(1,1,2,3),sq.view(1,1,2,2)/4,0,0,False)
m.orgqr(x.t(),u[:2]); m.linalg.householder_product(y.t(),w[:2]); m.ormqr(x.t(),u[:2],y.t()); x.t().ormqr(w[:2],y,False)
m.ormqr(x.t(),u[:2],y.t(),True,True); m.ormqr(x.t(),u[:2],y,False,True); m.rnn_tanh_cell(x,x[:, :2],y,sq)
m.nn.functional.fractional_max_pool2d(x.view(1,2,3),1,(1,2),_random_samples=m.full((1,1,2),.3))
m.nn.functional.linear_cross_entropy(x,y,i)
m.nn.functional.linear_cross_entropy(x,y,i,linear_bias=u[:2],reduction="none")
m.nn.functional.max_pool1d_with_indices(x,2)[0]; m.nn.functional.adaptive_max_pool1d_with_indices(x,2)[0]
m.gru_cell(x,x[:, :1],m.outer(u,w),u[:, None]); m.rnn_relu_cell(x,x[:, :2],y,sq,u[:2],w[:2])
m.lstm_cell(x,(x[:, :1],y[:, :1]),m.cat([x,y]),m.cat([u,w])[:4,None])[0]
"""
RARELY = [each.strip() for each in RARE.replace("\n", ";").split(";") if each.strip()]
"""What the random programs do not know; their numbers hang on the list above."""

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
    for one in leaves:  # once more, by the formulas for arrays
        one.grad = None
    again = eval(expression, names)
    if again.requires_grad:
        (again * again).sum().backward()
    return exact, numbers([z, *first, *second, *(one.grad for one in leaves)])


@pytest.mark.parametrize("expression", EXPRESSIONS + RARELY)
def test_op_computes_and_differentiates_twice_as_in_pytorch(expression: str) -> None:
    (exact, ours), (wanted, theirs) = results(autograd_lab, expression), results(torch, expression)
    assert exact == wanted
    assert_alike(ours, theirs)


@pytest.mark.parametrize("m", [autograd_lab, torch])
def test_shapes_changed_in_place_carry_gradients(m: Any) -> None:
    x = m.ones(2, 3, requires_grad=True)
    y = x * 2
    y.t_()
    y.unsqueeze_(0)
    (y * m.arange(6.0).view(1, 3, 2)).sum().backward()
    assert x.grad.tolist() == [[0.0, 4.0, 8.0], [2.0, 6.0, 10.0]]
    assert y._version == 2
