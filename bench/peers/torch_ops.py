"""The rows of `brio bench ops` in PyTorch, eager. Pictures are channels first, as it wants them."""

import sys

import torch
import torch.nn.functional as F
from torch import nn

import timing
from rows import LARGE, SMALL, Rows, label


def n(*shape):
    return torch.randn(shape)


def positive(*shape):
    return torch.rand(shape) * 2.5 + 0.5


def integers(shape, limit):
    return torch.randint(limit, shape)


def spd(size, *batch):
    a = n(*batch, size, size)
    return a @ a.mT + size * torch.eye(size)


ROWS = Rows(n)
over, given, row = ROWS.over, ROWS.given, ROWS.__setitem__


def large():
    return n(*LARGE)


def truths():
    return n(*LARGE) > 0


# elementwise
over("add", torch.add, [SMALL, SMALL], [LARGE, LARGE], [LARGE, (1024,)])
over("mul", torch.mul, [SMALL, SMALL], [LARGE, (1024, 1)])
over("atan2", torch.atan2, [LARGE, LARGE])
over("squared_difference", lambda x, y: (x - y) ** 2, [LARGE, LARGE])
over("exp", torch.exp, [SMALL], [LARGE])
over("tanh", torch.tanh, [SMALL], [LARGE])
over("sin", torch.sin)
over("erf", torch.erf)
over("power", lambda x: torch.pow(x, 3.0))
over("sqrt", lambda x: torch.sqrt(torch.abs(x)))
over("round", torch.round)
over("is_nan", torch.isnan)
over("clip", lambda x: torch.clamp(x, -1, 1))
given("log 1024x1024", torch.log, lambda: positive(*LARGE))
given("lgamma 1024x1024", torch.lgamma, lambda: positive(*LARGE))
given("digamma 1024x1024", torch.digamma, lambda: positive(*LARGE))
given("pow 1024x1024", torch.pow, lambda: positive(*LARGE), large)
given("less 1024x1024", torch.lt, large, large)
given("where 1024x1024", torch.where, truths, large, large)
given(
    "floordiv i32 1024x1024",
    torch.floor_divide,
    lambda: integers(LARGE, 1000).int(),
    lambda: integers(LARGE, 100).int() + 1,
)
given(
    "bitwise_and i32 1024x1024",
    torch.bitwise_and,
    lambda: integers(LARGE, 1000).int(),
    lambda: integers(LARGE, 1000).int(),
)
given("logical_and 1024x1024", torch.logical_and, truths, truths)
over("cast i32", lambda x: x.to(torch.int32))
over("cast bf16", lambda x: x.to(torch.bfloat16))
over("cast f16", lambda x: x.to(torch.float16))
# activations
over("relu", torch.relu, [SMALL], [LARGE])
over("sigmoid", torch.sigmoid, [SMALL], [LARGE])
over("gelu", F.gelu)
over("silu", F.silu)
over("elu", F.elu)
over("softplus", F.softplus)
over("softmax", lambda x: torch.softmax(x, -1), [SMALL], [LARGE])
over("log_softmax", lambda x: torch.log_softmax(x, -1))
# reductions
over("sum", torch.sum, [SMALL], [LARGE])
over("sum axis 0", lambda x: torch.sum(x, 0), [SMALL], [LARGE])
over("sum axis 1", lambda x: torch.sum(x, 1), [SMALL], [LARGE])
over("mean axis 1", lambda x: torch.mean(x, 1))
over("max axis 0", lambda x: torch.amax(x, 0))
over("max axis 1", lambda x: torch.amax(x, 1))
over("prod axis 1", lambda x: torch.prod(x, 1))
over("argmax axis 0", lambda x: torch.argmax(x, 0))
over("argmax axis 1", lambda x: torch.argmax(x, 1), [SMALL], [LARGE])
over("logsumexp axis 1", lambda x: torch.logsumexp(x, 1))
over("variance axis 1", lambda x: torch.var(x, 1, correction=0))
over("norm", torch.linalg.vector_norm)
given("any axis 1 1024x1024", lambda x: torch.any(x, 1), lambda: n(*LARGE) > 9)
given("sum i32 1024x1024", torch.sum, lambda: integers(LARGE, 1000).int())
over("cumsum axis 0", lambda x: torch.cumsum(x, 0))
over("cumsum axis 1", lambda x: torch.cumsum(x, 1), [SMALL], [LARGE])
over("cumprod axis 1", lambda x: torch.cumprod(x, 1))
over("cumulative_logsumexp axis 1", lambda x: torch.logcumsumexp(x, 1))
given("bincount 1000000", lambda x: torch.bincount(x, minlength=1000), lambda: integers((1000000,), 1000))
given("histogram 1000000", lambda x: torch.histc(x, 100, -4, 4), lambda: n(1000000))
given(
    "unsorted_segment_sum 100000x16",
    lambda x, i: torch.zeros(1000, 16).index_add_(0, i, x),
    lambda: n(100000, 16),
    lambda: integers((100000,), 1000),
)
given(
    "unsorted_segment_max 100000x16",
    lambda x, i: torch.full((1000, 16), -torch.inf).index_reduce_(0, i, x, "amax"),
    lambda: n(100000, 16),
    lambda: integers((100000,), 1000),
)
# products
over(
    "matmul",
    torch.matmul,
    [(16, 16)] * 2,
    [(64, 64)] * 2,
    [(512, 512)] * 2,
    [(64, 64, 64)] * 2,
    [(8, 1024), (1024, 1024)],
)
over("matmul transposed", lambda a, b: a @ b.mT, [(256, 512)] * 2)
over("matvec", torch.mv, [LARGE, (1024,)])
over("einsum bqhd,bkhd->bhqk", lambda a, b: torch.einsum("bqhd,bkhd->bhqk", a, b), [(8, 128, 8, 64)] * 2)
over("einsum bi,bj->ij", lambda a, b: torch.einsum("bi,bj->ij", a, b), [(256, 128)] * 2)
over("tensordot", lambda a, b: torch.tensordot(a, b, 2), [(64, 32, 64), (32, 64, 64)])
over("cross", lambda a, b: torch.linalg.cross(a, b), [(100000, 3)] * 2)
given("matmul bf16 512x512", torch.matmul, lambda: n(512, 512).bfloat16(), lambda: n(512, 512).bfloat16())
given("attention 8x128x8x64", F.scaled_dot_product_attention, *[lambda: n(8, 8, 128, 64)] * 3)


