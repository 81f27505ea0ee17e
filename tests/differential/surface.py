"""The surface that programs are written over: lines with holes, which the grammar fills.

`{x}` is a tensor that exists, `{f}` a floating one; `{y}` one that goes with it; `{n}` a number; `{dim}`, `{index}`,
`{shape}`, ... suit the tensor chosen last, mostly. `methods(...)` are written after a tensor: `x.sin()`.
"""

from __future__ import annotations

import re

from tests.engine.test_ops import EXPRESSIONS


def methods(subject: str, names: str) -> list[str]:
    """A line for each of the names, as a method without arguments."""
    return [f"{subject}.{name}()" for name in names.split()]


def calls(pattern: str, names: str) -> list[str]:
    """A line for each of the names, put where the pattern says NAME."""
    return [pattern.replace("NAME", name) for name in names.split()]


CREATION = [
    "torch.tensor({literal}, dtype={dtype})",
    "torch.tensor({literal})",
    "torch.tensor({literal}, requires_grad=True)",
    "torch.tensor({literal}, requires_grad=True)",
    "torch.tensor({literal}, dtype=torch.float64, requires_grad=True)",
    "torch.tensor({literal}, dtype=torch.float16, requires_grad=True)",
    "torch.tensor({literal}).t().requires_grad_()",
    "torch.ones({size}, requires_grad={bool})",
    "torch.zeros({size}, dtype={dtype})",
    "torch.full({size}, {n})",
    "torch.arange({count})",
    "torch.arange({count}, dtype={dtype})",
    "torch.arange(1.0, {count}, 0.5, requires_grad={bool})",
    "torch.linspace(-1, 2, {count})",
    "torch.eye({count})",
    "torch.zeros_like({x})",
    "torch.ones_like({f}, requires_grad={bool})",
    "torch.full_like({x}, {n})",
    "torch.ones({size}).expand({size})",
    "{x}.new_zeros({size})",
    "torch.zeros_like({x}, dtype={dtype})",
]

POINTWISE = [
    *methods("{f}", "neg abs exp log sin cos tan tanh sigmoid"),
    *methods("{f}", "relu sqrt rsqrt square reciprocal expm1 log1p log2 log10"),
    *methods("{f}", "atan sinh cosh sgn sign floor ceil round isnan isinf isfinite logical_not softplus"),
    *methods("{f}", "asin acos asinh acosh atanh erf erfc trunc frac exp2 lgamma nan_to_num deg2rad rad2deg sinc"),
    *methods("{x}", "neg abs exp sin sqrt square sign floor isnan logical_not sigmoid relu tanh bool clone"),
    "-{x}", "abs({x})", "~{x}", "{f} ** 2", "{f} ** 3", "{f} ** 0.5", "{f} ** -1", "{f} ** 0", "{x} ** 2", "{f} ** 1",
    "{x}.clamp({n}, 1)", "{x}.clamp(min={n})", "{x}.clamp(max={n})", "{f}.clamp_min({n})", "{f}.clamp({y}, None)",
    "torch.where({mask}, {x}, {y})", "torch.where({mask}, {x}, {n})", "torch.where({mask}, {n}, {x})",
    "{x}.masked_fill({mask}, {n})", "{f}.nan_to_num({n})", "{f}.round(decimals=1)", "{f}.logit(0.1)",
    "{f}.pow({n})", "{x}.where({mask}, {y})", "{f}.hypot({y})", "torch.relu({f})",
]  # fmt: skip

