"""Training: compile, fit, evaluate, predict. The loops are C++'s (brio/train),
except where run_eagerly asks for Python's."""

import contextlib
import functools
import os
import warnings
import weakref

from brio import _core, _nest
from brio._function import function
from brio.errors import _UnknownValueError
from brio.keras import _batches, _eager_loop, _judged_outputs, _training_flag
from brio.keras import callbacks as _callbacks
from brio.keras import config as _config
from brio.keras import losses as _losses
from brio.keras import metrics as _metrics
from brio.keras import optimizers as _optimizers
from brio.keras._layer import as_dense
from brio.keras.layers import _python_layer


def listed(x):
    """A value, a list or a dictionary of them, as a list."""
    if x is None:
        return None
    return _nest.flatten(x) if isinstance(x, dict) or is_list_of_values(x) else [x]


def is_list_of_values(x):
    return isinstance(x, (list, tuple)) and len(x) > 0 and all(hasattr(v, "shape") or isinstance(v, dict) for v in x)


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
        if len(given) != len(names):
            raise ValueError(f"compile() is given {len(given)} entries for {len(names)} outputs")
        return list(given)
    if isinstance(given, (list, tuple)) and empty is None:  # a list of one loss
        return list(given)
    return [given] * len(names)


def _op_by_op_where_needed(method):
    """A method that runs once more, without tracing, where a model does what cannot be traced:
    strings, values of tensors."""

    @functools.wraps(method)
    def call(self, *args, **kwargs):
        try:
            return method(self, *args, **kwargs)
        except _UnknownValueError as error:
            if self.run_eagerly:
                raise
            warnings.warn(
                f"{method.__name__}() runs op by op, as '{self.name}' cannot be traced: {error}", stacklevel=2
            )
            self.__dict__["run_eagerly"] = True
            return method(self, *args, **kwargs)

    return call


def _has_several_results(metric):
    """Does the metric give one number for each class or output? F1Score() and R2Score(class_aggregation=None) do."""
    if not isinstance(metric, (_metrics.F1Score, _metrics.FBetaScore, _metrics.R2Score)):
        return False
    config = metric.get_config()
    return config["class_aggregation" if isinstance(metric, _metrics.R2Score) else "average"] is None


def _all_layers(model):
    for layer in getattr(model, "layers", ()):
        yield layer
        yield from _all_layers(layer)


def _in_floatx(values):
    """A tensor; floats of another width become Keras' default,
    as arrays of NumPy's are float64 without anybody's wish."""
    made, floatx = _core.convert_to_tensor(as_dense(values)), _config.floatx()
    return _core.cast(made, floatx) if made.dtype.is_floating and made.dtype != floatx else made


