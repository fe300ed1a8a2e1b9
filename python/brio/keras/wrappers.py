"""keras.wrappers: models as estimators of scikit-learn, which must be installed for them."""

import copy

import numpy as np

from brio._missing import attribute_error_of as _attribute_error_of

try:
    from sklearn.base import BaseEstimator as _BaseEstimator
    from sklearn.base import ClassifierMixin as _ClassifierMixin
    from sklearn.base import RegressorMixin as _RegressorMixin
    from sklearn.base import TransformerMixin as _TransformerMixin
except ImportError:  # making one of the classes says so

    class _BaseEstimator:
        """In the place of scikit-learn's."""

    class _ClassifierMixin:
        """In the place of scikit-learn's."""

    class _RegressorMixin:
        """In the place of scikit-learn's."""

    class _TransformerMixin:
        """In the place of scikit-learn's."""


__all__ = ["SKLearnClassifier", "SKLearnRegressor", "SKLearnTransformer"]
__getattr__ = _attribute_error_of(__name__)


class _Estimator(_BaseEstimator):
    def __init__(self, model, warm_start=False, model_kwargs=None, fit_kwargs=None):
        try:
            import sklearn  # noqa: F401
        except ImportError:
            raise ImportError(
                f"{type(self).__name__} needs scikit-learn; install it: pip install scikit-learn"
            ) from None
        self.model, self.warm_start, self.model_kwargs, self.fit_kwargs = model, warm_start, model_kwargs, fit_kwargs

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.non_deterministic = True
        self._tag(tags)
        return tags

    def _tag(self, tags):
        pass

    def __sklearn_clone__(self):
        return type(self)(
            _copy_of(self.model), self.warm_start, copy.copy(self.model_kwargs), copy.copy(self.fit_kwargs)
        )

    def fit(self, X, y, **kwargs):
        """Trains the model, or a fresh one; arguments go to its fit()."""
        X, y = _checked(self, X, y)
        y = self._targets(y)
        from brio.keras.models import Model

        if self.warm_start and hasattr(self, "model_"):
            model = self.model_
        elif isinstance(self.model, Model):
            model = self.model if self.warm_start else _copy_of(self.model, with_weights=False)
        else:
            model = self.model(X=X, y=y, **(self.model_kwargs or {}))
        if not getattr(model, "compiled", False) or not model.loss or not model.optimizer:
            raise RuntimeError("the model must be compiled with a loss and an optimizer; call compile()")
        self.history_ = model.fit(X, y, **{**(self.fit_kwargs or {}), **kwargs})
        self.model_ = model
        return self

    def predict(self, X):
        """What the model says of samples, in the form that the targets had."""
        return self._from_outputs(self._outputs(X))

    def _outputs(self, X):
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self, "model_")
        return self.model_.predict(_checked(self, X, reset=False), verbose=0)

    def _targets(self, y):
        from sklearn.utils.multiclass import type_of_target

        if type_of_target(y) == "unknown":
            raise ValueError(f"Unknown label type for data: {y!r}")
        self._rank = np.ndim(y)
        return y.reshape(-1, 1) if self._rank == 1 else y

    def _from_outputs(self, outputs):
        return outputs[:, 0] if self._rank == 1 and outputs.ndim == 2 else outputs


def _checked(estimator, *data, **options):
    """Arrays that scikit-learn has looked at."""
    try:
        from sklearn.utils.validation import validate_data
    except ImportError:  # before scikit-learn 1.6
        return estimator._validate_data(*data, **options)
    return validate_data(estimator, *data, **options)


def _copy_of(model, with_weights=True):
    """A model of the same kind, compiled as it is; a function that makes models is itself."""
    from brio.keras.models import Model, clone_model

    if not isinstance(model, Model):
        return model
    made = clone_model(model)
    if with_weights and model.built:
        made.set_weights(model.get_weights())
    if model.__dict__.get("compiled") and not made.__dict__.get("compiled"):
        made.compile_from_config(model.get_compile_config())
    return made


class SKLearnClassifier(_ClassifierMixin, _Estimator):
    """A compiled model, or a function of X and y that makes one, as a classifier: its targets are one-hot rows.

    >>> model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3, activation="softmax")])
    >>> model.compile("adam", "categorical_crossentropy")
    >>> classifier = keras.wrappers.SKLearnClassifier(model)  # doctest: +SKIP
    """

    def decision_function(self, X):
        """The outputs of the model."""
        return self._outputs(X)

    def _targets(self, y):
        from sklearn.utils.multiclass import type_of_target

        kind = type_of_target(y)
        if kind not in ("binary", "multiclass"):
            raise ValueError(f"Only binary and multiclass target types are supported. Target type: {kind}")
        self._rank = np.ndim(y)
        self.classes_, places = np.unique(y, return_inverse=True)
        if len(self.classes_) == 1:
            raise ValueError("Classifier can't train when only one class is present.")
        return np.eye(len(self.classes_))[places.reshape(-1)]

    def _from_outputs(self, outputs):
        if outputs.ndim != 2 or outputs.shape[1] != len(self.classes_):
            raise ValueError(
                f"the model gives shape {outputs.shape} for {len(self.classes_)} classes; its output must have a "
                "number for each class"
            )
        found = self.classes_[np.argmax(outputs, axis=1)]
        return found if self._rank == 1 else found.reshape(-1, 1)

    def _tag(self, tags):
        tags.classifier_tags.poor_score = True


class SKLearnRegressor(_RegressorMixin, _Estimator):
    """A compiled model, or a function of X and y that makes one, as a regressor.

    >>> model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
    >>> model.compile("adam", "mse")
    >>> regressor = keras.wrappers.SKLearnRegressor(model)  # doctest: +SKIP
    """

    def _tag(self, tags):
        tags.regressor_tags.poor_score = True


class SKLearnTransformer(_TransformerMixin, _Estimator):
    """A compiled model, or a function of X and y that makes one, as a transformer of samples to its outputs.

    >>> model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(2)])
    >>> model.compile("adam", "mse")
    >>> transformer = keras.wrappers.SKLearnTransformer(model)  # doctest: +SKIP
    """

    def transform(self, X):
        """The outputs of the model."""
        return self._outputs(X)

    def _tag(self, tags):
        tags.transformer_tags.preserves_dtype = []