BINARY = [
    *calls("{x} NAME {y}", "+ - * / ** % // < <= > >= == != & | ^ + - * / * +"),
    *calls("{f} NAME {y}", "+ - * / * + - / ** %"),
    *calls("{x} NAME {n}", "+ - * / ** % // < <= > >= == !="),
    *calls("{n} NAME {x}", "+ - * / ** % //"),
    *calls("torch.NAME({f}, {y})", "maximum minimum atan2 fmod remainder hypot logaddexp"),
    *calls("torch.NAME({f}, {y})", "mul div sub add pow fmax fmin"),
    *calls("torch.NAME({x}, {y})", "maximum logical_and logical_or logical_xor eq floor_divide bitwise_and max min"),
    "torch.add({x}, {y}, alpha={n})", "{x}.sub({y}, alpha={n})", "{f}.div({y}, rounding_mode='floor')",
    "{f}.div({y}, rounding_mode='trunc')", "torch.lerp({f}, {like}, 0.3)", "torch.lerp({f}, {like}, {like})",
    "torch.addcmul({f}, {like}, {like}, value={n})", "torch.addcdiv({f}, {like}, {like})", "{f}.xlogy({y})",
    "{f} @ {m}", "torch.rsub({x}, {y})", "{f}.copysign({y})", "{f}.isclose({y})", "{f}.equal({y})",
    "torch.heaviside({f}, {like})",
]  # fmt: skip

REDUCTION = [
    *methods("{f}", "sum mean prod var std max min amax amin norm all any argmax argmin median count_nonzero nansum"),
    *methods("{x}", "sum mean prod max min all any argmax"),
    *calls("{f}.NAME({dim})", "sum mean prod var std amax amin logsumexp cumsum softmax log_softmax argmax argmin all"),
    *calls("{f}.NAME({dim}, keepdim=True)", "sum mean prod var std amax amin logsumexp argmax any"),
    *calls("{f}.NAME(dim=({dim}, {dim}))", "sum mean var amax logsumexp"),
    *calls("{f}.NAME({dim})", "cumprod logcumsumexp cummax cummin max min median sort topk kthvalue var_mean"),
    *calls("{f}.NAME({dim}, keepdim={bool})", "max min median"),
    "{x}.sum({dim})", "{x}.sum(dtype=torch.float64)", "{f}.mean(({dim},), keepdim={bool})", "{f}.sum([])",
    "{f}.var(correction=0)", "{f}.var({dim}, unbiased=False)", "{f}.std({dim}, correction={count})",
    "{f}.norm(1)", "{f}.norm(float('inf'))", "{f}.norm(3, {dim})", "{f}.norm({n}, {dim}, keepdim={bool})",
    "{x}.cumsum({dim})", "{f}.softmax({dim}, dtype=torch.float64)", "{f}.sort({dim}, descending=True)",
    "{f}.argsort({dim})", "{f}.topk(2)", "{f}.diff()", "{f}.dist({like})", "torch.var_mean({f})",
    "torch.std_mean({f}, {dim})", "torch.linalg.vector_norm({f})", "torch.linalg.norm({f})",
    "torch.logsumexp({f}, {dim})", "torch.nn.functional.normalize({f}, dim={dim})", "{f}.renorm(2, 0, 1.0)",
    "{f}.trapz()", "{x}.unique()", "{f}.median({dim})", "{f}.mode({dim})", "{f}.nanmean()",
    "{f}.aminmax(dim={dim})",
]  # fmt: skip

VIEWS = [
    "{x}.view(-1)", "{x}.view({shape})", "{x}.t()", "{x}.T", "{x}.mT", "{x}.transpose({dim}, {dim})",
    "{x}.permute({dims})", "{x}.unsqueeze({dim})", "{x}.squeeze()", "{x}.squeeze({dim})", "{x}.expand({wide})",
    "{x}[{index}]", "{x}[{index}]", "{x}[{index}]", "{x}.select({dim}, {at})", "{x}.narrow({dim}, 0, 1)", "{x}[:]",
    "{x}.diagonal()", "{x}.unfold({dim}, 2, 1)", "{x}.movedim({dim}, {dim})", "{x}.swapaxes({dim}, {dim})",
    "{x}.view_as({x})", "{x}.detach()", "{x}.data", "{x}.unflatten({dim}, (1, -1))", "{x}[...]", "{x}.expand_as({x})",
    "{x}.flatten()", "{x}.reshape({shape})", "{x}.ravel()", "{x}.contiguous()", "{x}.alias()", "{x}[None]",
    "{x}.real", "{x}.swapdims({dim}, {dim})", "{x}.unbind({dim})[0]", "{x}.split(1, {dim})[0]",
    "{x}.chunk(2, {dim})[0]", "{x}.tensor_split(2, {dim})[0]",
]  # fmt: skip
"""Mostly views; what can be written behind a tensor that is then written to."""

