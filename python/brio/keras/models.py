"""keras.models: Model, Sequential and functional models. Training is C++ (brio/train)."""

from brio import _core, _nest
from brio.keras import callbacks as _callbacks
from brio.keras import layers as _layers
from brio.keras import losses as _losses
from brio.keras import metrics as _metrics
from brio.keras import optimizers as _optimizers
from brio.keras.layers import KerasTensor, Layer, _python_layer


def _listed(x):
    """A value, a list or a dictionary of them, as a list."""
    if x is None:
        return None
    return _nest.flatten(x) if isinstance(x, dict) or _is_list_of_values(x) else [x]


def _is_list_of_values(x):
    return isinstance(x, (list, tuple)) and len(x) > 0 and all(hasattr(v, "shape") or isinstance(v, (list, dict)) and hasattr(v, "shape") for v in x)


class Model(Layer):
    """Layers with the ways to train them.

    Model(inputs, outputs) is the graph between symbols; a class derived from Model writes call(inputs).
    """

    def __new__(cls, *args, **kwargs):
        functional = len(args) == 2 or "outputs" in kwargs or (len(args) == 1 and "inputs" not in kwargs and isinstance(args[0], KerasTensor))
        if cls is Model and functional:
            cls = Functional
        return super().__new__(cls)

    def __init__(self, *args, name=None, trainable=True, dtype=None, **kwargs):
        if args or "inputs" in kwargs:
            Functional._connect(self, *args, name=name, **kwargs)
            return
        super().__init__(name=name, trainable=trainable, dtype=dtype, **kwargs)

    # ---- compile

    def compile(self, optimizer="rmsprop", loss=None, loss_weights=None, metrics=None, weighted_metrics=None,
                run_eagerly=False, steps_per_execution=1, jit_compile="auto", auto_scale_loss=True):  # fmt: skip
        """How to train: the optimizer, the loss, and what else to measure."""
        self.__dict__["optimizer"] = _optimizers.get(optimizer)
        self.__dict__.update(loss=loss, _loss_weights=loss_weights, stop_training=False)
        names = self._output_names(loss, metrics)
        rows = []
        by_output = lambda given, empty: _by_output(given, names, empty)  # noqa: E731
        loss_of, metrics_of = by_output(loss, None), by_output(metrics, [])
        weighted_of, weight_of = by_output(weighted_metrics, []), by_output(loss_weights, 1.0)
        self.__dict__["_compiled_metrics"] = []
        self.__dict__["_compiled_losses"] = [_losses._core_loss(one) for one in loss_of]
        for one, weight, plain, weighted in zip(self._compiled_losses, weight_of, metrics_of, weighted_of):
            lists = [[_metrics._core_metric(m) for m in (given if isinstance(given, (list, tuple)) else [given])] for given in (plain, weighted)]
            self._compiled_metrics.extend(lists[0] + lists[1])
            rows.append((one, 1.0 if weight is None else float(weight), *lists))
        own_train = self._step if type(self).train_step is not Model.train_step else None
        own_test = self._test if type(self).test_step is not Model.test_step else None
        if own_train is None and (type(self).compute_loss is not Model.compute_loss or type(self).compute_metrics is not Model.compute_metrics):
            own_train, own_test = self._step, own_test or self._test
        self._trainer.compile(self.optimizer._brio, rows, auto_scale_loss, own_train, own_test)
        if auto_scale_loss and self._handle.policy == "mixed_float16" and not isinstance(self.optimizer, _optimizers.LossScaleOptimizer):
            pass  # C++ puts a LossScaleOptimizer around it

    @property
    def _trainer(self):
        if "_made_trainer" not in self.__dict__:
            self.__dict__["_made_trainer"] = _core._Model(self._handle)
        return self.__dict__["_made_trainer"]

    def _output_names(self, loss, metrics):
        count = max([1] + [len(x) for x in (loss, ) if isinstance(x, (list, tuple))] + [len(loss) if isinstance(loss, dict) else 1])
        return sorted(loss) if isinstance(loss, dict) else [None] * count

    # ---- fit, evaluate, predict

    def fit(self, x=None, y=None, batch_size=None, epochs=1, verbose="auto", callbacks=None, validation_split=0.0,
            validation_data=None, shuffle=True, class_weight=None, sample_weight=None, initial_epoch=0, steps_per_epoch=None,
            validation_steps=None, validation_batch_size=None, validation_freq=1, accumulate=1):  # fmt: skip
        """Trains for so many epochs; returns a History."""
        self._require_compiled("fit")
        if hasattr(x, "_for_training"):  # a PyDataset
            x, callbacks = x._for_training(bool(shuffle), callbacks)
        history = _callbacks.History()
        params = {"epochs": epochs, "steps": steps_per_epoch, "verbose": 1 if verbose == "auto" else verbose}
        watchers = self._callback_list(callbacks, params, history)
        x, y, sample_weight = self._inputs(x, y, sample_weight)
        options = {
            "epochs": epochs, "batch_size": 32 if batch_size is None else batch_size, "accumulate": accumulate,
            "validation_split": float(validation_split), "shuffle": bool(shuffle), "initial_epoch": initial_epoch,
            "steps_per_epoch": steps_per_epoch, "validation_steps": validation_steps,
            "validation_batch_size": validation_batch_size or 0, "validation_freq": validation_freq,
        }  # fmt: skip
        if class_weight:
            options["class_weight"] = dict(class_weight)
        if sample_weight is not None:
            options["sample_weight"] = sample_weight
        if validation_data is not None:
            if isinstance(validation_data, (list, tuple)):
                vx, vy, vw = (*validation_data, None)[:3]
                options["validation_data"] = self._inputs(vx, vy, vw)
            else:
                options["validation_data"] = self._inputs(validation_data, None, None)[0]
        self.__dict__["stop_training"] = False
        self._trainer.fit(x, y, 1 if verbose == "auto" else int(verbose), watchers, options)
        self.__dict__["history"] = history
        return history

    def evaluate(self, x=None, y=None, batch_size=None, verbose="auto", sample_weight=None, steps=None, callbacks=None,
                 return_dict=False, **kwargs):  # fmt: skip
        """The loss and the metrics over all samples."""
        self._require_compiled("evaluate")
        watchers = self._callback_list(callbacks, {}, None)
        x, y, sample_weight = self._inputs(x, y, sample_weight)
        self._begin_epoch()
        logs = self._trainer.evaluate(x, y, sample_weight, batch_size or 32, 1 if verbose == "auto" else int(verbose), steps, watchers)
        if return_dict:
            return logs
        values = list(logs.values())
        return values[0] if len(values) == 1 else values

    def predict(self, x, batch_size=None, verbose="auto", steps=None, callbacks=None):
        """The outputs for all samples, as NumPy arrays."""
        watchers = self._callback_list(callbacks, {}, None)
        results = self._trainer.predict(self._inputs(x, None, None)[0], batch_size or 32, watchers)
        return self._pack_outputs([r.numpy() for r in results])

    def train_on_batch(self, x, y=None, sample_weight=None, class_weight=None, return_dict=False):
        self._require_compiled("train_on_batch")
        x, y, sample_weight = self._inputs(x, y, sample_weight)
        logs = self._trainer.train_on_batch(x, y, sample_weight, class_weight)
        return logs if return_dict else _values(logs)

    def test_on_batch(self, x, y=None, sample_weight=None, return_dict=False):
        self._require_compiled("test_on_batch")
        x, y, sample_weight = self._inputs(x, y, sample_weight)
        logs = self._trainer.test_on_batch(x, y, sample_weight)
        return logs if return_dict else _values(logs)

    def predict_on_batch(self, x):
        return _nest.map_structure(lambda t: t.numpy(), self(x, training=False))

    def reset_metrics(self):
        self._trainer.reset_metrics()

    def _begin_epoch(self):
        if type(self).train_step is not Model.train_step or type(self).test_step is not Model.test_step:
            for metric in self.metrics:
                metric.reset_state()

    def _callback_list(self, callbacks, params, history):
        given = list(callbacks) if isinstance(callbacks, (list, tuple)) else [callbacks] if callbacks is not None else []
        return _callbacks.CallbackList(given + ([history] if history else []), self, params)

    def _require_compiled(self, what):
        if "optimizer" not in self.__dict__:
            raise ValueError(f"{what}() needs a compiled model: call compile(optimizer=..., loss=...) first")

    def _inputs(self, x, y, sample_weight):
        dataset = getattr(x, "_brio_dataset", None)
        if dataset is not None:
            return dataset, None, None
        values = lambda v: None if v is None else [_core.convert_to_tensor(t) for t in self._flat_inputs(v)]  # noqa: E731
        listed = lambda v: None if v is None else [_core.convert_to_tensor(t) for t in _listed(v)]  # noqa: E731
        return values(x), listed(y), listed(sample_weight)

    def _flat_inputs(self, x):
        return _listed(x)

    def _pack_outputs(self, results):
        structure = self.__dict__.get("_result_structure")
        if structure is not None and len(_nest.flatten(structure)) == len(results):
            return _nest.pack(structure, results)
        return results[0] if len(results) == 1 else results

    # ---- steps of one's own

    def train_step(self, data):
        """Forward pass, gradients and update for one batch. A class that overrides it returns {name: value}."""
        x, y, sample_weight = unpack_x_y_sample_weight(data)
        with _core.GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = self.compute_loss(x=x, y=y, y_pred=y_pred, sample_weight=sample_weight)
            scaled = self.optimizer.scale_loss(loss)
        variables = self.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(scaled, variables), variables))
        return self.compute_metrics(x, y, y_pred, sample_weight) | {"loss": loss}

    def test_step(self, data):
        x, y, sample_weight = unpack_x_y_sample_weight(data)
        y_pred = self(x, training=False)
        loss = self.compute_loss(x=x, y=y, y_pred=y_pred, sample_weight=sample_weight)
        return self.compute_metrics(x, y, y_pred, sample_weight) | {"loss": loss}

    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
        total = None
        losses = self.__dict__.get("_compiled_losses", [])
        for loss, t, p in zip(losses, _listed(y) or [None], _nest.flatten(y_pred)):
            if loss is not None:
                value = loss(t, p, sample_weight)
                total = value if total is None else total + value
        for extra in self.losses:
            total = extra if total is None else total + extra
        if total is None:
            raise ValueError("there is no loss: give compile() one, or add_loss() in a layer")
        return total

    def compute_metrics(self, x, y, y_pred, sample_weight=None):
        results = {}
        for metric in self.__dict__.get("_compiled_metrics", []):
            metric.update_state(y, y_pred)
            results[metric.name] = metric.result()
        return results

    def _batch(self, x, y, sample_weight):
        one = lambda v: v[0] if len(v) == 1 else tuple(v)  # noqa: E731
        data = [one(x)] + ([one(y)] if y else []) + ([one(sample_weight)] if sample_weight else [])
        return tuple(data) if len(data) > 1 else data[0]

    def _step(self, x, y, sample_weight):
        return self._logs(self.train_step(self._batch(x, y, sample_weight)))

    def _test(self, x, y, sample_weight):
        return self._logs(self.test_step(self._batch(x, y, sample_weight)))

    @staticmethod
    def _logs(logs):
        return {name: value.result() if isinstance(value, _metrics.Metric) else value for name, value in (logs or {}).items()}

    @property
    def metrics(self):
        found = [v for v in self.__dict__.values() if isinstance(v, _metrics.Metric)]
        return found + list(self.__dict__.get("_compiled_metrics", []))

    @property
    def metrics_names(self):
        return ["loss"] + [m.name for m in self.metrics]

    # ---- looking inside

    @property
    def layers(self):
        return [_python_layer(handle) for handle in self._handle.layers()]

    def get_layer(self, name=None, index=None):
        if index is not None:
            return self.layers[index]
        for layer in self.layers:
            if layer.name == name:
                return layer
        raise ValueError(f"no layer is called '{name}'; there are {', '.join(layer.name for layer in self.layers)}")

    def summary(self, line_length=None, positions=None, print_fn=None, **kwargs):
        (print_fn or print)(self._trainer.summary_text())

    def to_json(self, **kwargs):
        return self._handle.to_json()

    def build(self, input_shape=None):
        """Makes the weights for inputs of this shape, batch included."""
        nested = input_shape and isinstance(input_shape[0], (list, tuple))
        self._handle.build(list(input_shape) if nested else [input_shape])

    def _core_build(self, shapes):
        if type(self).build is not Model.build:
            self.build(shapes[0] if len(shapes) == 1 else shapes)