class Trainer:
    """What a model does beside being a layer."""

    _is_of_layers, _is_told = False, True

    # ---- compile

    def compile(self, optimizer="rmsprop", loss=None, loss_weights=None, metrics=None, weighted_metrics=None,
                run_eagerly=False, steps_per_execution=1, jit_compile="auto", auto_scale_loss=True):  # fmt: skip
        """How to train: the optimizer, the loss, and what else to measure."""
        optimizer = _optimizers.get(optimizer)
        if (
            auto_scale_loss
            and self._handle.policy == "mixed_float16"
            and not isinstance(optimizer, _optimizers.LossScaleOptimizer)
        ):
            optimizer = _optimizers.LossScaleOptimizer(optimizer)
        inner = getattr(optimizer, "inner_optimizer", optimizer)
        inner._owner = weakref.ref(self)
        self.__dict__.update(
            optimizer=optimizer, loss=loss, stop_training=False, run_eagerly=bool(run_eagerly), compiled=True,
            steps_per_execution=steps_per_execution, auto_scale_loss=auto_scale_loss,
            _compile_arguments={"optimizer": optimizer, "loss": loss, "loss_weights": loss_weights, "metrics": metrics,
                                "weighted_metrics": weighted_metrics, "run_eagerly": bool(run_eagerly),
                                "steps_per_execution": steps_per_execution, "jit_compile": False},
        )  # fmt: skip
        names = self._output_names(
            loss, {"loss": loss, "metrics": metrics, "weighted_metrics": weighted_metrics, "loss_weights": loss_weights}
        )
        by_output = lambda given, empty: _by_output(given, names, empty)
        as_list = lambda given: given if isinstance(given, (list, tuple)) else [given]
        rows, judged = [], []
        for one, weight, plain, weighted in zip(
            by_output(loss, None), by_output(loss_weights, 1.0), by_output(metrics, []), by_output(weighted_metrics, [])
        ):
            parts = [
                [(m, _metrics._core_metric(m)) for m in as_list(given) if m is not None] for given in (plain, weighted)
            ]
            weight = 1.0 if weight is None else float(weight)
            rows.append((_losses._core_loss(one), weight, *([core for _, core in part] for part in parts)))
            judged.append(
                (
                    rows[-1][0],
                    weight,
                    *([m if isinstance(m, _metrics.Metric) else core for m, core in part] for part in parts),
                )
            )
        self.__dict__["_judged"] = judged
        plan = self.__dict__["_plan"] = _judged_outputs.plan(self, self._compile_arguments, names, judged)
        several = [m.name for row in judged for part in row[2:] for m in part if _has_several_results(m)]
        if several and not self.run_eagerly:
            warnings.warn(
                (
                    f"{', '.join(several)} gives a number for each class, so that steps run op by op; one number, as "
                    "average='macro' gives, is faster"
                ),
                stacklevel=2,
            )
            self.__dict__["run_eagerly"] = True
        self.__dict__["_loss_tracker"] = _metrics.Mean(name="loss")
        kind = type(self)
        own_train = self._step if kind.train_step is not Trainer.train_step else None
        own_test = self._test if kind.test_step is not Trainer.test_step else None
        if plan is not None:
            own_train, own_test = self._step, self._test
        if kind.compute_loss is not Trainer.compute_loss or kind.compute_metrics is not Trainer.compute_metrics:
            own_train, own_test = own_train or self._step, own_test or self._test
        if hasattr(optimizer, "_inner_optimizers"):  # its steps are Python code
            own_train = own_train or self._step
        if _metrics_inside(self):  # the logs should have them
            own_train, own_test = own_train or self._step, own_test or self._test
        self.__dict__["_own_steps"] = (own_train is not None, own_test is not None)
        if own_train is not None and not self._has_call():
            self._handle.mark_built()
        self._trainer.compile(optimizer._brio, rows, auto_scale_loss, own_train, own_test, int(steps_per_execution))

    def _has_call(self):
        from brio.keras._layer import Layer

        return type(self).call is not Layer.call

    def get_compile_config(self):
        """What compile() was given."""
        from brio.keras._serialization import serialize_keras_object

        if not self.__dict__.get("compiled"):
            return {}
        try:
            return serialize_keras_object({k: _saved_name(v) for k, v in self._compile_arguments.items()})
        except TypeError:
            return None

    def compile_from_config(self, config):
        """Compiles the model as get_compile_config() says."""
        from brio.keras._serialization import deserialize_keras_object

        given = {
            k: deserialize_keras_object(v)
            for k, v in config.items()
            if k in self.compile.__code__.co_varnames or k in _COMPILE
        }
        given = {k: v for k, v in given.items() if k in _COMPILE}
        self.compile(**given)
        if self.built:
            self.optimizer.build(self.trainable_variables)

    @property
    def _trainer(self):
        if "_made_trainer" not in self.__dict__:
            self.__dict__["_made_trainer"] = _core._Model(self._handle)
        return self.__dict__["_made_trainer"]

    def _output_names(self, loss, given):
        if isinstance(loss, dict):
            return _judged_outputs.named(given)
        metrics = given["metrics"]
        by_output = (
            isinstance(metrics, (list, tuple))
            and metrics
            and all(m is None or isinstance(m, (list, tuple)) for m in metrics)
        )
        return [None] * max(1, len(loss) if isinstance(loss, (list, tuple)) else len(metrics) if by_output else 1)

    # ---- fit, evaluate, predict

    @_training_flag.told_by_loops
    @_op_by_op_where_needed
    def fit(self, x=None, y=None, batch_size=None, epochs=1, verbose="auto", callbacks=None, validation_split=0.0,
            validation_data=None, shuffle=True, class_weight=None, sample_weight=None, initial_epoch=0,
            steps_per_epoch=None, validation_steps=None, validation_batch_size=None, validation_freq=1, accumulate=1,
            doctor=False, resume=None, save_freq=None, on_bad_number="warn", memory_limit=None,
            memory="say"):  # fmt: skip
        """Trains for so many epochs; returns a History.

        doctor=True says after the first minute and at the end what limits the run, what would help and by how much.

        resume="folder" keeps the state of the run there, about once a minute or every save_freq batches, and goes on
        from it where a run was cut off: it ends with the same bits as if it never had been.

        on_bad_number says what happens when the loss or gradients stop being finite. "warn": a line says so, and
        training goes on, as in Keras. "stop" (an error) and "skip" leave the step out, with weights, optimizer,
        statistics and metrics as they were, and name the first op whose result is not finite, its layer, its numbers,
        and the rows of the batch.

        memory_limit is the number of bytes that the process may take; None: what the machine or its control group has.
        What a step takes is known before the first one (history.step_memory). Where it is more, memory="say" says what
        would fit, as an error if a limit was given; memory="fit" computes values again on the way back, with the same
        results to the bit, and if that is not enough goes through each batch in parts, as accumulate does.

        batch_size="auto" tries sizes on the first steps, takes the one of the best throughput that fits the memory, and
        says so; history.batch_choice has the choice and what was measured.
        """
        self._require_compiled("fit")
        epochs = _config._at_most_epochs(epochs)
        steps_per_epoch = _config._at_most_steps(steps_per_epoch, _step_count(x, batch_size, validation_split))
        steps = steps_per_epoch or _step_count(x, batch_size, validation_split)
        if hasattr(x, "_for_training"):  # a PyDataset
            x, callbacks = x._for_training(bool(shuffle), callbacks)
        history = _callbacks.History()
        verbose = 1 if verbose == "auto" else int(verbose)
        options = {
            "epochs": epochs, "batch_size": 32 if batch_size is None else batch_size, "accumulate": accumulate,
            "validation_split": float(validation_split), "shuffle": bool(shuffle), "initial_epoch": initial_epoch,
            "steps_per_epoch": steps_per_epoch, "validation_steps": validation_steps,
            "validation_batch_size": validation_batch_size or 0, "validation_freq": validation_freq,
            "on_bad_number": on_bad_number, "doctor": bool(doctor), "doctor_traces": self._is_all_ours(),
            "memory_limit": 0 if memory_limit is None else int(memory_limit), "memory": memory,
        }  # fmt: skip
        if memory not in ("say", "fit"):
            raise ValueError(f"memory is {memory!r}; it is 'say' or 'fit'")
        if self.run_eagerly and (memory == "fit" or memory_limit is not None):
            raise ValueError("memory_limit= and memory='fit' plan compiled steps, and run_eagerly=True asks for none")
        if on_bad_number not in ("warn", "stop", "skip"):
            raise ValueError(f"on_bad_number is {on_bad_number!r}; it is 'warn', 'stop' or 'skip'")
        if on_bad_number != "warn" and self.run_eagerly:
            raise ValueError(
                f"on_bad_number={on_bad_number!r} needs compiled steps, and run_eagerly=True asks for none"
            )
        if resume is not None:
            if self.run_eagerly:
                raise ValueError("resume= needs compiled steps, and run_eagerly=True asks for none")
            options.update(resume=os.fspath(resume), save_freq=int(save_freq or 0))
        elif save_freq is not None:
            raise ValueError(f"save_freq is {save_freq}, but resume, the folder to keep the run in, is None")
        if class_weight:
            options["class_weight"] = dict(class_weight)
        self._restore_waiting(x)
        x, y, sample_weight = self._inputs(x, y, sample_weight, shuffle)
        if isinstance(x, _batches.Batches):
            x.continues = steps_per_epoch is not None and not self.run_eagerly
        if sample_weight is not None:
            options["sample_weight"] = sample_weight
        if validation_data is not None:
            options["validation_data"] = self._validation(validation_data, validation_steps)
        watchers = self._callback_list(callbacks, {"verbose": verbose, "epochs": epochs, "steps": steps}, history)
        self.__dict__["stop_training"] = False
        if self.run_eagerly:
            if batch_size == "auto":
                raise ValueError(
                    'batch_size="auto" measures compiled steps, and run_eagerly=True asks for none; give a number'
                )
            _core._note("run_eagerly")
            _eager_loop.fit(self, x, y, watchers, options, verbose)
            if doctor:
                print(_core._doctor_screen(), end="")
        else:
            found = self._trainer.fit(x, y, verbose, watchers, options)
            history.batch_choice, history.step_memory = found.get("batch_choice"), found.get("step_memory")
        if hasattr(self.optimizer, "_inner_optimizers"):
            self.optimizer.finalize_variable_values(self.trainable_variables)
        self.__dict__["history"] = history
        return history

    def _is_all_ours(self):
        """Whether tracing the model runs no code of the user's, so that the doctor may do it once more."""
        arguments = self.__dict__.get("_compile_arguments", {})
        parts = [
            self,
            *_all_layers(self),
            self.optimizer,
            *_nest.flatten([arguments.get(k) for k in ("loss", "metrics", "weighted_metrics")]),
        ]
        return all(
            p is None or isinstance(p, (str, float, int)) or type(p).__module__.startswith("brio.") for p in parts
        )

    def _restore_waiting(self, x):
        """A checkpoint that was restored before there were weights is restored now, before they are used."""
        if "_waiting" in self.__dict__:
            first = x
            if hasattr(x, "_brio_dataset"):
                first = next(iter(x.take(1)))
            elif _batches.is_python_source(x):
                return  # its batches must not be taken twice: the first call restores
            else:
                first = _nest.map_structure(lambda t: t[:1], x)
            self(first[0] if first is not x and isinstance(first, tuple) and not isinstance(x, tuple) else first)
        optimizer = self.__dict__.get("optimizer")
        if optimizer is not None and "_waiting" in optimizer.__dict__ and self.built:
            optimizer.build(self.trainable_variables)

    def _validation(self, data, steps):
        if isinstance(data, (list, tuple)):
            return self._inputs(*(*data, None, None)[:3])
        if _batches.is_python_source(data):
            return self._inputs(*_batches.gathered(data, steps))
        return self._inputs(data, None, None)[0]

    @_training_flag.told_by_loops
    @_op_by_op_where_needed
    def evaluate(self, x=None, y=None, batch_size=None, verbose="auto", sample_weight=None, steps=None, callbacks=None,
                 return_dict=False, **kwargs):  # fmt: skip
        """The loss and the metrics over all samples."""
        self._require_compiled("evaluate")
        self._restore_waiting(x)
        known = _step_count(x, batch_size, 0.0)
        steps = _config._at_most_steps(steps, known)
        watchers = self._callback_list(callbacks, {"verbose": verbose, "epochs": 1, "steps": steps or known}, None)
        x, y, sample_weight = self._inputs(x, y, sample_weight)
        verbose = 1 if verbose == "auto" else int(verbose)
        if self.run_eagerly:
            with self._turn():
                logs = _eager_loop.evaluate(self, x, y, sample_weight, batch_size or 32, steps, watchers, verbose)
        else:
            logs = self._trainer.evaluate(x, y, sample_weight, batch_size or 32, verbose, steps, watchers)
        return _callbacks.in_order(logs) if return_dict else _values(logs)

    @_training_flag.told_by_loops
    @_op_by_op_where_needed
    def predict(self, x, batch_size=None, verbose="auto", steps=None, callbacks=None):
        """The outputs for all samples, as NumPy arrays."""
        self._restore_waiting(x)
        known = _step_count(x, batch_size, 0.0)
        steps = _config._at_most_steps(steps, known)
        watchers = self._callback_list(callbacks, {"verbose": verbose, "epochs": 1, "steps": steps or known}, None)
        verbose = 1 if verbose == "auto" else int(verbose)
        if _batches.is_python_source(x):
            x, steps = _batches.gathered(x, steps)[0], None
        x = _batches.without_sparse(x) if hasattr(x, "_brio_dataset") else _batches.columns(x)
        dataset = getattr(x, "_brio_dataset", None)
        if type(self).predict_step is not Trainer.predict_step or self.run_eagerly or watchers.sees_predictions:
            batches = _batches.Batches(x, lambda x, *_: x) if dataset is not None else _batches.Cut(x, batch_size or 32)
            step = self.predict_step if self.run_eagerly else function(self.predict_step)
            return _eager_loop.predict(step, batches, steps, self.steps_per_execution, watchers, verbose)
        inputs = self._inputs(x, None, None)[0] if dataset is None else dataset
        results = self._trainer.predict(inputs, batch_size or 32, verbose, steps, watchers)
        return self._pack_outputs([r.numpy() for r in results])

    @_training_flag.told_by_loops
    @_op_by_op_where_needed
    def train_on_batch(self, x, y=None, sample_weight=None, class_weight=None, return_dict=False):
        """One step on one batch."""
        self._require_compiled("train_on_batch")
        self._restore_waiting(x)
        x, y, sample_weight = self._inputs(x, y, sample_weight)
        with self._turn():
            self.reset_metrics()
            if self.run_eagerly:
                logs = {k: float(v) for k, v in self._step(x, y or [], sample_weight or []).items()}
            else:
                logs = self._trainer.train_on_batch(x, y, sample_weight, class_weight)
        return _callbacks.in_order(logs) if return_dict else _values(logs)

    @_training_flag.told_by_loops
    def test_on_batch(self, x, y=None, sample_weight=None, return_dict=False):
        """The loss and metrics of one batch."""
        self._require_compiled("test_on_batch")
        self._restore_waiting(x)
        x, y, sample_weight = self._inputs(x, y, sample_weight)
        with self._turn():
            self.reset_metrics()
            logs = self._trainer.test_on_batch(x, y, sample_weight)
        return _callbacks.in_order(logs) if return_dict else _values(logs)

    @_training_flag.told_by_loops
    def predict_on_batch(self, x):
        """The predictions for one batch, as a NumPy array."""
        return _nest.map_structure(lambda t: t.numpy(), self(x, training=False))

    @contextlib.contextmanager
    def _turn(self):
        """Threads that use one model take turns, since they count in the same metrics."""
        trainer = self._trainer
        trainer.take_turn()
        try:
            yield
        finally:
            trainer.leave_turn()

    def reset_metrics(self):
        """Sets all metrics back."""
        for metric in self.metrics:
            metric.reset_state()
        if "_made_trainer" in self.__dict__ and self.__dict__.get("compiled"):
            self._trainer.reset_metrics()

    def _begin_part(self, training):
        """An epoch or a test begins: what Python counts begins anew. C++ knows of its own metrics."""
        own = self.__dict__.get("_own_steps", (False, False))[0 if training else 1] or self.run_eagerly
        for metric in self.metrics:
            if own or _metrics._is_python(metric):
                metric.reset_state()

    compiled = False
    run_eagerly = False
    steps_per_execution = 1

    def _callback_list(self, callbacks, params, history):
        if isinstance(callbacks, _callbacks.CallbackList):
            callbacks = callbacks.callbacks
        given = (
            list(callbacks) if isinstance(callbacks, (list, tuple)) else [callbacks] if callbacks is not None else []
        )
        return _callbacks.CallbackList(given + ([history] if history else []), model=self, **params)

    def _require_compiled(self, what):
        if not self.__dict__.get("compiled"):
            raise ValueError(f"{what}() needs a compiled model: call compile(optimizer=..., loss=...) first")

    # ---- data

    def _inputs(self, x, y, sample_weight, shuffle=False):
        """Lists of tensors, or something that gives batches of them."""
        x = _batches.without_sparse(x) if hasattr(x, "_brio_dataset") else _batches.columns(x)
        dataset = getattr(x, "_brio_dataset", None)
        if dataset is not None:
            if hasattr(x, "element_spec"):  # batches of a PyDataset have their specs only when they come
                self._know_structure(*_batches.unpack_x_y_sample_weight(x.element_spec))
            return (_batches.Batches(x, self._flat_batch) if self.run_eagerly else dataset), None, None
        if _batches.is_python_source(x):
            if y is not None:
                raise ValueError("y comes with the batches of x; leave it out")
            return _batches.Batches(x, self._flat_batch, shuffle), None, None
        return self._flat_batch(x, y, sample_weight)

    def _know_structure(self, x, y, sample_weight):
        """What steps and call() of one's own are given: C++ has lists of tensors."""
        one = lambda v: v is None or hasattr(v, "shape")
        empty = lambda part: _nest.map_structure(lambda v: None, part)
        self.__dict__["_data_structure"] = (
            None
            if one(x) and one(y) and one(sample_weight)
            else tuple(part if one(part) else empty(part) for part in (x, y, sample_weight))
        )
        if isinstance(x, (dict, tuple)):
            self.__dict__["_input_structure"] = empty(x)

    def _flat_batch(self, x, y, sample_weight):
        y = _without_none(y)
        self._know_structure(x, y, sample_weight)
        to = lambda values: None if values is None else [_in_floatx(v) for v in values]
        return to(self._flat_inputs(x)), to(self._flat_targets(y)), to(self._flat_targets(sample_weight))

    def _flat_inputs(self, x):
        return listed(x)

    def _flat_targets(self, y):
        return listed(_without_none(y))

    def _pack_outputs(self, results):
        structure = self.__dict__.get("_result_structure")
        if structure is not None and len(_nest.flatten(structure)) == len(results):
            return _nest.pack(structure, results)
        return results[0] if len(results) == 1 else results

    # ---- the user's own steps

    def train_step(self, data):
        """Forward pass, gradients and update for one batch. A class that overrides it returns {name: value}."""
        x, y, sample_weight = _batches.unpack_x_y_sample_weight(data)
        with _core.GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = self.compute_loss(x=x, y=y, y_pred=y_pred, sample_weight=sample_weight)
            scaled = self.optimizer.scale_loss(loss)
        self._loss_tracker.update_state(loss, sample_weight=_rows(x))
        variables = self.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(scaled, variables), variables))
        return self.compute_metrics(x, y, y_pred, sample_weight)

    def test_step(self, data):
        """What evaluate() does with one batch; override it."""
        x, y, sample_weight = _batches.unpack_x_y_sample_weight(data)
        y_pred = self(x, training=False)
        loss = self.compute_loss(x=x, y=y, y_pred=y_pred, sample_weight=sample_weight)
        self._loss_tracker.update_state(loss, sample_weight=_rows(x))
        return self.compute_metrics(x, y, y_pred, sample_weight)

    def predict_step(self, data):
        """What predict() does with one batch; override it."""
        return self(_batches.unpack_x_y_sample_weight(data)[0], training=False)

    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
        """The loss of compile() and what layers add to it."""
        total, plan = None, self.__dict__.get("_plan")
        for key, (loss, weight, *_), t, p, w in self._outputs_of(y, y_pred, sample_weight):
            if loss is not None:
                value = loss(t, p, w)
                if plan is not None and key in plan.trackers:
                    plan.trackers[key].update_state(value)
                value = value if weight == 1.0 else value * weight
                total = value if total is None else total + value
        for extra in self.losses:
            total = extra if total is None else total + extra
        if total is None:
            raise ValueError("there is no loss: give compile() one, or add_loss() in a layer")
        return total

    def compute_metrics(self, x, y, y_pred, sample_weight=None):
        """Updates the metrics with one batch, and returns their values by name."""
        for _, (_, _, plain, weighted), t, p, w in self._outputs_of(y, y_pred, sample_weight):
            for metric in plain:
                metric.update_state(t, p)
            for metric in weighted:
                metric.update_state(t, p, w)
        return self.get_metrics_result()

    def get_metrics_result(self):
        """The metrics' values by name."""
        rows = self.__dict__.get("_judged", [])
        compiled = {id(m) for row in rows for part in row[2:] for m in part}
        found = {m.name: m.result() for m in self.metrics if id(m) not in compiled}
        names = self.__dict__.get("output_names", []) if len(rows) > 1 else []
        seen, plan = {}, self.__dict__.get("_plan")
        keys = None if plan is None else list(plan.rows)
        for part in (2, 3):  # two metrics of one name get two keys, by Keras' rules
            for i, row in enumerate(rows):
                prefix = plan.prefix(keys[i]) if plan is not None else names[i] + "_" if i < len(names) else ""
                for metric in row[part]:
                    name = prefix + metric.name
                    if part == 3 and name in seen:
                        name = prefix + "weighted_" + metric.name
                    before = seen[name] = seen.get(name, 0) + 1
                    found[name if before == 1 else f"{name}_{before - 1}"] = metric.result()
        return found

    def _outputs_of(self, y, y_pred, sample_weight):
        plan = self.__dict__.get("_plan")
        if plan is not None:
            return plan.pairs(y, y_pred, sample_weight)
        judged = self.__dict__.get("_judged", [])
        predictions = _nest.flatten(y_pred)
        if len(judged) == 1 and len(predictions) > 1:
            judged = judged * len(predictions)
        targets = self._flat_targets(y) or [None] * len(predictions)
        if len(judged) == len(predictions) > len(targets):  # an output without a loss and metrics has no target
            kept = [(row, p) for row, p in zip(judged, predictions) if row[0] is not None or row[2] or row[3]]
            if len(kept) == len(targets):
                judged, predictions = [row for row, _ in kept], [p for _, p in kept]
        weights = self._flat_targets(sample_weight) or [None]
        return zip(
            range(len(judged)),
            judged,
            targets,
            predictions,
            weights if len(weights) == len(predictions) else weights * len(predictions),
        )

    def _batch(self, x, y, sample_weight):
        structure = self.__dict__.get("_data_structure")
        parts = [x, y, sample_weight]
        for i, part in enumerate(parts):
            if not part:
                parts[i] = None
            elif (
                structure is not None
                and structure[i] is not None
                and len(_nest.flatten(structure[i])) == len(part)
                and not hasattr(structure[i], "shape")
            ):
                parts[i] = _nest.pack(structure[i], part)
            else:
                parts[i] = part[0] if len(part) == 1 else tuple(part)
        while len(parts) > 1 and parts[-1] is None:
            parts.pop()
        return tuple(parts) if len(parts) > 1 or isinstance(parts[0], (list, tuple)) else parts[0]

    def _step(self, x, y, sample_weight):
        return _logs(self.train_step(self._batch(x, y, sample_weight)), self.run_eagerly)

    def _test(self, x, y, sample_weight):
        return _logs(self.test_step(self._batch(x, y, sample_weight)), self.run_eagerly)

    @property
    def metrics(self):
        """The loss as a mean, metrics that are attributes, and those of compile()."""
        found = list({id(m): m for m in _metrics_inside(self)}.values())
        compiled = [m for row in self.__dict__.get("_judged", []) for part in row[2:] for m in part]
        tracker = self.__dict__.get("_loss_tracker")
        plan = self.__dict__.get("_plan")
        return (
            ([tracker] if tracker is not None else [])
            + ([] if plan is None else list(plan.trackers.values()))
            + found
            + compiled
        )

    # ---- names of Keras 2 that Keras 3 still accepts

    @property
    def compiled_metrics(self):
        """Keras 2's: compiled_metrics.update_state(y, y_pred). Newer code updates each of self.metrics."""
        return _CompiledMetrics(self)

    def compiled_loss(self, y, y_pred, sample_weight=None, regularization_losses=None):
        """Keras 2's: compute_loss() of compile()'s loss."""
        return self.compute_loss(x=None, y=y, y_pred=y_pred, sample_weight=sample_weight)

    @property
    def jit_compile(self):
        """False: every step is planned, whatever is asked for."""
        return False

    @jit_compile.setter
    def jit_compile(self, value):
        pass

    @property
    def metrics_names(self):
        """The names of the loss and the metrics."""
        return [m.name for m in self.metrics]


