"""Training steps on a GPU in PyTorch and JAX: the networks of bench/kernels/steps_lab.cpp, one line for each.

python3 cuda_steps.py [NAME:BATCH:DTYPE…]     DTYPE: float32, float16, bfloat16
"""

import sys
import time

import torch
from torch import nn
from torch.nn import functional as F


class Gpt2(nn.Module):
    def __init__(self, vocabulary=50304, context=1024, width=768, depth=12, heads=12):
        super().__init__()
        self.tokens, self.places = nn.Embedding(vocabulary, width), nn.Embedding(context, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(depth))
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        h = self.tokens(x) + self.places.weight[: x.shape[1]]
        for block in self.blocks:
            h = block(h)
        return self.norm(h) @ self.tokens.weight.T


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
        return x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.out = nn.LSTM(64, 64, batch_first=True), nn.Linear(64, 10)

    def forward(self, x):
        return self.out(self.lstm(x)[0][:, -1])


def network(name, batch):
    if name == "mlp":
        return (
            nn.Sequential(nn.Linear(100, 64), nn.ReLU(), nn.Linear(64, 10)),
            torch.rand(batch, 100),
            torch.randint(10, (batch,)),
        )
    if name == "lstm":
        return Lstm(), torch.rand(batch, 48, 64), torch.randint(10, (batch,))
    if name == "gpt2":
        return Gpt2(), torch.randint(50257, (batch, 1024)), torch.randint(50257, (batch, 1024))
    pictures, labels = torch.rand(batch, 3, 224, 224), torch.randint(10, (batch,))
    if name == "cnn":
        return (
            nn.Sequential(nn.Conv2d(3, 32, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(32 * 111 * 111, 10)),
            pictures,
            labels,
        )
    if name == "separable":
        layers = [nn.Conv2d(3, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                  nn.Conv2d(32, 32, 3, padding=1, groups=32), nn.ReLU(), nn.Conv2d(32, 64, 1), nn.ReLU(),
                  nn.MaxPool2d(2), nn.Flatten(), nn.Linear(64 * 56 * 56, 10)]  # fmt: skip
        return nn.Sequential(*layers), pictures, labels
    import torchvision

    return getattr(torchvision.models, name)(), pictures, labels


def torch_steps(name, batch, dtype, compiled):
    start = time.perf_counter()
    torch.cuda.reset_peak_memory_stats()
    torch.manual_seed(0)
    model, x, y = network(name, batch)
    model, x, y = model.cuda(), x.cuda(), y.cuda()
    if x.dim() == 4:
        model, x = model.to(memory_format=torch.channels_last), x.to(memory_format=torch.channels_last)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4, fused=True)

    def forward(x, y):
        with torch.autocast("cuda", dtype=dtype, enabled=dtype != torch.float32):
            return F.cross_entropy(model(x).flatten(0, -2).float(), y.flatten())

    if compiled:
        forward = torch.compile(forward, mode="max-autotune" if compiled == "max-autotune" else None)

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = forward(x, y)
        loss.backward()
        optimizer.step()
        return loss

    step().item()
    first = time.perf_counter() - start
    for _ in range(5):
        step()
    torch.cuda.synchronize()
    each = []
    for _ in range(10):
        begin = time.perf_counter()
        for _ in range(20):
            step()
        torch.cuda.synchronize()
        each.append((time.perf_counter() - begin) / 20 * 1000)
    each.sort()
    print(
        (
            f"{name:14} batch {batch:<4} {str(dtype)[6:]:10} torch {compiled or 'eager':12} best {each[0]:9.4f} ms  "
            f"median {each[5]:9.4f} ms  first step {first:6.2f} s  peak {torch.cuda.max_memory_allocated() / 1e6:8.1f} "
            "MB"
        ),
        flush=True,
    )


def jax_mlp(batch):
    start = time.perf_counter()
    import jax
    import jax.numpy as jnp

    def init(key, n, m):
        return jax.random.normal(key, (n, m)) * (2 / n) ** 0.5, jnp.zeros(m)

    keys = jax.random.split(jax.random.PRNGKey(0), 4)
    weights = [init(keys[0], 100, 64), init(keys[1], 64, 10)]
    x, y = jax.random.uniform(keys[2], (batch, 100)), jax.random.randint(keys[3], (batch,), 0, 10)
    zeros = jax.tree_util.tree_map(jnp.zeros_like, weights)
    state = (weights, zeros, zeros, jnp.zeros(()))

    def loss_of(w):
        h = jax.nn.relu(x @ w[0][0] + w[0][1]) @ w[1][0] + w[1][1]
        return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(h), y[:, None], 1))

    @jax.jit
    def step(state):
        w, m, v, t = state
        loss, g = jax.value_and_grad(loss_of)(w)
        t = t + 1
        m = jax.tree_util.tree_map(lambda a, b: 0.9 * a + 0.1 * b, m, g)
        v = jax.tree_util.tree_map(lambda a, b: 0.999 * a + 0.001 * b * b, v, g)
        rate = 1e-4 * jnp.sqrt(1 - 0.999**t) / (1 - 0.9**t)
        w = jax.tree_util.tree_map(lambda a, b, c: a - rate * b / (jnp.sqrt(c) + 1e-7), w, m, v)
        return (w, m, v, t), loss

    state, loss = step(state)
    loss.block_until_ready()
    first = time.perf_counter() - start
    each = []
    for _ in range(10):
        begin = time.perf_counter()
        for _ in range(200):
            state, loss = step(state)
        loss.block_until_ready()
        each.append((time.perf_counter() - begin) / 200 * 1000)
    each.sort()
    print(
        (
            f"{'mlp':14} batch {batch:<4} {'float32':10} {'jax':18} best {each[0]:9.4f} ms  median {each[5]:9.4f} ms  "
            f"first step {first:6.2f} s"
        ),
        flush=True,
    )


if __name__ == "__main__":
    variants = ["compile"]
    for word in sys.argv[1:]:
        if word.startswith("--variants="):
            variants = word.split("=")[1].split(",")
            continue
        name, batch, dtype = word.split(":")
        for variant in variants:
            try:
                torch_steps(name, int(batch), getattr(torch, dtype), "" if variant == "eager" else variant)
            except Exception as error:  # noqa: BLE001  another network may still run
                print(f"{word} {variant}: {type(error).__name__}: {str(error)[:200]}", flush=True)
            torch.cuda.empty_cache()
            torch._dynamo.reset()
        if name == "mlp":
            jax_mlp(int(batch))