SHAPES = [
    *VIEWS, "{x}.flip({dim})", "{x}.roll(1, {dim})", "{x}.repeat({wide})", "{x}.tile((2,))", "{x}.tril()",
    "{x}.triu(1)",
    "{x}.diag()", "torch.cat([{x}, {like}], {dim})", "torch.stack([{x}, {like}], {dim})", "torch.cat([{x}, {x}])",
    "torch.stack([{x}, {x}, {like}])", "torch.hstack([{x}, {x}])", "torch.vstack([{x}, {like}])",
    "torch.broadcast_to({x}, {size})", "{x}.repeat_interleave(2, {dim})", "torch.diag_embed({x})",
    "torch.meshgrid({x}, {x}, indexing='ij')[0]", "torch.atleast_2d({x})", "torch.column_stack([{x}, {x}])",
    "{x}.rot90()", "torch.block_diag({x}, {x})", "{x}.clone()", "{x}.flip(({dim},))", "{x}.unbind({dim})[-1]",
    "{x}.trace()", "torch.broadcast_tensors({x}, {y})[0]", "torch.dstack([{x}, {x}])", "torch.cartesian_prod({x}, {x})",
]  # fmt: skip

GATHERING = [
    "{x}[{lists}]", "{x}[{mask}]", "{x}[{lists}]", "{x}.gather({dim}, {positions})", "{x}.index_select({dim}, {at1})",
    "{x}.masked_select({mask})", "{x}.take({at1})", "{x}.scatter({dim}, {positions}, {n})",
    "{f}.scatter_add({dim}, {positions}, {like})", "{f}.scatter({dim}, {positions}, {like})",
    "{x}.index_fill({dim}, {at1}, {n})", "{f}.index_add({dim}, {at1}, {like})", "{x}.nonzero()",
    "torch.take_along_dim({x}, {positions}, {dim})", "{x}.masked_scatter({mask}, {like})",
    "{f}.index_put(({at1},), {y})", "{f}.index_copy({dim}, {at1}, {like})", "torch.where({mask})",
    "{f}.scatter_reduce({dim}, {positions}, {like}, 'amax')", "{x}.bincount()",
]  # fmt: skip

PRODUCTS = [
    "{f} @ {m}", "{f} @ {m}", "torch.matmul({f}, {m})", "{f}.mm({m})", "{f}.mv({m})", "{f}.dot({m})", "{f}.bmm({m})",
    "torch.outer({f}, {f})", "torch.addmm({f}, {f}, {m})", "{f} @ {f}.mT", "{f}.T @ {f}",
    "torch.einsum('i,i->', {f}, {like})",
    "torch.einsum('ij,jk->ik', {f}, {m})", "torch.einsum('ij->ji', {f})", "torch.einsum('ij,ij->i', {f}, {like})",
    "torch.baddbmm({f}, {f}, {m})", "torch.tensordot({f}, {m}, 1)", "torch.inner({f}, {like})",
    "torch.addmv({f}, {f}, {m})",
    "torch.cdist({f}, {f})", "torch.kron({f}, {f})", "torch.linalg.det({f})", "torch.linalg.inv({f})", "{f}.det()",
    "torch.linalg.solve({f}, {f})", "torch.addr({f}, {f}, {f})", "torch.vdot({f}, {like})",
    "torch.chain_matmul({f}, {m})",
]  # fmt: skip

