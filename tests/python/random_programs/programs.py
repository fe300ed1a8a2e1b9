"""Programs at random: source(seed) is a piece of Python that uses tf, keras, np,
folder and leaves its answer in `result`.

A program makes data, makes a model in one of the ways that people have (functional, Sequential with and without an
Input, subclassed), fills its weights with numbers that do not depend on the library, trains it in one of the ways that
people have, saves and loads it in the middle, trains on, and keeps what it saw."""

import random

from random_programs import layers, training

STYLES = (
    "functional",
    "functional",
    "sequential",
    "sequential with input",
    "subclassed",
    "own train_step",
    "functional train_step",
)
LOOPS = (
    "fit",
    "fit",
    "fit",
    "fit of a dataset",
    "fit of a dataset",
    "fit of a generator",
    "fit of a PyDataset",
    "tape",
    "function",
    "train_on_batch",
)
SAVES = ("keras", "keras", "h5", "weights", "config", "json", "clone", "checkpoint", "export", None, None, None)
SUBCLASSED_SAVES = ("weights", "weights", "checkpoint", "keras", None, None)

PRELUDE = """
POLICY = {policy!r}
keras.config.set_dtype_policy(POLICY)
if POLICY == 'float64':
    keras.config.set_floatx('float64')
g = np.random.default_rng({seed})
result, told = {{}}, []

def path(name):
    return folder + '/' + name

def fill(model):
    numbers = np.random.default_rng(3)
    made = []
    for w in model.get_weights():
        v = numbers.uniform(0.5, 1.5, w.shape) if w.ndim < 2 else numbers.normal(size=w.shape) / max(1, np.prod(w.shape[:-1])) ** 0.5
        made.append(v.astype(w.dtype))
    model.set_weights(made)

@keras.saving.register_keras_serializable('own')
class Scaled(keras.layers.Layer):
    def __init__(self, units=4, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.dense = keras.layers.Dense(units)
    def build(self, input_shape):
        self.factor = self.add_weight(shape=(self.units,), initializer='ones', name='factor')
        self.dense.build(input_shape)
        super().build(input_shape)
    def call(self, inputs, training=False):
        return self.dense(inputs) * self.factor
    def get_config(self):
        return {{**super().get_config(), 'units': self.units}}

class Told(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        told.append(batch)
    def on_epoch_end(self, epoch, logs=None):
        told.append(sorted(logs))
"""  # noqa: E501  results are kept by the programs' very text

TRAIN_STEP = """
@keras.saving.register_keras_serializable('own')
class Trained({base}):
    def train_step(self, data):
        x, y, sample_weight = keras.utils.unpack_x_y_sample_weight(data)
        with tf.GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = self.{compute}
        gradients = tape.gradient(loss, self.trainable_variables)
        {apply}
        for metric in self.metrics:
            if metric.name == 'loss':
                metric.update_state(loss)
            else:
                metric.update_state(y, y_pred)
        return {{m.name: m.result() for m in self.metrics}}
"""


