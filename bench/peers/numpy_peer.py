"""NumPy: the loops that people write by hand."""

import numpy as np

import timing
from timing import measure


def gd():
    x, y = np.array(timing.GD_X, np.float32), np.array(timing.GD_Y, np.float32)
    rate = np.float32(timing.GD_RATE)
    theta = np.zeros(2, np.float32)
    scale = np.float32(2 / len(y))

    def run(n):
        nonlocal theta
        for _ in range(n):
            error = x @ theta - y
            gradient = scale * (x.T @ error)
            theta -= rate * gradient

    return measure(run, "us")


def chain():
    x = np.random.default_rng(1).standard_normal(timing.CHAIN_ELEMENTS, np.float32)
    a, t = np.empty_like(x), np.empty_like(x)

    def run(n):
        for _ in range(n):
            np.multiply(x, 1.5, out=a)
            np.add(a, 0.5, out=a)
            np.maximum(a, 0, out=t)
            np.add(t, 1, out=t)
            np.sqrt(t, out=t)
            np.multiply(t, x, out=t)
            np.subtract(t, a, out=t)
            np.abs(t, out=t)
            np.minimum(t, 10, out=t)
            np.multiply(t, t, out=t)
            t.mean()

    return measure(run, "ms")


def adam(rate=1e-3, beta1=0.9, beta2=0.999, epsilon=1e-7):
    rng = np.random.default_rng(1)
    size = timing.ADAM_SIZE
    tensors = range(timing.ADAM_TENSORS)
    p = [rng.standard_normal(size, np.float32) for _ in tensors]
    g = [rng.standard_normal(size, np.float32) for _ in tensors]
    m, v = [np.zeros_like(t) for t in p], [np.zeros_like(t) for t in p]
    t1, t2 = np.empty_like(p[0]), np.empty_like(p[0])
    step = 0

    def run(n):
        nonlocal step
        for _ in range(n):
            step += 1
            alpha = rate * np.sqrt(1 - beta2**step) / (1 - beta1**step)
            for i in tensors:  # m += (g - m)(1 - β₁); v += (g² - v)(1 - β₂); p -= α m / (√v + ε)
                np.subtract(g[i], m[i], out=t1)
                np.multiply(t1, 1 - beta1, out=t1)
                np.add(m[i], t1, out=m[i])
                np.multiply(g[i], g[i], out=t1)
                np.subtract(t1, v[i], out=t1)
                np.multiply(t1, 1 - beta2, out=t1)
                np.add(v[i], t1, out=v[i])
                np.sqrt(v[i], out=t1)
                np.add(t1, epsilon, out=t1)
                np.multiply(m[i], float(alpha), out=t2)
                np.divide(t2, t1, out=t2)
                np.subtract(p[i], t2, out=p[i])

    return measure(run, "ms")


if __name__ == "__main__":
    timing.main(np.__version__, {"gd": gd, "gd_function": gd, "chain": chain, "adam": adam})