FUNCTIONAL = [
    *calls(
        "torch.nn.functional.NAME({f})",
        "relu relu6 leaky_relu elu selu celu gelu silu mish softplus hardtanh hardsigmoid hardswish softsign "
        "tanhshrink softshrink hardshrink logsigmoid",
    ),
    *calls("torch.nn.functional.NAME({f}, {like})", "mse_loss l1_loss smooth_l1_loss huber_loss kl_div"),
    *calls("torch.nn.functional.NAME({f}, {like}, reduction='sum')", "mse_loss l1_loss smooth_l1_loss"),
    *calls("torch.nn.functional.NAME({f}, {like}, reduction='none')", "mse_loss l1_loss huber_loss"),
    *calls("torch.nn.functional.NAME({f}, dim={dim})", "softmax log_softmax softmin glu"),
    "torch.nn.functional.binary_cross_entropy({f}.sigmoid(), {like}.sigmoid())",
    "torch.nn.functional.binary_cross_entropy_with_logits({f}, {like})",
    "torch.nn.functional.cross_entropy({f}, {classes})", "torch.nn.functional.nll_loss({f}, {classes})",
    "torch.nn.functional.cross_entropy({f}, {classes}, reduction='none')",
    "torch.nn.functional.cross_entropy({f}, {classes}, label_smoothing=0.1)",
    "torch.nn.functional.linear({f}, {f})", "torch.nn.functional.linear({f}, {f}, {f})",
    "torch.nn.functional.layer_norm({f}, {f}.shape[-1:])", "torch.nn.functional.pad({f}, (1, 1))",
    "torch.nn.functional.gelu({f}, approximate='tanh')", "torch.nn.functional.relu({f} * 1, inplace=True)",
    "torch.nn.functional.cosine_similarity({f}, {like}, {dim})", "torch.nn.functional.one_hot({classes})",
    "torch.nn.functional.batch_norm({f}, None, None, training=True)",
    "torch.nn.functional.rms_norm({f}, {f}.shape[-1:])",
    "torch.nn.functional.conv1d({f}, {f})", "torch.nn.functional.conv2d({f}[None, None], {f}[None, None])",
    "torch.nn.functional.max_pool1d({f}, 2)", "torch.nn.functional.avg_pool1d({f}, 2)",
    "torch.nn.functional.max_pool2d({f}, 2)", "torch.nn.functional.avg_pool2d({f}, 2, 1)",
    "torch.nn.functional.embedding({at1}, {f})", "torch.nn.functional.leaky_relu({f}, {n})",
    "torch.nn.functional.prelu({f}, {f})", "torch.nn.functional.threshold({f}, {n}, 0.5)",
    "torch.nn.functional.scaled_dot_product_attention({f}, {f}, {f})",
]  # fmt: skip

DTYPES = [
    *methods("{x}", "float double half long int bool"),
    "{x}.to({dtype})", "{x}.to({x})", "{x}.type_as({x})", "{x}.to(torch.float32, copy=True)",
]  # fmt: skip

CUSTOM = [
    "Triple.apply({f})", "Same.apply({f}, {n})", "Doubled_.apply({f} * 1)", "Doubled_.apply({f})",
    "Both.apply({f}, {like})[0]",
    "Both.apply({f}, {like})[1]", "Flat.apply({f})[0]", "Triple.apply({view})", "Same.apply({view}, 2)",
]  # fmt: skip

PAIRS = [
    "{f}.max({dim})", "{f}.min({dim}, keepdim=True)", "{f}.sort({dim})", "{f}.split(1, {dim})[:2]", "{f}.unbind()[:2]",
    "{f}.chunk(2)", "Both.apply({f}, {like})", "Flat.apply({f})", "torch.var_mean({f})", "{f}.topk(1)",
    "{f}.cummax({dim})",
    "torch.autograd.grad({root}, [{needy}, {needy}], allow_unused=True)",
    "torch.autograd.grad({root}, [{needy}, {needy}], create_graph=True, allow_unused=True)",
    "torch.autograd.grad([{root}, {root}], [{needy}, {needy}], retain_graph=True, materialize_grads=True)",
]  # fmt: skip