class _CompiledMetrics:
    """What a train_step of Keras 2 updates."""

    def __init__(self, model):
        self._model = model

    @property
    def metrics(self):
        return [m for m in self._model.metrics if m.name != "loss"]

    def update_state(self, y, y_pred, sample_weight=None):
        for metric in self._model.metrics:
            if isinstance(metric, _metrics.Mean):
                metric.update_state(y_pred, sample_weight=sample_weight)
            else:
                metric.update_state(y, y_pred, sample_weight=sample_weight)


_COMPILE = ("optimizer", "loss", "loss_weights", "metrics", "weighted_metrics", "run_eagerly", "steps_per_execution")


def _saved_name(value):
    """A function of Brio's own goes by its name, as Keras writes it."""
    if isinstance(value, (list, tuple)):
        return [_saved_name(v) for v in value]
    if isinstance(value, dict):
        return {k: _saved_name(v) for k, v in value.items()}
    return value


def _without_none(y):
    """Targets without None, which stands for outputs that have no loss."""
    if isinstance(y, dict) and any(v is None for v in y.values()):
        return {k: v for k, v in y.items() if v is not None}
    if isinstance(y, (list, tuple)) and any(v is None for v in y) and any(hasattr(v, "shape") for v in y):
        return [v for v in y if v is not None]
    return y