# convolutions
def convolve(name, f, x, filter, **options):
    """x and filter as Brio has them: channels last, output channels last."""
    spatial = len(x) - 2
    images = lambda: n(x[0], x[-1], *x[1:-1])
    filters = lambda: n(filter[-1], filter[-2], *filter[:spatial])
    given(f"{name} {label(x, filter)}", lambda a, w: f(a, w, **options), images, filters)


convolve("conv2d", F.conv2d, (1, 8, 8, 4), (3, 3, 4, 8), padding=1)
convolve("conv2d", F.conv2d, (32, 28, 28, 32), (3, 3, 32, 64), padding=1)
convolve("conv2d", F.conv2d, (8, 14, 14, 256), (1, 1, 256, 256))
convolve("conv2d stride 2", F.conv2d, (8, 112, 112, 3), (7, 7, 3, 64), stride=2, padding=3)
convolve("conv2d dilated", F.conv2d, (8, 28, 28, 32), (3, 3, 32, 32), padding=2, dilation=2)
convolve("conv2d groups", F.conv2d, (8, 28, 28, 64), (3, 3, 16, 64), padding=1, groups=4)
convolve("conv1d", F.conv1d, (32, 128, 64), (5, 64, 64), padding=2)
convolve("conv3d", F.conv3d, (2, 16, 16, 16, 16), (3, 3, 3, 16, 32), padding=1)
given(
    "depthwise_conv2d 8x56x56x64 3x3x64x1",
    lambda x, w: F.conv2d(x, w, padding=1, groups=64),
    lambda: n(8, 64, 56, 56),
    lambda: n(64, 1, 3, 3),
)
given(
    "conv2d_transpose 8x14x14x64 3x3x32x64",
    lambda x, w: F.conv_transpose2d(x, w, stride=2, padding=1, output_padding=1),
    lambda: n(8, 64, 14, 14),
    lambda: n(64, 32, 3, 3),
)
given("max_pool2d 32x28x28x64", lambda x: F.max_pool2d(x, 2), lambda: n(32, 64, 28, 28))
given("avg_pool2d 32x28x28x64", lambda x: F.avg_pool2d(x, 2), lambda: n(32, 64, 28, 28))
given("max_pool2d 3x3 stride 2 8x57x57x64", lambda x: F.max_pool2d(x, 3, 2), lambda: n(8, 64, 57, 57))
given("global_avg_pool 32x14x14x256", lambda x: x.mean((2, 3)), lambda: n(32, 256, 14, 14))
# shapes: what is a view there is copied, as Brio and TensorFlow do
over("transpose", lambda x: x.mT.contiguous(), [SMALL], [LARGE])
over("transpose 0 3 1 2", lambda x: x.permute(0, 3, 1, 2).contiguous(), [(32, 28, 28, 64)])
over("reverse axis 1", lambda x: torch.flip(x, (1,)))
over("roll", lambda x: torch.roll(x, 100, 1))
over("pad", lambda x: F.pad(x, (0, 0, 1, 1, 1, 1)), [(32, 28, 28, 64)])
given("pad reflect 32x28x28x64", lambda x: F.pad(x, (1, 1, 1, 1), "reflect"), lambda: n(32, 64, 28, 28))
over("tile 4 4", lambda x: x.repeat(4, 4), [(256, 256)])
over("repeat 4", lambda x: torch.repeat_interleave(x, 4, 1), [(512, 512)])
over("slice", lambda x: x[100:900, 100:900].contiguous())
over("strided slice", lambda x: x[::2, ::2].contiguous())
over("split 4", lambda x: [p.contiguous() for p in torch.split(x, 256, 1)])
over("broadcast_to", lambda x: x.expand(1024, 1024).contiguous(), [(1, 1024)])
given("space_to_depth 32x28x28x64", lambda x: F.pixel_unshuffle(x, 2), lambda: n(32, 64, 28, 28))
over("concat axis 1", lambda x, y: torch.cat((x, y), 1), [SMALL, SMALL], [LARGE, LARGE])
over("stack", lambda x, y: torch.stack((x, y)), [LARGE, LARGE])
# indexing
given(
    "gather 10000x128 4096",
    lambda x, i: torch.index_select(x, 0, i),
    lambda: n(10000, 128),
    lambda: integers((4096,), 10000),
)
given("gather 32x32 8", lambda x, i: torch.index_select(x, 0, i), lambda: n(32, 32), lambda: integers((8,), 32))
given("gather axis 1 1024x1024 256", lambda x, i: torch.index_select(x, 1, i), large, lambda: integers((256,), 1024))
given("gather_nd 1024x1024 65536", lambda x, i: x[i[:, 0], i[:, 1]], large, lambda: integers((65536, 2), 1024))
given("take_along_axis 1024x1024", lambda x, i: torch.take_along_dim(x, i, 1), large, lambda: integers(LARGE, 1024))
given(
    "scatter_add 10000x128 4096",
    lambda x, i, u: torch.index_add(x, 0, i, u),
    lambda: n(10000, 128),
    lambda: integers((4096,), 10000),
    lambda: n(4096, 128),
)
given(
    "scatter_update 10000x128 4096",
    lambda x, i, u: torch.index_copy(x, 0, i, u),
    lambda: n(10000, 128),
    lambda: integers((4096,), 10000),
    lambda: n(4096, 128),
)
given("one_hot 4096 1000", lambda i: F.one_hot(i, 1000).float(), lambda: integers((4096,), 1000))
given("sequence_mask 1024 1024", lambda lengths: torch.arange(1024) < lengths[:, None], lambda: integers((1024,), 1024))
given("boolean_mask 1000000", lambda x, m: x[m], lambda: n(1000000), lambda: n(1000000) > 0)
given("nonzero 1000000", torch.nonzero, lambda: n(1000000) > 0)
given("unique 100000", lambda x: torch.unique(x, return_inverse=True), lambda: integers((100000,), 1000).int())
over("band_part", torch.tril)
over("diag_part", lambda x: torch.diagonal(x).contiguous())
row("linspace 1000000", lambda: lambda: torch.linspace(0, 1, 1000000))
row("range 1000000", lambda: lambda: torch.arange(1000000, dtype=torch.int32))
row("eye 1024", lambda: lambda: torch.eye(1024))
# sorting
over("sort", lambda x: torch.sort(x)[0], [SMALL], [LARGE], [(1000000,)])
over("argsort", lambda x: torch.argsort(x))
over("top_k 10", lambda x: torch.topk(x, 10))
given("searchsorted 100000 in 10000", torch.searchsorted, lambda: torch.sort(n(10000))[0], lambda: n(100000))
# linear algebra
given("cholesky 256x256", torch.linalg.cholesky, lambda: spd(256))
given("cholesky 512x8x8", torch.linalg.cholesky, lambda: spd(8, 512))
given("solve 256x256", torch.linalg.solve, lambda: spd(256), lambda: n(256, 16))
given(
    "triangular_solve 256x256",
    lambda a, b: torch.linalg.solve_triangular(a, b, upper=False),
    lambda: torch.linalg.cholesky(spd(256)),
    lambda: n(256, 16),
)
given("inv 256x256", torch.linalg.inv, lambda: spd(256))
given("inv 512x4x4", torch.linalg.inv, lambda: spd(4, 512))
given("det 256x256", torch.linalg.det, lambda: spd(256) / 256)
given("slogdet 256x256", torch.linalg.slogdet, lambda: spd(256))
over("qr", torch.linalg.qr, [(256, 256)])
over("svd", lambda x: torch.linalg.svd(x, full_matrices=False), [(128, 128)])
given("eigh 128x128", torch.linalg.eigh, lambda: spd(128))
given("lstsq 512x32", torch.linalg.lstsq, lambda: n(512, 32), lambda: n(512, 4))
# random
row("uniform 32x32", lambda: lambda: torch.rand(SMALL))
row("uniform 1024x1024", lambda: lambda: torch.rand(LARGE))
row("normal 1024x1024", lambda: lambda: torch.randn(LARGE))
row("truncated_normal 1024x1024", lambda: lambda: nn.init.trunc_normal_(torch.empty(LARGE)))
row("integers 1024x1024", lambda: lambda: torch.randint(1000, LARGE, dtype=torch.int32))
given("bernoulli 1024x1024", torch.bernoulli, lambda: torch.full(LARGE, 0.3))
given("gamma 100000", lambda a: torch._standard_gamma(a), lambda: torch.full((100000,), 2.0))
given("poisson 100000", torch.poisson, lambda: torch.full((100000,), 4.0))
given(
    "categorical 1000x100 10",
    lambda logits: torch.multinomial(torch.softmax(logits, -1), 10, replacement=True),
    lambda: n(1000, 100),
)
given("shuffle 100000", lambda x: x[torch.randperm(100000)], lambda: n(100000))
given("dropout 1024x1024", lambda x: F.dropout(x, 0.5), large)


