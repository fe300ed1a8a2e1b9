"""keras.utils.FeatureSpace: tables of numbers, words and categories as one row of numbers for each sample."""

import brio as tf
from brio.keras import layers


class Feature:
    """How one column is encoded: its dtype, the layer that prepares it, and 'float', 'int' or 'one_hot'."""

    def __init__(self, dtype, preprocessor, output_mode):
        if output_mode not in ("int", "one_hot", "float"):
            raise ValueError(
                f"[FeatureSpace] output_mode of a feature is {output_mode!r}; it is 'int', 'one_hot' or 'float'"
            )
        self.dtype, self.preprocessor, self.output_mode = dtype, preprocessor, output_mode


class Cross:
    """Columns of categories that are looked at together."""

    def __init__(self, feature_names, crossing_dim, output_mode="one_hot"):
        if output_mode not in ("int", "one_hot"):
            raise ValueError(f"[FeatureSpace] output_mode of a cross is {output_mode!r}; it is 'int' or 'one_hot'")
        self.feature_names, self.crossing_dim, self.output_mode = tuple(feature_names), crossing_dim, output_mode

    @property
    def name(self):
        """Its name in the result."""
        return "_X_".join(self.feature_names)


class FeatureSpace(layers.Layer):
    """Encodes a dict of columns: FeatureSpace({"age": "float_normalized", "city": "string_categorical"}).

    adapt(dataset) learns means and vocabularies; then space(columns) gives one row for each sample, or a dict of the
    encoded columns with output_mode="dict". The kinds are float, float_normalized, float_rescaled, float_discretized,
    integer_categorical, string_categorical, integer_hashed and string_hashed; the methods of these names take options.

    >>> space = keras.utils.FeatureSpace({"city": "string_categorical"})
    >>> space.adapt({"city": ["a", "b", "a"]})
    >>> space({"city": ["b"]}).numpy().tolist()
    [[0.0, 0.0, 1.0]]
    """

    def __init__(
        self,
        features,
        output_mode="concat",
        crosses=None,
        crossing_dim=32,
        hashing_dim=32,
        num_discretization_bins=32,
        name=None,
    ):
        if not features:
            raise ValueError("[FeatureSpace] features is empty; give a dict of column names and kinds")
        if output_mode not in ("concat", "dict"):
            raise ValueError(f"[FeatureSpace] output_mode is {output_mode!r}; it is 'concat' or 'dict'")
        super().__init__(name=name)
        self.output_mode = output_mode
        self.crossing_dim, self.hashing_dim, self.num_discretization_bins = (
            crossing_dim,
            hashing_dim,
            num_discretization_bins,
        )
        self.features = {n: self._feature(n, kind) for n, kind in features.items()}
        self.preprocessors = {n: feature.preprocessor for n, feature in self.features.items()}
        self.crosses = [c if isinstance(c, Cross) else Cross(c, crossing_dim) for c in crosses or ()]
        for cross in self.crosses:
            unknown = [n for n in cross.feature_names if n not in self.features]
            if unknown:
                raise ValueError(f"[FeatureSpace] crosses names {', '.join(unknown)}, which features has not")
        self._encoders, self._crossings, self._adapted, self._inputs = {}, {}, not self._adaptable(), None

    # ---- kinds of features

    @classmethod
    def feature(cls, dtype, preprocessor, output_mode):
        """A column that a layer of yours prepares."""
        return Feature(dtype, preprocessor, output_mode)

    @classmethod
    def cross(cls, feature_names, crossing_dim, output_mode="one_hot"):
        """Columns of categories together, hashed into crossing_dim categories."""
        return Cross(feature_names, crossing_dim, output_mode)

    @classmethod
    def float(cls, name=None):
        """Numbers as they are."""
        return Feature("float32", lambda x: tf.cast(x, "float32"), "float")

    @classmethod
    def float_rescaled(cls, scale=1.0, offset=0.0, name=None):
        """Numbers times scale, plus offset."""
        return Feature("float32", layers.Rescaling(scale, offset), "float")

    @classmethod
    def float_normalized(cls, name=None):
        """Numbers less their mean, by their deviation."""
        return Feature("float32", layers.Normalization(axis=-1), "float")

    @classmethod
    def float_discretized(cls, num_bins, bin_boundaries=None, output_mode="one_hot", name=None):
        """Numbers as the bin that they fall into."""
        if num_bins is not None and bin_boundaries is not None:
            raise ValueError("[FeatureSpace] float_discretized() takes num_bins or bin_boundaries, but got both")
        bins = {"num_bins": num_bins} if bin_boundaries is None else {"bin_boundaries": bin_boundaries}
        return Feature("float32", layers.Discretization(**bins), output_mode)

    @classmethod
    def integer_categorical(cls, max_tokens=None, num_oov_indices=1, output_mode="one_hot", name=None):
        """Whole numbers as their place in a vocabulary."""
        return Feature(
            "int32", layers.IntegerLookup(max_tokens=max_tokens, num_oov_indices=num_oov_indices), output_mode
        )

    @classmethod
    def string_categorical(cls, max_tokens=None, num_oov_indices=1, output_mode="one_hot", name=None):
        """Strings as their place in a vocabulary."""
        return Feature(
            "string", layers.StringLookup(max_tokens=max_tokens, num_oov_indices=num_oov_indices), output_mode
        )

    @classmethod
    def integer_hashed(cls, num_bins, output_mode="one_hot", name=None):
        """Whole numbers as one of num_bins, by their hash."""
        return Feature("int32", layers.Hashing(num_bins), output_mode)

    @classmethod
    def string_hashed(cls, num_bins, output_mode="one_hot", name=None):
        """Strings as one of num_bins, by their hash."""
        return Feature("string", layers.Hashing(num_bins), output_mode)

    def _feature(self, name, kind):
        if isinstance(kind, Feature):
            return kind
        sizes = {
            "float_discretized": self.num_discretization_bins,
            "integer_hashed": self.hashing_dim,
            "string_hashed": self.hashing_dim,
        }
        plain = ("float", "float_normalized", "float_rescaled", "integer_categorical", "string_categorical")
        if kind not in (*sizes, *plain):
            raise ValueError(
                f"[FeatureSpace] the feature '{name}' is {kind!r}; it is a Feature or one of "
                f"{', '.join([*plain, *sizes])}"
            )
        return getattr(self, kind)(sizes[kind]) if kind in sizes else getattr(self, kind)()

    # ---- configs and files

    def get_config(self):
        """What it was made with and has learned."""
        from brio.keras.saving import serialize_keras_object

        rows = {
            n: {
                "dtype": f.dtype,
                "preprocessor": _saved(f.preprocessor, serialize_keras_object),
                "output_mode": f.output_mode,
            }
            for n, f in self.features.items()
        }
        return {
            "features": rows,
            "output_mode": self.output_mode,
            "crossing_dim": self.crossing_dim,
            "hashing_dim": self.hashing_dim,
            "num_discretization_bins": self.num_discretization_bins,
            "name": self.name,
            "crosses": [
                {"feature_names": list(c.feature_names), "crossing_dim": c.crossing_dim, "output_mode": c.output_mode}
                for c in self.crosses
            ],
        }

    @classmethod
    def from_config(cls, config):
        """A space of a config."""
        from brio.keras.saving import deserialize_keras_object

        made = dict(config)
        made["features"] = {
            n: Feature(
                row["dtype"],
                deserialize_keras_object(row["preprocessor"]) if row["preprocessor"] else cls.float().preprocessor,
                row["output_mode"],
            )
            for n, row in config["features"].items()
        }
        made["crosses"] = [Cross(**row) for row in config["crosses"]]
        return cls(**made)

    def save(self, filepath):
        """Writes it to a .keras file, which keras.models.load_model() reads."""
        from brio.keras import saving

        saving.save_model(self, filepath)

    def load_own_variables(self, store):
        """It has no weights of its own. Who loads it has learned before."""
        self._adapted = True

    def save_own_variables(self, store):
        """It has no weights of its own."""

    # ---- learning

    def _adaptable(self):
        def open_(layer):
            given = getattr(layer, "_config", {})
            return hasattr(layer, "adapt") and not any(
                given.get(k) is not None for k in ("mean", "vocabulary", "bin_boundaries")
            )

        return [name for name, layer in self.preprocessors.items() if open_(layer)]

    def adapt(self, dataset):
        """Learns what the columns need from a dataset of dicts, or from a dict of arrays."""
        if isinstance(dataset, dict):
            dataset = tf.data.Dataset.from_tensor_slices(dataset)
        if not isinstance(dataset, tf.data.Dataset):
            raise ValueError(
                "[FeatureSpace] adapt() takes a tf.data.Dataset of dicts or a dict of arrays, but got "
                f"{type(dataset).__name__}"
            )
        columns = {name: [] for name in self._adaptable()}
        for batch in dataset:
            for name, parts in columns.items():
                parts.append(tf.reshape(batch[name], [-1, 1]))
        for name, parts in columns.items():
            self.preprocessors[name].adapt(tf.concat(parts, 0))
        self._adapted = True

    # ---- encoding

    def __call__(self, data):
        if not isinstance(data, dict):
            raise ValueError(f"[FeatureSpace] is called with a dict of columns, but got {type(data).__name__}")
        if not self._adapted:
            raise ValueError("[FeatureSpace] call adapt(dataset) before you use it: some columns have to be learned")
        data = {name: tf.convert_to_tensor(x) for name, x in data.items() if name in self.features}
        single = any(x.shape.rank == 0 for x in data.values())
        made = self._encoded({name: x if x.shape.rank == 2 else tf.reshape(x, [-1, 1]) for name, x in data.items()})
        if not single:
            return made
        return {n: tf.squeeze(x, 0) for n, x in made.items()} if isinstance(made, dict) else tf.squeeze(made, 0)

    def get_inputs(self):
        """A symbol for each column, to begin a functional model with."""
        if self._inputs is None:
            self._inputs = {n: layers.Input((1,), dtype=feature.dtype, name=n) for n, feature in self.features.items()}
        return self._inputs

    def get_encoded_features(self):
        """What the columns of get_inputs() become."""
        if not self._adapted:
            raise ValueError("[FeatureSpace] call adapt(dataset) before you use it: some columns have to be learned")
        return self._encoded(self.get_inputs())

    def _encoded(self, columns):
        prepared = {name: self.preprocessors[name](x) for name, x in columns.items()}
        crossed = {c.name: self._crossing(c)([prepared[n] for n in c.feature_names]) for c in self.crosses}
        specs = {**self.features, **{c.name: c for c in self.crosses}}
        made = {}
        for name, x in [*sorted(prepared.items()), *sorted(crossed.items())]:
            if specs[name].output_mode == "one_hot":
                x = self._encoder(name, specs[name])(x)
            elif self.output_mode == "concat" and specs[name].output_mode == "int":
                raise ValueError(
                    f"[FeatureSpace] '{name}' is a whole number, which cannot be joined with others; use "
                    "output_mode='dict'"
                )
            made[name] = x
        return made if self.output_mode == "dict" else tf.concat(list(made.values()), -1)

    def _crossing(self, cross):
        if cross.name not in self._crossings:
            self._crossings[cross.name] = layers.HashedCrossing(cross.crossing_dim)
        return self._crossings[cross.name]

    def _encoder(self, name, spec):
        if name not in self._encoders:
            self._encoders[name] = layers.CategoryEncoding(num_tokens=_size(name, spec), output_mode="multi_hot")
        return self._encoders[name]


def _size(name, spec):
    """How many categories there are."""
    if isinstance(spec, Cross):
        return spec.crossing_dim
    layer = spec.preprocessor
    if isinstance(layer, (layers.IntegerLookup, layers.StringLookup)):
        return layer.vocabulary_size()
    if isinstance(layer, layers.Discretization) and layer.num_bins is None:
        return len(layer.bin_boundaries) + 1
    for option in ("num_bins", "num_tokens"):
        if getattr(layer, option, None) is not None:
            return getattr(layer, option)
    raise ValueError(f"[FeatureSpace] nobody knows how many categories '{name}' has; use output_mode='int'")


def _saved(preprocessor, serialize):
    """The config of a layer; None of a plain cast."""
    return serialize(preprocessor) if isinstance(preprocessor, layers.Layer) else None


FeatureSpace.__module__ = "brio.keras.utils"  # where configs find it
