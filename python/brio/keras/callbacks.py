"""keras.callbacks."""


class Callback:
    """What else happens during fit. Derive from it and write the methods that are needed."""

    def __init__(self):
        self.params, self._model = None, None
        self.validation_data = None

    def set_params(self, params):
        self.params = params

    def set_model(self, model):
        self._model = model

    @property
    def model(self):
        return self._model

    def on_train_begin(self, logs=None):
        pass

    def on_train_end(self, logs=None):
        pass

    def on_epoch_begin(self, epoch, logs=None):
        pass

    def on_epoch_end(self, epoch, logs=None):
        pass

    def on_train_batch_begin(self, batch, logs=None):
        pass

    def on_train_batch_end(self, batch, logs=None):
        pass

    def on_batch_begin(self, batch, logs=None):
        pass

    def on_batch_end(self, batch, logs=None):
        pass

    def on_test_begin(self, logs=None):
        pass

    def on_test_end(self, logs=None):
        pass

    def on_test_batch_begin(self, batch, logs=None):
        pass

    def on_test_batch_end(self, batch, logs=None):
        pass

    def on_predict_begin(self, logs=None):
        pass

    def on_predict_end(self, logs=None):
        pass

    def on_predict_batch_begin(self, batch, logs=None):
        pass

    def on_predict_batch_end(self, batch, logs=None):
        pass


class History(Callback):
    """The logs of every epoch."""

    def __init__(self):
        super().__init__()
        self.history, self.epoch = {}, []

    def on_epoch_end(self, epoch, logs=None):
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)


class LambdaCallback(Callback):
    """Functions as a callback."""

    def __init__(self, **functions):
        super().__init__()
        for name, function in functions.items():
            if not hasattr(Callback, name):
                raise TypeError(f"a callback has no method '{name}'")
            if function is not None:
                setattr(self, name, function)


def _overrides(callback, name):
    return name in callback.__dict__ or getattr(type(callback), name) is not getattr(Callback, name)


class CallbackList:
    """What C++ calls. Every method returns whether training is to stop."""

    def __init__(self, callbacks=None, add_history=False, add_progbar=False, model=None, **params):
        self.callbacks, self.model = list(callbacks or []), model
        if add_history:
            self.callbacks.append(History())
        callbacks = self.callbacks
        for callback in callbacks:
            callback.set_model(model)
            callback.set_params(params)
        self.batch_hooks = tuple(
            any(_overrides(c, f"on_{part}_batch_{when}") or (part == "train" and _overrides(c, f"on_batch_{when}"))
                for c in callbacks for when in ("begin", "end"))  # fmt: skip
            for part in ("train", "test", "predict")
        )

    def _all(self, method, *args):
        for callback in self.callbacks:
            getattr(callback, method)(*args)
        return bool(getattr(self.model, "stop_training", False))

    def on_epoch_begin(self, epoch, logs=None):
        if self.model is not None:
            self.model._begin_part(training=True)
        return self._all("on_epoch_begin", epoch, logs or {})

    def on_test_begin(self, logs=None):
        if self.model is not None:
            self.model._begin_part(training=False)
        return self._all("on_test_begin", logs or {})

    def on_train_batch_begin(self, batch, logs):
        self._all("on_batch_begin", batch, logs)
        return self._all("on_train_batch_begin", batch, logs)

    def on_train_batch_end(self, batch, logs):
        self._all("on_batch_end", batch, logs)
        return self._all("on_train_batch_end", batch, logs)

    def __getattr__(self, method):
        if not method.startswith("on_"):
            raise AttributeError(method)
        return lambda *args: self._all(method, *args)