# layers
def layer(name, shape, make, first=lambda result: result, channels_first=False):
    torch_shape = (shape[0], shape[-1], *shape[1:-1]) if channels_first else shape

    def forward():
        x, module = n(*torch_shape), make()

        def call():
            with torch.no_grad():
                return first(module(x))

        return call

    def with_gradient():
        module = make()
        x = n(*torch_shape).requires_grad_()
        g = torch.randn_like(first(module(x)))
        sources = [x, *(p for p in module.parameters() if p.requires_grad)]
        return lambda: torch.autograd.grad(first(module(x)), sources, g)

    row(f"{name} {label(shape)}", forward)
    row(f"{name} with gradient {label(shape)}", with_gradient)


layer("layer_norm", (32, 128, 256), lambda: nn.LayerNorm(256))
layer("layer_norm", (8, 16), lambda: nn.LayerNorm(16))
layer("batch_norm", (32, 28, 28, 64), lambda: nn.BatchNorm2d(64), channels_first=True)
layer("group_norm", (8, 28, 28, 64), lambda: nn.GroupNorm(8, 64), channels_first=True)
layer("rms_norm", (32, 128, 256), lambda: nn.RMSNorm(256))
for name, kind in (("lstm", nn.LSTM), ("gru", nn.GRU), ("simple_rnn", nn.RNN)):
    layer(name, (32, 64, 128), lambda kind=kind: kind(128, 128, batch_first=True), first=lambda result: result[0])