WRITES = [
    *calls("{w}.NAME({y})", "add_ sub_ mul_ div_ copy_ mul_ add_"),
    *calls("{w}.NAME({y})", "pow_ atan2_ fmod_ remainder_ maximum_ eq_ gt_ logical_and_"),
    *calls("{w}.NAME({n})", "add_ sub_ mul_ div_ fill_ pow_ clamp_min_"),
    *calls("{w}.NAME({n})", "clamp_ clamp_max_ mul_ add_ fmod_ remainder_ lt_"),
    *methods("{w}", "zero_ neg_ exp_ sin_ cos_ tanh_ sigmoid_ relu_ abs_ sqrt_ square_ reciprocal_ floor_ log_ round_"),
    *methods("{w}", "t_ squeeze_ asin_ atan_ erf_ expm1_ trunc_ frac_ tan_ sinh_ cosh_ sgn_ sign_ logical_not_ tril_"),
    *calls("{w} NAME {y}", "+= -= *= /= **= += *= //= %="),
    *calls("{w} NAME {n}", "+= -= *= /= **="),
    *calls("{w}[{index}] NAME {n}", "= += *= -= /= ="),
    *calls("{w}[{index}] NAME {y}", "= += *="),
    *calls("{view}.NAME({n})", "add_ mul_ fill_ sub_"),
    *methods("{view}", "zero_ exp_ sin_ relu_ tanh_"),
    "{view}.copy_({y})", "{view}.add_({y})", "{view}.mul_({y})", "{w}[{lists}] = {n}", "{w}[{lists}] += {n}",
    "{w}[{mask}] = {n}", "{w}[{mask}] *= {n}", "{w}[{lists}] = {y}", "{w}.masked_fill_({mask}, {n})",
    "{w}.add_({y}, alpha={n})", "{w}.addcmul_({like}, {like}, value={n})", "{w}.lerp_({like}, 0.5)",
    "{w}.index_add_({dim}, {at1}, {like})", "{w}.scatter_({dim}, {positions}, {n})",
    "{w}.index_fill_({dim}, {at1}, {n})",
    "{w}.scatter_add_({dim}, {positions}, {like})", "{w}.transpose_({dim}, {dim})", "{w}.unsqueeze_({dim})",
    "{w}.clamp_({n}, 2)", "{w}.cumsum_({dim})", "{w}.addcdiv_({like}, {like})", "{w}.index_put_(({at1},), {y})",
    "{w}.masked_scatter_({mask}, {like})",
    "torch.nn.functional.relu({w}, inplace=True)", "torch.sin_({w})", "{w}.diagonal().fill_({n})",
    "torch.nn.init.constant_({w}, {n})", "{w}.data.add_({n})", "{w}.data = {y}", "{w}.data = {like}",
    "{w}.data[{index}] = {n}",
    "{w}.detach().mul_({n})", "{w}.grad.zero_()", "{w}.grad.mul_({n})", "{w}.set_({like})",
]  # fmt: skip

STATE = [
    "{x}.detach_()", "{f}.requires_grad_()", "{f}.requires_grad_(False)", "{f}.requires_grad = True",
    "{x}.requires_grad = False",
    "{made}.retain_grad()", "{made}.retain_grad()", "{x}.retain_grad()", "{w}.grad = None", "{leaf}.grad = {like}",
    "{leaf}.grad = {x}", "{f}.requires_grad_({bool})", "del {x}", "{made}.grad_fn.metadata['note'] = {n}",
]  # fmt: skip

HOOKS = [
    "{hooked}.register_hook(note('{name}'))", "{hooked}.register_hook(note('{name}', lambda g: g * {n}))",
    "{hooked}.register_hook(note('{name}', lambda g: g.mul_({n})))",
    "{made}.grad_fn.register_hook(note_node('{name}'))",
    "{made}.grad_fn.register_hook(note_node('{name}', lambda g: g + {n}))",
    "{made}.grad_fn.register_prehook(note_node('{name}'))",
    "{made}.grad_fn.register_prehook(note_node('{name}', lambda g: g * {n}))", "note_order({made})",
    "note_order({made})",
    "{leaf}.register_post_accumulate_grad_hook(note('{name}'))", "{hooked}.register_hook(note('{name}'))",
    "{hooked}.register_hook(note('{name}', lambda g: g.detach() * {n}))",
    "{leaf}.register_post_accumulate_grad_hook(note('{name}', lambda p: p.grad.zero_() and None))",
    "{made}.register_hook(note('{name}')).remove()", "{made}.register_hook(note('{name}', lambda g: g.sum()))",
]  # fmt: skip