def _values(logs):
    values = list(logs.values())
    return values[0] if len(values) == 1 else values


def _by_output(given, names, empty):
    """One entry for each output: from a list, a dictionary by name, or the same for all."""
    if given is None:
        return [empty] * len(names)
    if isinstance(given, dict):
        return [given.get(name, empty) for name in names] if names[0] is not None else list(given.values())
    if isinstance(given, (list, tuple)) and len(names) > 1:
        return list(given)
    if isinstance(given, (list, tuple)) and empty is None:  # a list of one loss
        return list(given)
    return [given] * len(names)


def unpack_x_y_sample_weight(data):
    if not isinstance(data, (list, tuple)):
        return data, None, None
    return (*data, None, None)[:3]


class Functional(Model):
    """The graph of layers between symbols."""

    def __init__(self, *args, **kwargs):
        Functional._connect(self, *args, **kwargs)

    def _connect(self, inputs=None, outputs=None, name=None, trainable=True, **kwargs):
        for what, symbols in (("inputs", inputs), ("outputs", outputs)):
            for symbol in _nest.flatten(symbols):
                if not isinstance(symbol, KerasTensor):
                    raise ValueError(f"Model({what}=...) takes what Input() and layers called on it give, but got {symbol!r}")
        self._adopt(_core._functional(_nest.flatten(inputs), _nest.flatten(outputs), name))
        self.__dict__.update(inputs=_nest.flatten(inputs), outputs=_nest.flatten(outputs))
        self.__dict__["_structures"] = (inputs, outputs)
        self.__dict__["input_names"] = [_core._symbol_layer(s).name for s in self.inputs]
        self.__dict__["output_names"] = [_core._symbol_layer(s).name for s in self.outputs]
        if not trainable:
            self.trainable = False

    def __call__(self, inputs, training=None, mask=None):
        results = self._handle.call(self._flat_inputs(inputs), training, mask)
        return self._pack_outputs(results)

    call = __call__

    def _flat_inputs(self, x):
        if isinstance(x, dict):
            structure = self._structures[0]
            names = sorted(structure) if isinstance(structure, dict) and set(structure) <= set(x) else self.input_names
            missing = [n for n in names if n not in x]
            if missing:
                raise ValueError(f"the inputs of this model are {names}, but {missing} are not given")
            return [x[n] for n in names]
        return _listed(x) if len(self.inputs) > 1 or not isinstance(x, (list, tuple)) or _is_list_of_values(x) else [x]

    def _pack_outputs(self, results):
        structure = self._structures[1]
        return _nest.pack(structure, results) if isinstance(structure, (dict, list, tuple)) else results[0]

    def _output_names(self, loss, metrics):
        return self.output_names

    @property
    def input(self):
        return self.inputs[0] if len(self.inputs) == 1 else self.inputs

    @property
    def output(self):
        return self.outputs[0] if len(self.outputs) == 1 else self.outputs

    @property
    def input_shape(self):
        return tuple(self.input.shape) if len(self.inputs) == 1 else [tuple(s.shape) for s in self.inputs]

    @property
    def output_shape(self):
        return tuple(self.output.shape) if len(self.outputs) == 1 else [tuple(s.shape) for s in self.outputs]


