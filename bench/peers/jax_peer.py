"""JAX: one jitted step, called once an iteration. Large state that the step replaces is donated; for the small MLP that
costs more than it saves."""

import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")
import jax
import jax.numpy as jnp
import numpy as np

import timing
from timing import measure

tree = jax.tree_util.tree_map
rng = np.random.default_rng(1)  # drawing with jax.random would compile a kernel for each shape before the first step


def time_training(step, state, *batch, unit):
    def run(n):
        nonlocal state
        for _ in range(n):
            state = step(state, *batch)
        jax.block_until_ready(state)

    return measure(run, unit)


def gd():
    x, y = jnp.array(timing.GD_X, jnp.float32), jnp.array(timing.GD_Y, jnp.float32)

    @jax.jit
    def step(theta):
        gradient = jax.grad(lambda t: jnp.mean(jnp.square(x @ t - y)))(theta)
        return theta - timing.GD_RATE * gradient

    return time_training(step, jnp.zeros(2), unit="us")


def dense_layers(sizes):
    def layer(a, b):
        return rng.standard_normal((a, b), np.float32) * np.float32((2 / a) ** 0.5), np.zeros(b, np.float32)

    return jax.device_put([layer(a, b) for a, b in zip(sizes, sizes[1:])])


def forward(layers, x):
    for w, b in layers[:-1]:
        x = jax.nn.relu(x @ w + b)
    w, b = layers[-1]
    return x @ w + b


def adam_update(state, gradients, rate=1e-3, beta1=0.9, beta2=0.999, epsilon=1e-7):
    t, p, m, v = state
    t = t + 1
    alpha = rate * jnp.sqrt(1 - beta2**t) / (1 - beta1**t)
    m = tree(lambda m, g: m + (g - m) * (1 - beta1), m, gradients)
    v = tree(lambda v, g: v + (g * g - v) * (1 - beta2), v, gradients)
    p = tree(lambda p, m, v: p - alpha * m / (jnp.sqrt(v) + epsilon), p, m, v)
    return t, p, m, v


def adam_state(parameters):
    def zeros():
        return tree(lambda p: np.zeros(p.shape, p.dtype), parameters)

    return jax.device_put((np.float32(0), parameters, zeros(), zeros()))


def mlp_parts():
    x = jax.device_put(rng.random((timing.MLP_BATCH, timing.MLP_IN), np.float32))
    y = jax.device_put((rng.random((timing.MLP_BATCH, 1)) > 0.5).astype(np.float32))

    def loss(layers, x, y):
        z = forward(layers, x)
        return jnp.mean(jnp.maximum(z, 0) - z * y + jnp.log1p(jnp.exp(-jnp.abs(z))))

    def step(state, x, y):
        _, state = state
        value, gradients = jax.value_and_grad(loss)(state[1], x, y)
        return value, adam_update(state, gradients)

    layers = dense_layers((timing.MLP_IN, timing.MLP_HIDDEN, 1))
    return jax.jit(step), (np.float32(0), adam_state(layers)), x, y


def mlp():
    return time_training(*mlp_parts(), unit="us")


def start():
    step, *arguments = mlp_parts()
    loss, _ = jax.block_until_ready(step(*arguments))
    return {"loss": float(loss)}


def wide():
    kx, ky = jax.random.split(jax.random.key(2))
    x = jax.random.normal(kx, (timing.WIDE_BATCH, timing.WIDE_LAYERS[0]))
    y = jax.random.randint(ky, (timing.WIDE_BATCH,), 0, timing.WIDE_LAYERS[-1])

    def loss(layers, x, y):
        return mean_cross_entropy(forward(layers, x), y)

    def step(layers, x, y):
        return tree(lambda p, g: p - timing.WIDE_RATE * g, layers, jax.grad(loss)(layers, x, y))

    return time_training(jax.jit(step, donate_argnums=0), dense_layers(timing.WIDE_LAYERS), x, y, unit="ms")


def mean_cross_entropy(logits, labels):
    picked = jnp.take_along_axis(logits, labels[:, None], axis=-1)[:, 0]
    return jnp.mean(jax.nn.logsumexp(logits, axis=-1) - picked)


def network(name):
    """The Keras text on its JAX backend, the whole step jitted."""
    os.environ["KERAS_BACKEND"] = "jax"
    import keras

    import keras_networks

    model, loss_function, x, y = keras_networks.network(name)
    optimizer = keras.optimizers.Adam()
    optimizer.build(model.trainable_variables)

    def loss(weights, others, x, y):
        out, others = model.stateless_call(weights, others, x, training=True)
        return loss_function(y, out), others

    def step(state, x, y):
        weights, others, moments = state
        (_, others), gradients = jax.value_and_grad(loss, has_aux=True)(weights, others, x, y)
        weights, moments = optimizer.stateless_apply(moments, gradients, weights)
        return weights, others, moments

    state = tuple(
        [v.value for v in group]
        for group in (model.trainable_variables, model.non_trainable_variables, optimizer.variables)
    )
    return time_training(jax.jit(step, donate_argnums=0), state, jax.device_put(x), jax.device_put(y), unit="ms")


def chain():
    x = jax.random.normal(jax.random.key(1), (timing.CHAIN_ELEMENTS,))

    @jax.jit
    def step(x):
        a = x * 1.5 + 0.5
        b = jax.nn.relu(a)
        c = jnp.sqrt(b + 1)
        d = c * x
        e = d - a
        f = jnp.abs(e)
        g = jnp.minimum(f, 10)
        return jnp.mean(g * g)

    def run(n):
        for _ in range(n):
            step(x).block_until_ready()

    return measure(run, "ms")


def xent():
    kx, ky = jax.random.split(jax.random.key(1))
    logits = jax.random.normal(kx, (timing.XENT_ROWS, timing.XENT_CLASSES))
    labels = jax.random.randint(ky, (timing.XENT_ROWS,), 0, timing.XENT_CLASSES)
    step = jax.jit(jax.value_and_grad(mean_cross_entropy))

    def run(n):
        for _ in range(n):
            jax.block_until_ready(step(logits, labels))

    return measure(run, "ms", budget=4)


def adam():
    keys = jax.random.split(jax.random.key(1), 2 * timing.ADAM_TENSORS)
    values = [jax.random.normal(key, (timing.ADAM_SIZE,)) for key in keys]
    parameters, gradients = values[: timing.ADAM_TENSORS], values[timing.ADAM_TENSORS :]
    step = jax.jit(adam_update, donate_argnums=0)
    return time_training(step, adam_state(parameters), gradients, unit="ms")


if __name__ == "__main__":
    names = (gd, mlp, wide, chain, xent, adam, start)
    timing.main(jax.__version__, {"gd_function": gd, **timing.networks(network), **{f.__name__: f for f in names}})