BACKWARD = [
    "{root}.backward()", "{root}.backward()", "{root}.backward(retain_graph=True)",
    "{root}.backward(retain_graph=True)",
    "{root}.backward(create_graph=True)", "{made}.backward(torch.ones_like({made}))",
    "{made}.backward({like}.detach().clone())",
    "{made}.backward()", "{needy}.backward({like}.detach().clone(), retain_graph=True)",
    "{root}.backward(inputs=[{needy}])",
    "{root}.backward(inputs=[{needy}, {needy}], retain_graph=True)", "{x}.sum().backward()",
    "{x}.backward({y}.detach().clone())",
    "torch.autograd.backward([{root}, {root}])",
    "torch.autograd.backward([{made}, {root}], [{like}.detach().clone(), None], retain_graph=True)",
    "({root} * {root}).backward()", "{needy}.grad.sum().backward()",
]  # fmt: skip

GRADS = [
    "torch.autograd.grad({root}, {needy})[0]", "torch.autograd.grad({root}, {needy}, create_graph=True)[0]",
    "torch.autograd.grad({root}, {needy}, create_graph=True, allow_unused=True)[0]",
    "torch.autograd.grad({root}, {needy}, retain_graph=True, allow_unused=True)[0]",
    "torch.autograd.grad({made}, {needy}, torch.ones_like({made}), create_graph=True)[0]",
    "torch.autograd.grad({made}, {needy}, {like}.detach().clone(), retain_graph=True, materialize_grads=True)[0]",
    "torch.autograd.grad({root}, {x})[0]",
    "torch.autograd.grad({made}, {needy}, grad_outputs={like}.detach().clone())[0]",
    "{leaf}.grad",
    "{leaf}.grad.clone()", "{leaf}.grad * {n}",
]  # fmt: skip

OBJECTS = [
    "linear({last}, 2)", "linear({last}, 1)", "torch.nn.Sequential(linear({last}, 2), torch.nn.ReLU(), linear(2, 1))",
    "torch.nn.Sequential(linear({last}, 2), torch.nn.Tanh())", "torch.optim.SGD([{leaf}], lr=0.1)",
    "torch.optim.SGD([{leaf}], lr=0.1, momentum=0.9)", "torch.optim.Adam([{leaf}], lr=0.1)",
    "torch.optim.SGD([{leaf}], lr=0.5, momentum=0.5, nesterov=True, weight_decay=0.1)",
    "torch.optim.AdamW([{leaf}])", "torch.optim.RMSprop([{leaf}], lr=0.1)", "torch.optim.Adagrad([{leaf}], lr=0.1)",
    "torch.optim.SGD({model}.parameters(), lr=0.1)", "torch.optim.Adam({model}.parameters(), lr=0.1)",
]  # fmt: skip
"""Kinds of things that are no tensors."""

APPLIED = [
    "{model}({f})", "{model}({f})", "torch.nn.functional.mse_loss({model}({f}), torch.tensor(0.5))",
    "{model}({f}).relu()",
    "torch.nn.utils.clip_grad_norm_([{leaf}], 1.0)", "torch.nn.utils.parameters_to_vector([{leaf}, {leaf}])",
]  # fmt: skip

USED = [
    "{optimizer}.step()", "{optimizer}.step()", "{optimizer}.step()", "{optimizer}.zero_grad()",
    "{model}({f}).sum().backward()",
    "{optimizer}.zero_grad(set_to_none=False)", "{model}.zero_grad()", "{model}.requires_grad_({bool})",
    "{model}.eval()",
    "{model}({f}).sum().backward(retain_graph=True)", "{model}.double()",
]  # fmt: skip

MODES = [
    "with torch.no_grad(): ",
    "with torch.no_grad(): ",
    "with torch.enable_grad(): ",
    "with torch.inference_mode(): ",
]
MODES += ["with torch.set_grad_enabled(False): ", "with torch.no_grad(), torch.enable_grad(): "]