class Program:
    """Draws a program and writes it down."""

    def __init__(self, seed):
        self.rng = random.Random(f"program {seed}")
        self.seed, self.lines = seed, []
        self.style = self.rng.choice(STYLES)
        self.policy = self.rng.choice(("float32",) * 8 + ("float64", "mixed_bfloat16"))
        self.rows, self.batch = self.rng.choice((5, 8, 13)), self.rng.choice((2, 4, 5))

    def source(self):
        self.lines.append(PRELUDE.format(policy=self.policy, seed=self.seed).strip())
        self._data()
        self._model()
        self._train()
        return "\n".join(self.lines) + "\n"

    def add(self, *lines):
        self.lines += lines

    # ---- data

    def _data(self):
        rng, rows = self.rng, self.rows
        kind = rng.choice(("vector", "vector", "sequence", "sequence", "image", "image", "volume", "tokens", "two"))
        if kind == "two" and self.style.startswith("sequential"):
            kind = "vector"
        self.kind = kind
        shapes = {
            "vector": [(rng.choice((1, 3, 10, 128)),)], "sequence": [(rng.choice((4, 7, 12)), rng.choice((1, 3, 8)))],
            "volume": [(4, 5, 6, 2)], "image": [(rng.choice((8, 11)), rng.choice((8, 12)), rng.choice((1, 3, 4)))],
            "tokens": [(rng.choice((5, 9)),)], "two": [(rng.choice((3, 110)),), (6,)],
        }  # fmt: skip
        self.shapes = shapes[kind]
        self.words = rng.choice((12, 150))
        self.tokens = {"tokens": [0], "two": [1]}.get(kind, [])
        self.dtypes = [
            "int64"
            if i in self.tokens
            else rng.choice(("float32", "float32", "float64", "uint8" if kind == "image" else "float32"))
            for i in range(len(self.shapes))
        ]
        made = []
        for i, (shape, dtype) in enumerate(zip(self.shapes, self.dtypes)):
            full = (rows, *shape)
            if i in self.tokens:
                made.append(f"g.integers(0, {self.words}, {full!r})")
            elif dtype == "uint8":
                made.append(f"g.integers(0, 256, {full!r}).astype('uint8')")
            else:
                made.append(f"g.normal(size={full!r}).astype({dtype!r})")
        if len(made) > 1:
            self.named = rng.random() < 0.5
            self.add("x = {'a': %s, 'b': %s}" % tuple(made) if self.named else f"x = [{made[0]}, {made[1]}]")
        else:
            self.named = False
            self.add(f"x = {made[0]}")

    # ---- the model

    def _steps(self):
        """[(sources of layers, what is done with them)] after the inputs, and the shape that comes out."""
        rng, steps = self.rng, []
        shape = self.shapes[0]
        if self.kind == "tokens":
            size, mask = rng.choice((4, 16, 128)), rng.choice((None, None, True))
            steps.append(([layers.call("Embedding", self.words, size, mask_zero=mask)], "x = {0}(x)"))
            shape = (*shape, size)
        if self.kind == "two":
            size = rng.choice((4, 16))
            first, second = ("x['a']", "x['b']") if self.named else ("x[0]", "x[1]")
            sources = [
                layers.call("Embedding", self.words, size),
                layers.call("GlobalAveragePooling1D"),
                layers.call("Concatenate"),
            ]
            steps.append((sources, "x = {2}([%s, {1}({0}(%s))])" % (first, second)))
            shape = (shape[0] + size,)
        for _ in range(rng.randint(1, 4)):
            made, shape = self._step(shape)
            steps.append(made)
        self.positions = len(shape) > 1 and rng.random() < 0.2
        if len(shape) > 1 and not self.positions:
            made, shape = layers.to_vector(rng, shape)
            steps.append(([made], "x = {0}(x)"))
        return steps, shape

    def _step(self, shape):
        rng, free = self.rng, not self.style.startswith("sequential")
        choice = rng.random()
        if rng.random() < 0.08:
            n = layers.units(rng)
            return ([f"Scaled({n})"], "x = {0}(x)"), (*shape[:-1], n)
        if not free or choice < 0.65:
            made, after = layers.layer(rng, shape)
            return ([made], "x = {0}(x)"), after
        if choice < 0.75:  # around a layer
            made = layers.call("Dense", shape[-1], activation=rng.choice(layers.MILD))
            merge = rng.choice(("Add", "Multiply", "Average", "Maximum", "Subtract", "Concatenate"))
            return ([made, layers.call(merge)], "x = {1}([x, {0}(x)])"), shape if merge != "Concatenate" else (
                *shape[:-1],
                2 * shape[-1],
            )
        if choice < 0.82 and len(shape) == 2:
            causal = rng.choice(("", ", use_causal_mask=True"))
            return (
                [layers.call("MultiHeadAttention", rng.choice((1, 2, 4)), rng.choice((3, 8)))],
                "x = {0}(x, x%s)" % causal,
            ), shape
        if choice < 0.88:
            a, b = layers.units(rng), layers.units(rng)
            inner = f"keras.Sequential([{layers.call('Dense', a, activation='relu')}, {layers.call('Dense', b)}])"
            return ([inner], "x = {0}(x)"), (*shape[:-1], b)
        if choice < 0.94 and shape[0] > 2:
            return ([], "x = x[:, 1:]"), (shape[0] - 1, *shape[1:])
        return (
            [],
            rng.choice(
                (
                    "x = x * 2.0 - 1.0",
                    "x = keras.ops.relu(x)",
                    "x = -x",
                    "x = keras.ops.sqrt(keras.ops.abs(x) + 1.0)",
                    "x = x / 3",
                    "x = 1 - x",
                )
            ),
        ), shape

    def _model(self):
        rng = self.rng
        steps, shape = self._steps()
        self.task = rng.choice(tuple(training.LOSSES))
        self.classes = {
            "sparse": rng.choice((3, 10, 120)),
            "onehot": rng.choice((3, 10, 105)),
            "binary": rng.choice((1, 1, 4)),
            "regression": rng.choice((1, 2, 8)),
        }[self.task]
        activation, self.loss = rng.choice(training.LOSSES[self.task])
        self.softmax = activation == "softmax"
        if self.policy.startswith("mixed"):
            head = [
                layers.call("Dense", self.classes),
                layers.call("Activation", activation or "linear", dtype="float32"),
            ]
        else:
            head = [layers.call("Dense", self.classes, activation=activation)]
        steps += [([h], "x = {0}(x)") for h in head]
        self.out = (*shape[:-1], self.classes)
        self.two_outputs = not self.style.startswith("sequential") and rng.random() < 0.15
        if self.two_outputs:
            steps[-len(head) :] = []
            self.heads = [*head, layers.call("Dense", 2, dtype="float32" if self.policy.startswith("mixed") else None)]
        self.add(f"y = {training.targets(rng, self.task, self.rows, self.out, self.classes)}")
        if self.two_outputs:
            self.add(f"y = [y, g.normal(size={(self.rows, *self.out[:-1], 2)!r}).astype('float32')]")
        {
            "functional": self._functional,
            "functional train_step": self._functional,
            "sequential": self._sequential,
            "sequential with input": self._sequential,
        }.get(self.style, self._subclassed)(steps)
        self.add("model = make()")
        if self.style in ("sequential", "subclassed", "own train_step"):
            self.add(
                f"model({self._head('x', 2)})"
                if rng.random() < 0.7 or self.style != "sequential"
                else f"model.build({(None, *self.shapes[0])!r})"
            )
        self.add(
            "fill(model)",
            (
                "result['params'] = [model.count_params(), len(model.trainable_weights), [tuple(w.shape) for w in "
                "model.weights]]"
            ),
        )
        self.add(f"result['called'] = model({self._head('x', 3)}{rng.choice(('', ', training=False'))})")

    def _inputs(self):
        made = []
        for i, (shape, dtype) in enumerate(zip(self.shapes, self.dtypes)):
            kind = "int64" if i in self.tokens else "uint8" if dtype == "uint8" and self.rng.random() < 0.3 else None
            name = f", name={'ab'[i]!r}" if self.named else ""
            made.append(f"keras.Input({shape!r}{', dtype=' + repr(kind) if kind else ''}{name})")
        if len(made) == 1:
            return made[0]
        return "{'a': %s, 'b': %s}" % tuple(made) if self.named else f"[{', '.join(made)}]"

    def _functional(self, steps):
        base = "keras.Model"
        if self.style == "functional train_step":
            self._own_step("keras.Model")
            base = "Trained"
        self.add("def make():", f"    inputs = x = {self._inputs()}")
        for sources, use in steps:
            self.add("    " + use.format(*sources))
        out = "x"
        if self.two_outputs:
            *head, second = self.heads
            chain = "x"
            for h in head:
                chain = f"{h}({chain})"
            out = f"[{chain}, {second}(x)]"
        self.add(f"    return {base}(inputs, {out})")

    def _sequential(self, steps):
        sources = [s for used, _ in steps for s in used]
        if self.style == "sequential with input":
            sources.insert(0, self._inputs())
        if self.rng.random() < 0.5:
            self.add("def make():", "    return keras.Sequential([", *(f"        {s}," for s in sources), "    ])")
        else:
            self.add(
                "def make():",
                "    model = keras.Sequential()",
                *(f"    model.add({s})" for s in sources),
                "    return model",
            )

    def _subclassed(self, steps):
        if self.two_outputs:
            *head, second = self.heads
            steps = [
                *steps,
                ([*head, second], "x = [%s, {%d}(x)]" % ("{1}({0}(x))" if len(head) > 1 else "{0}(x)", len(head))),
            ]
        self.add(
            "@keras.saving.register_keras_serializable('own')",
            "class Net(keras.Model):",
            "    def __init__(self, **kwargs):",
            "        super().__init__(**kwargs)",
        )
        body, count = [], 0
        for sources, use in steps:
            names = [f"self.l{count + i}" for i in range(len(sources))]
            count += len(sources)
            self.add(*(f"        {name} = {source}" for name, source in zip(names, sources)))
            body.append("        " + use.format(*names))
        self.add(
            f"    def call(self, x{self.rng.choice(('', ', training=False', ', training=None'))}):",
            *body,
            "        return x",
        )
        if self.style == "own train_step":
            self._own_step("Net")
            self.add("def make():", "    return Trained()")
        else:
            self.add("def make():", "    return Net()")

    def _own_step(self, base):
        compute = self.rng.choice(
            ("compute_loss(x=x, y=y, y_pred=y_pred, sample_weight=sample_weight)", "compute_loss(y=y, y_pred=y_pred)")
        )
        apply = self.rng.choice(
            (
                "self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))",
                "self.optimizer.apply(gradients, self.trainable_variables)",
            )
        )
        self.add(TRAIN_STEP.format(base=base, compute=compute, apply=apply).strip())

    # ---- training

    def _head(self, name, n):
        """The first rows of data that may be a list or a dict."""
        if len(self.shapes) == 1 or name != "x":
            return f"{name}[:{n}]"
        return "{k: v[:%d] for k, v in x.items()}" % n if self.named else f"[v[:{n}] for v in x]"

    def _compile(self):
        rng = self.rng
        metrics = rng.sample(training.METRICS[self.task], rng.choice((0, 1, 1, 2)))
        if self.task == "onehot" and self.classes != 3:
            metrics = [m for m in metrics if "IoU" not in m]
        if len(self.out) > 1 or self.classes == 1:
            metrics = [m for m in metrics if not any(n in m for n in ("F1Score", "R2Score", "IoU"))]
        if self.softmax:  # Keras takes the logits behind a softmax where from_logits=True is said of it, and warns
            metrics = [m.replace("(from_logits=True)", "()") for m in metrics]
        self.loss_given, self.metrics_given = self.loss, f"[{', '.join(metrics)}]" if metrics else None
        if self.two_outputs:
            self.loss_given = f"[{self.loss}, 'mse']"
            self.metrics_given = f"[{self.metrics_given or '[]'}, ['mae']]"
        elif not self.style.endswith("train_step") and metrics and rng.random() < 0.15:
            self.metrics_given += ", weighted_metrics=['mse']"
        optimizer = self._fitting(rng.choice(training.OPTIMIZERS))
        given = [f"optimizer={optimizer}", f"loss={self.loss_given}"]
        if self.metrics_given:
            given.append(f"metrics={self.metrics_given}")
        if self.two_outputs and rng.random() < 0.5:
            given.append("loss_weights=[0.7, 0.3]")
        if rng.random() < 0.1:
            given.append("run_eagerly=True")
        elif rng.random() < 0.1:
            given.append("steps_per_execution=2")
        return f"model.compile({', '.join(given)})"

    def _fitting(self, optimizer):
        """An optimizer for the program: for lookups one that is linear in gradients. Of a token that a batch has twice
        Keras' others square the parts of its gradient, where Brio squares the gradient (docs/compat.md)."""
        return (
            "keras.optimizers.SGD(0.05, momentum=0.5)"
            if self.tokens and ("clip" in optimizer or "SGD" not in optimizer)
            else optimizer
        )

    def _train(self):
        rng = self.rng
        loop = rng.choice(LOOPS)
        if loop in ("tape", "function") and (
            self.two_outputs
            or self.policy.startswith("mixed")
            or not self.loss.startswith("keras.losses.")
            or "(" not in self.loss
        ):
            loop = "fit"
        compiled = self._compile()
        if loop not in ("tape", "function"):
            self.add(compiled)
        self._loop(loop, "first")
        self._save(loop, compiled)
        if rng.random() < 0.4:
            self._freeze(loop, compiled)
        self._loop(loop, "second")
        self.add(f"result['predicted'] = model.predict(x, batch_size={rng.choice((2, 3, 32))}, verbose=0)")
        if loop not in ("tape", "function"):
            self.add(
                f"result['evaluated'] = model.evaluate(x, y, batch_size={self.batch}, verbose=0, return_dict=True)"
                if rng.random() < 0.5
                else f"result['evaluated'] = model.evaluate(x, y, batch_size={self.batch}, verbose=0)"
            )
        self.add("result['weights'] = [w.astype('float64') for w in model.get_weights()]", "result['told'] = told")

    def _freeze(self, loop, compiled):
        self.add("model.layers[0].trainable = False")
        if loop not in ("tape", "function"):
            self.add(compiled)

    def _loop(self, loop, name):
        rng, batch = self.rng, self.batch
        data = {
            "fit of a dataset": (
                f"tf.data.Dataset.from_tensor_slices(({'x' if not isinstance_list(self) else 'tuple(x)'}, "
                f"{'tuple(y)' if self.two_outputs else 'y'})).batch({batch})"
            ),
            "fit of a PyDataset": "Batches()",
        }.get(loop)
        epochs = rng.choice((1, 2))
        if loop in ("tape", "function"):
            return self._by_hand(loop, epochs)
        if loop == "train_on_batch":
            self.add(
                f"for i in range({epochs}):",
                (
                    f"    logs = model.train_on_batch({self._head('x', batch)}, "
                    f"{'[v[:%d] for v in y]' % batch if self.two_outputs else f'y[:{batch}]'})"
                ),
            )
            self.add(
                f"result[{name!r}] = [np.asarray(v) for v in logs] if isinstance(logs, (list, tuple)) else "
                "np.asarray(logs)"
            )
            return
        given = ["x", "y", f"batch_size={batch}", "shuffle=False"]
        if loop == "fit of a generator":
            pick = (
                "{k: v[i:i + %d] for k, v in x.items()}" % batch
                if self.named
                else f"[v[i:i + {batch}] for v in x]"
                if len(self.shapes) > 1
                else f"x[i:i + {batch}]"
            )
            pick = f"tuple({pick})" if pick.startswith("[") else pick
            targets = f"tuple(v[i:i + {batch}] for v in y)" if self.two_outputs else f"y[i:i + {batch}]"
            steps = self.rows // batch
            self.add(
                "def batches():",
                "    while True:",
                f"        for i in range(0, {steps * batch}, {batch}):",
                f"            yield {pick}, {targets}",
            )
            given = ["batches()", f"steps_per_epoch={steps}"]
        elif loop == "fit of a PyDataset":
            self._py_dataset()
            given = [data, "shuffle=False"]
        elif data:
            given = [data]
        else:
            self._more_of_fit(given)
        given += [f"epochs={epochs}", "verbose=0"]
        if rng.random() < 0.3:
            given.append(f"callbacks=[{', '.join(rng.sample(training.CALLBACKS, rng.choice((1, 2))))}]")
        self.add(f"history = model.fit({', '.join(given)})", f"result[{name!r}] = [history.history, history.epoch]")

    def _more_of_fit(self, given):
        rng = self.rng
        if self.two_outputs or self.named or len(self.shapes) > 1:
            return
        if rng.random() < 0.3:
            given.append(rng.choice(("validation_split=0.3", "validation_data=(x, y)")))
        if rng.random() < 0.25 and len(self.out) == 1:
            given.append(f"sample_weight=np.linspace(0.1, 1, {self.rows}){rng.choice(('', '.astype(np.float32)'))}")
        elif (
            rng.random() < 0.2
            and self.task == "sparse"
            and len(self.out) == 1
            and not self.style.endswith("train_step")
        ):
            given.append("class_weight={i: 1.0 + i for i in range(%d)}" % self.classes)
        if rng.random() < 0.15:
            self.add("x, y = tf.constant(x), tf.constant(y)")
            given[:] = [v for v in given if "validation_split" not in v]

    def _py_dataset(self):
        batch = self.batch
        pick = (
            "{k: v[at] for k, v in x.items()}"
            if self.named
            else "tuple(v[at] for v in x)"
            if len(self.shapes) > 1
            else "x[at]"
        )
        targets = "tuple(v[at] for v in y)" if self.two_outputs else "y[at]"
        self.add(
            "class Batches(keras.utils.PyDataset):",
            "    def __len__(self):",
            f"        return {-(-self.rows // batch)}",
            "    def __getitem__(self, i):",
        )
        self.add(f"        at = slice(i * {batch}, (i + 1) * {batch})", f"        return {pick}, {targets}")

    def _by_hand(self, loop, epochs):
        rng = self.rng
        optimizers = [o for o in training.OPTIMIZERS if o.startswith("keras") and "accumulation" not in o]
        self.add(
            f"optimizer = {self._fitting(rng.choice(optimizers))}",
            f"loss_fn = {self.loss}",
            "losses = result.setdefault('losses', [])",
        )
        if loop == "function":
            self.add("@tf.function")
        self.add(
            "def step(bx, by):",
            "    with tf.GradientTape() as tape:",
            "        loss = loss_fn(by, model(bx, training=True))",
            "        loss += sum(model.losses)",
        )
        self.add(
            "    gradients = tape.gradient(loss, model.trainable_variables)",
            "    optimizer.apply_gradients(zip(gradients, model.trainable_variables))",
            "    return loss",
        )
        self.add(
            f"data = tf.data.Dataset.from_tensor_slices(({'tuple(x)' if isinstance_list(self) else 'x'}, "
            f"y)).batch({self.batch})"
        )
        self.add(
            f"for epoch in range({epochs}):", "    for bx, by in data:", "        losses.append(float(step(bx, by)))"
        )

    # ---- saving

    def _save(self, loop, compiled):
        rng = self.rng
        kept = rng.choice(SUBCLASSED_SAVES if self.style in ("subclassed", "own train_step") else SAVES)
        fresh = ["model = make()"]
        if self.style in ("sequential", "subclassed", "own train_step"):
            fresh.append(f"model({self._head('x', 2)})")
        again = [] if loop in ("tape", "function") else [compiled]
        own = "custom_objects={'Scaled': Scaled%s}" % (
            ", 'Trained': Trained" if self.style.endswith("train_step") else ""
        )
        if kept == "keras":
            self.add("model.save(path('m.keras'))", "model = keras.models.load_model(path('m.keras'), safe_mode=False)")
        elif kept == "h5":
            self.add(
                "model.save(path('m.h5'))",
                f"model = keras.models.load_model(path('m.h5'), {own}, compile=False, safe_mode=False)",
            )
            self.add(*again)
        elif kept == "weights":
            self.add(
                "model.save_weights(path('m.weights.h5'))", *fresh, "model.load_weights(path('m.weights.h5'))", *again
            )
        elif kept in ("config", "json", "clone"):
            self.add("keras.config.enable_unsafe_deserialization()", "kept = model.get_weights()")
            make = {
                "config": "model = type(model).from_config(model.get_config())",
                "clone": "model = keras.models.clone_model(model)",
                "json": "model = keras.models.model_from_json(model.to_json())",
            }[kept]  # fmt: skip
            self.add(make, *fresh[1:], "model.set_weights(kept)", *again)
        elif kept == "checkpoint":
            self.add(
                "tf.train.Checkpoint(model=model).write(path('ckpt'))",
                *fresh,
                *again,
                "tf.train.Checkpoint(model=model).read(path('ckpt')).expect_partial()",
            )
        elif kept == "export":
            self.add(
                "model.export(path('exported'), verbose=False)",
                "exported = tf.saved_model.load(path('exported'))",
                f"result['exported'] = exported.serve({self._head('x', 2)})",
            )
        if kept:
            self.add(f"result['loaded'] = model({self._head('x', 3)})")


def isinstance_list(program):
    """Are the inputs a list? Datasets want a tuple."""
    return len(program.shapes) > 1 and not program.named


def source(seed):
    """The program of a seed."""
    return Program(seed).source()
