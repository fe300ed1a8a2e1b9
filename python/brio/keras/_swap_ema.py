"""keras.callbacks.SwapEMAWeights."""

from brio.keras.callbacks import Callback


class SwapEMAWeights(Callback):
    """Tests and predicts with the moving means of the weights, which an optimizer with use_ema=True keeps.

    With swap_on_epoch they stand in the model from the end of an epoch to the beginning of the next: callbacks behind
    this one, such as ModelCheckpoint, save them.

    >>> swap = keras.callbacks.SwapEMAWeights(swap_on_epoch=True)
    """

    def __init__(self, swap_on_epoch=False):
        super().__init__()
        self.swap_on_epoch, self._ema_weights_in_model = swap_on_epoch, False

    def _pairs(self):
        optimizer = self.model.optimizer
        optimizer = getattr(optimizer, "inner_optimizer", optimizer)
        several = getattr(optimizer, "optimizers", None)
        found = []
        for one in [optimizer] if several is None else several:
            means = [v for v in one.variables if v.path.endswith("_average")]
            if getattr(one, "use_ema", one._config.get("use_ema")) and means:
                changed = one._last if several is not None else self.model.trainable_variables
                found += list(zip(changed, means))
        if not found:
            raise ValueError(
                "[SwapEMAWeights] the optimizer keeps no moving means; make it with use_ema=True, and train before a "
                "test"
            )
        return found

    def _swap(self, to_means):
        if self._ema_weights_in_model is to_means:
            return
        for weight, mean in self._pairs():
            before = weight.numpy()
            weight.assign(mean)
            mean.assign(before)
        self._ema_weights_in_model = to_means

    def on_epoch_begin(self, epoch, logs=None):
        if self.swap_on_epoch:
            self._swap(False)

    def on_epoch_end(self, epoch, logs=None):
        if self.swap_on_epoch:
            self._swap(True)
            if epoch == self.params["epochs"] - 1:  # what the optimizer puts into the model at the end are the means
                for weight, mean in self._pairs():
                    mean.assign(weight)

    def on_test_begin(self, logs=None):
        self._swap(True)

    def on_test_end(self, logs=None):
        self._swap(False)

    def on_predict_begin(self, logs=None):
        self._swap(True)

    def on_predict_end(self, logs=None):
        self._swap(False)


SwapEMAWeights.__module__ = "brio.keras.callbacks"  # where programs have it