class Sequential(Model):
    """Layers one after the other."""

    def __new__(cls, *args, **kwargs):
        return object.__new__(cls)

    def __init__(self, layers=None, trainable=True, name=None):
        self._adopt(_core._chain(name))
        for layer in layers or []:
            self.add(layer)
        if not trainable:
            self.trainable = False

    def add(self, layer):
        if isinstance(layer, KerasTensor):
            self._handle.add_layer(_core._symbol_layer(layer))
            return
        if not isinstance(layer, Layer):
            raise TypeError(f"a Sequential is made of layers, but got {layer!r}")
        shape = layer.__dict__.get("_input_shape")
        if shape is not None and not self._handle.layers():
            self._handle.add_layer(_core._input_layer(shape, -1, None, None))
        self._handle.add_layer(layer._handle)
        self.__dict__.setdefault("_kept", []).append(layer)  # the Python object lives as long as the model

    def __call__(self, inputs, training=None, mask=None):
        results = self._handle.call(_listed(inputs) if not isinstance(inputs, (list, tuple)) else [inputs], training, [mask] if mask is not None else None)
        return results[0] if len(results) == 1 else results

    call = __call__

    @property
    def layers(self):
        return [_python_layer(h) for h in self._handle.layers() if h.kind != "InputLayer"]


def load_model(filepath, custom_objects=None, compile=True, safe_mode=True):
    raise NotImplementedError("models are not saved to files yet")


def clone_model(model, input_tensors=None, clone_function=None):
    """The same layers with fresh weights."""
    return _python_layer(_core._layer_from_json(model.to_json()))


def model_from_json(json_string, custom_objects=None):
    return _python_layer(_core._layer_from_json(json_string))