given(
    "softmax_xent 1024x1000",
    lambda x, y: F.cross_entropy(x, y, reduction="none"),
    lambda: n(1024, 1000),
    lambda: integers((1024,), 1000),
)
given(
    "sigmoid_xent 1024x1024",
    lambda x, y: F.binary_cross_entropy_with_logits(x, y, reduction="none"),
    large,
    lambda: truths().float(),
)
over("mse", F.mse_loss, [SMALL, SMALL], [LARGE, LARGE])


# optimizers
def optimizer(name, make):
    def prepare():
        weights = [n(50000).requires_grad_() for _ in range(20)]
        for w in weights:
            w.grad = n(50000)
        return make(weights).step

    row(f"{name} 20x50000", prepare)


optimizer("sgd", lambda w: torch.optim.SGD(w, 0.01))
optimizer("sgd momentum", lambda w: torch.optim.SGD(w, 0.01, momentum=0.9))
optimizer("rmsprop", lambda w: torch.optim.RMSprop(w, 0.001))
optimizer("adam", lambda w: torch.optim.Adam(w, 0.001))
optimizer("adagrad", lambda w: torch.optim.Adagrad(w, 0.001))
optimizer("adadelta", lambda w: torch.optim.Adadelta(w, 0.001))
optimizer("adamax", lambda w: torch.optim.Adamax(w, 0.001))
optimizer("nadam", lambda w: torch.optim.NAdam(w, 0.001))