HANDWRITTEN = [
    *POINTWISE, *BINARY, *REDUCTION, *SHAPES, *GATHERING, *PRODUCTS, *FUNCTIONAL, *DTYPES, *CUSTOM, *GRADS, *APPLIED,
    *PAIRS, *WRITES, *STATE,
]  # fmt: skip
HOLES = {"m": "torch", "x": "{f}", "y": "{like}", "k": "{like}", "u": "{f}", "w": "{f}", "sq": "{f}", "i": "{at1}"}
"""What stands for the tensors of the sheet of ops."""
NEVER = {
    "uniform_ normal normal_ bernoulli bernoulli_": "they draw their numbers from another generator",
    "adjoint mH addbmm addmm_ addr_ as_strided_ cholesky cross fill_diagonal_ logdet multi_dot nanmedian put put_ "
    "slogdet vecdot lu_factor lu_solve lu_unpack cholesky_inverse renorm renorm_ index_reduce index_reduce_ vander "
    "chain_matmul": "operands of wrong shapes and dtypes, or without elements, they do not yet meet as PyTorch does",
    "digamma polygamma erfinv mvlgamma": "far from 1 their last digits are others",
}
"""Ops of the sheet that random programs do without, and why."""


def names_in(line: str) -> set[str]:
    """What a line calls, and what it asks things for."""
    line = re.sub(r"'[^']*'", "", re.sub(r"\{\w+\}", "x", line))
    return set(re.findall(r"(?<=\.)[a-zA-Z]\w*|\b[a-zA-Z]\w*(?=\()", line))


def from_sheet(expressions: list[str]) -> list[str]:
    """Lines for the ops of which none above has the name: those of the sheet, with holes for its tensors."""
    written = set().union(*map(names_in, HANDWRITTEN), *map(str.split, NEVER))
    new = [expression for expression in expressions if names_in(expression) - written]
    names = re.compile(rf"(?<![.\w])({'|'.join(HOLES)})\b(?!=)")
    return [names.sub(lambda found: HOLES[found[1]], expression) for expression in new]


SHEET = from_sheet(EXPRESSIONS)

MADE = {
    "creation": (CREATION, 8), "pointwise": (POINTWISE, 14), "binary": (BINARY, 20), "reduction": (REDUCTION, 12),
    "shapes": (SHAPES, 14), "gathering": (GATHERING, 6), "products": (PRODUCTS, 6), "functional": (FUNCTIONAL, 5),
    "dtypes": (DTYPES, 4), "custom": (CUSTOM, 4), "grads": (GRADS, 7), "objects": (OBJECTS, 3), "applied": (APPLIED, 3),
    "sheet": (SHEET, 5),
}  # fmt: skip
"""Kinds of lines that give a variable, with how often they are chosen."""

CORE_NAMES = """
Adam Both Doubled_ Flat Linear ReLU SGD Same Sequential T Tanh Triple abs add add_ all amax amin any append apply
arange atan autograd backward bool cat chunk clamp_ clone constant_ contiguous copy_ cos cos_ cosh cumsum data detach
detach_ div_ double enable_grad exp exp_ expand expand_as expm1 fill_ flatten flip float float16 float32 float64 floor
full functional gather grad grad_fn half init int int32 int64 leaky_relu linear linspace list log_softmax logsumexp
long mT masked_fill masked_fill_ matmul max maximum mean metadata min minimum mm mse_loss mul mul_ narrow neg neg_
new_zeros nn no_grad note note_node note_order ones ones_like optim parameters permute prod ravel register_hook
register_post_accumulate_grad_hook register_prehook relu relu_ remove requires_grad requires_grad_ reshape retain_grad
select set_grad_enabled shape sigmoid sigmoid_ silu sin sin_ sinh size softmax split square square_ squeeze stack std
step sub sub_ sum swapaxes t tanh tanh_ tensor to transpose type_as unbind unsqueeze var view view_as where zero_
zero_grad zeros zeros_like
"""
CORE = frozenset(CORE_NAMES.split())
"""Names that the quick test keeps to: what every program is made of. The whole surface is for long runs."""

DONE = {"writes": (WRITES, 24), "state": (STATE, 7), "hooks": (HOOKS, 6), "backward": (BACKWARD, 18), "used": (USED, 4)}
"""Kinds of lines that change what is there."""
