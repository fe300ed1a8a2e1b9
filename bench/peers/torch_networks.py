"""The networks of bench/README.md in PyTorch, channels last, with their batches."""

import torch
from torch import nn
from torch.nn import functional as F

from timing import PICTURE_VARIANTS


def pictures(batch, side):
    return torch.rand(batch, 3, side, side).to(memory_format=torch.channels_last)


def pooled_side(side, window, stride, same):
    side = -(-side // stride) if same else (side - window) // stride + 1
    return side // 2


def cnn(channels, window, stride, side):
    last = pooled_side(side, window, stride, False)
    model = nn.Sequential(
        nn.Conv2d(3, channels, window, stride),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(channels * last * last, 10),
    )
    return model, F.cross_entropy, pictures(32, side), torch.randint(10, (32,))


def separable(channels, window, stride, side):
    last = pooled_side(side, window, stride, True) // 2
    around = window // 2
    model = nn.Sequential(
        nn.Conv2d(3, channels, window, stride, padding=around),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(channels, channels, window, padding=around, groups=channels),
        nn.ReLU(),
        nn.Conv2d(channels, 2 * channels, 1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(2 * channels * last * last, 10),
    )
    return model, F.cross_entropy, pictures(32, side), torch.randint(10, (32,))


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.out = nn.LSTM(1, 64, batch_first=True), nn.Linear(64, 1)

    def forward(self, x):
        return self.out(self.lstm(x)[0][:, -1])


def lstm():
    return Lstm(), F.mse_loss, torch.rand(32, 48, 1), torch.rand(32, 1)


class TextLstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(10000, 64)
        self.first = nn.LSTM(64, 64, batch_first=True, bidirectional=True)
        self.second = nn.LSTM(128, 32, batch_first=True, bidirectional=True)
        self.out = nn.Linear(64, 1)

    def forward(self, words):
        _, (last, _) = self.second(self.first(self.embedding(words))[0])
        return self.out(torch.cat((last[0], last[1]), 1))


def text_lstm():
    labels = (torch.rand(32, 1) > 0.5).float()
    return TextLstm(), F.binary_cross_entropy_with_logits, torch.randint(10000, (32, 80)), labels


def conv_norm(before, filters, size, stride=1, groups=1):
    return [nn.Conv2d(before, filters, size, stride, size // 2, groups=groups, bias=False), nn.BatchNorm2d(filters)]


class Residual(nn.Module):
    def __init__(self, before, filters, stride):
        super().__init__()
        self.body = nn.Sequential(*conv_norm(before, filters, 3, stride), nn.ReLU(), *conv_norm(filters, filters, 3))
        self.around = nn.Identity() if before == filters else nn.Sequential(*conv_norm(before, filters, 1, stride))

    def forward(self, x):
        return F.relu(self.body(x) + self.around(x))


def resnet18():
    stages, before = [*conv_norm(3, 64, 3), nn.ReLU()], 64
    for filters in (64, 128, 256, 512):
        for block in range(2):
            stages.append(Residual(before, filters, 2 if filters > 64 and block == 0 else 1))
            before = filters
    model = nn.Sequential(*stages, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 10))
    return model, F.cross_entropy, pictures(32, 64), torch.randint(10, (32,))


class Inverted(nn.Module):
    def __init__(self, before, filters, expansion, stride):
        super().__init__()
        wide = before * expansion
        widen = [*conv_norm(before, wide, 1), nn.ReLU6()] if expansion != 1 else []
        self.body = nn.Sequential(
            *widen, *conv_norm(wide, wide, 3, stride, wide), nn.ReLU6(), *conv_norm(wide, filters, 1)
        )
        self.adds = stride == 1 and before == filters

    def forward(self, x):
        return x + self.body(x) if self.adds else self.body(x)


def mobilenet():
    parts, before = [*conv_norm(3, 32, 3, 2), nn.ReLU6()], 32
    for expansion, filters, blocks, stride in (
        (1, 16, 1, 1),
        (6, 24, 2, 2),
        (6, 32, 3, 2),
        (6, 64, 4, 2),
        (6, 96, 3, 1),
        (6, 160, 3, 2),
        (6, 320, 1, 1),
    ):
        for block in range(blocks):
            parts.append(Inverted(before, filters, expansion, stride if block == 0 else 1))
            before = filters
    model = nn.Sequential(
        *parts, *conv_norm(320, 1280, 1), nn.ReLU6(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(1280, 1000)
    )
    return model, F.cross_entropy, pictures(32, 96), torch.randint(1000, (32,))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        b, t, w = x.shape
        q, k, v = (
            a.view(b, t, self.heads, w // self.heads).transpose(1, 2) for a in self.qkv(self.norm1(x)).chunk(3, -1)
        )
        x = x + self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, t, w))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Decoder(nn.Module):
    def __init__(self, vocabulary=65, context=256, width=256, depth=6, heads=4):
        super().__init__()
        self.tokens, self.places = nn.Embedding(vocabulary, width), nn.Embedding(context, width)
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(depth)))
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        h = self.blocks(self.tokens(x) + self.places.weight)
        return (self.norm(h) @ self.tokens.weight.T).flatten(0, 1)


def decoder():
    return Decoder(), F.cross_entropy, torch.randint(65, (8, 256)), torch.randint(65, (8 * 256,))


def two(before, filters):
    return nn.Sequential(
        nn.Conv2d(before, filters, 3, padding=1), nn.ReLU(), nn.Conv2d(filters, filters, 3, padding=1), nn.ReLU()
    )


class Unet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.ModuleList(two(a, b) for a, b in ((3, 16), (16, 32), (32, 64)))
        self.middle = two(64, 128)
        self.grow = nn.ModuleList(nn.ConvTranspose2d(a, a // 2, 2, 2) for a in (128, 64, 32))
        self.up = nn.ModuleList(two(a, a // 2) for a in (128, 64, 32))
        self.out = nn.Conv2d(16, 1, 1)

    def forward(self, x):
        kept = []
        for level in self.down:
            kept.append(level(x))
            x = F.max_pool2d(kept[-1], 2)
        x = self.middle(x)
        for grow, level in zip(self.grow, self.up):
            x = level(torch.cat((kept.pop(), grow(x)), 1))
        return self.out(x)


def unet():
    return Unet(), F.binary_cross_entropy_with_logits, pictures(8, 96), (torch.rand(8, 1, 96, 96) > 0.5).float()


NETWORKS = {
    **{f"cnn{name}": lambda v=v: cnn(*v) for name, v in PICTURE_VARIANTS.items()},
    **{f"separable{name}": lambda v=v: separable(*v) for name, v in PICTURE_VARIANTS.items()},
    **{make.__name__: make for make in (lstm, text_lstm, resnet18, mobilenet, decoder, unet)},
}
SHORT = ("cnn_bf16", "separable_bf16")
NAMES = (*NETWORKS, *SHORT)


def training_step(name, compiled):
    """One step of the network with Adam; "…_bf16": under autocast."""
    model, loss_function, x, y = NETWORKS[name.removesuffix("_bf16")]()
    if x.dim() == 4:
        model = model.to(memory_format=torch.channels_last)
    optimizer = torch.optim.Adam(model.parameters(), fused=True)

    def loss_of(x, y):
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=name in SHORT):
            out = model(x)
        return loss_function(out.float(), y)

    if compiled:  # the gradient of a compiled loss is compiled with it
        loss_of = torch.compile(loss_of)

    def step():
        optimizer.zero_grad()
        loss = loss_of(x, y)
        loss.backward()
        optimizer.step()
        return loss

    return step