# images
def pictures(count=8):
    return lambda: n(count, 3, 224, 224)


given("resize bilinear 112x112 8x224x224x3", lambda x: F.interpolate(x, (112, 112), mode="bilinear"), pictures())
given("resize bilinear 448x448 2x224x224x3", lambda x: F.interpolate(x, (448, 448), mode="bilinear"), pictures(2))
given("resize nearest 112x112 8x224x224x3", lambda x: F.interpolate(x, (112, 112), mode="nearest-exact"), pictures())
given("resize bicubic 112x112 8x224x224x3", lambda x: F.interpolate(x, (112, 112), mode="bicubic"), pictures())
given("flip_left_right 8x224x224x3", lambda x: torch.flip(x, (3,)), pictures())


def adjust_contrast(x):
    mean = x.mean((2, 3), keepdim=True)
    return (x - mean) * 1.5 + mean


given("adjust_contrast 8x224x224x3", adjust_contrast, pictures())
WEIGHTS = torch.tensor([0.2989, 0.5870, 0.1140]).reshape(1, 3, 1, 1)
given("rgb_to_grayscale 8x224x224x3", lambda x: (x * WEIGHTS).sum(1, keepdim=True), pictures())


# complex numbers; there are no strings
def numbers(*shape):
    return lambda: torch.complex(n(*shape), n(*shape))


given("complex mul 1024x1024", torch.mul, numbers(*LARGE), numbers(*LARGE))
given("complex abs 1024x1024", torch.abs, numbers(*LARGE))
for length in (256, 1024, 1000):
    given(f"fft 64x{length}", torch.fft.fft, numbers(64, length))
over("rfft", torch.fft.rfft, [(64, 1024)])


# control
def while_loop(x):
    while torch.sum(x) < 3200:
        x = x + 1
    return x


given("while_loop 100 rounds", while_loop, lambda: torch.zeros(32))
given("cond", lambda p, x: x + 1 if p else x * 2, lambda: torch.tensor(True), lambda: n(32, 32))

if __name__ == "__main__":
    timing.measure_rows(torch.__version__, ROWS, sys.argv[1:])