def _step_count(x, batch_size, validation_split):
    """How many batches an epoch has, for callbacks; None where nobody knows."""
    if hasattr(x, "_for_training"):
        return x.num_batches
    if hasattr(x, "cardinality"):
        count = int(x.cardinality())
        return count if count >= 0 else None
    leaves = [leaf for leaf in _nest.flatten(x) if getattr(leaf, "shape", None)]
    if not leaves or isinstance(batch_size, str) or leaves[0].shape[0] is None:
        return None  # "auto", or a value that fit refuses
    rows = int(leaves[0].shape[0] * (1.0 - float(validation_split)))
    return -(-rows // int(batch_size or 32))


def _metrics_inside(layer):
    """Metrics that are attributes of a layer, and of the layers in it: call() updates them."""
    own = [v for k, v in layer.__dict__.items() if isinstance(v, _metrics.Metric) and k != "_loss_tracker"]
    return own + [m for handle in layer._handle.layers() for m in _metrics_inside(_python_layer(handle))]


def _rows(x):
    first = _nest.flatten(x)[0]
    return _core.cast(_core.shape(first)[0], "float32")


def _logs(logs, eagerly=False):
    """{name: tensor} of what a step returned: metrics are read, dictionaries inside are opened.
    Eager steps may give several numbers."""
    flat = {}
    for name, value in (logs or {}).items():
        if isinstance(value, dict):
            flat.update(_logs(value, eagerly))
        else:
            value = _core.convert_to_tensor(value.result() if isinstance(value, _metrics.Metric) else value)
            flat[name] = value if eagerly or not len(value.shape) else _core.reduce_mean(value)
    return flat
