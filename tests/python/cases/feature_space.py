"""keras.utils.FeatureSpace: each kind of column, crosses, both forms of the result."""

_DATA = "data = {'age': np.array([20.0, 30.0, 45.0, 65.0], 'float32'), 'city': np.array(['b', 'a', 'b', 'c']), 'rooms': np.array([3, 1, 3, 2]), 'kind': np.array(['x', 'y', 'x', 'z'])}; F = keras.utils.FeatureSpace"
_COLUMNS = "{n: data[n] for n in ('age', 'city', 'rooms', 'kind')}"


def _of(kinds, options=""):
    return f"{_DATA}\nkinds = {kinds}\ns = F(kinds{options})\ns.adapt({{n: data[n] for n in kinds}})\nmade = s({{n: data[n] for n in kinds}})\n"


_ONE = {
    "float": ("age", "'float'"), "normalized": ("age", "'float_normalized'"), "rescaled": ("age", "'float_rescaled'"), "discretized": ("age", "'float_discretized'"), "integer": ("rooms", "'integer_categorical'"),
    "string": ("city", "'string_categorical'"), "integer_hashed": ("rooms", "'integer_hashed'"), "string_hashed": ("city", "'string_hashed'"), "float_rescaled_by": ("age", "keras.utils.FeatureSpace.float_rescaled(0.5, 1.0)"),
    "discretized_at": ("age", "keras.utils.FeatureSpace.float_discretized(num_bins=3, bin_boundaries=[25.0, 50.0])"), "discretized_by": ("age", "keras.utils.FeatureSpace.float_discretized(num_bins=None, bin_boundaries=[25.0, 50.0], output_mode='int')"), "discretized_into": ("age", "keras.utils.FeatureSpace.float_discretized(num_bins=3)"),
    "string_few": ("city", "keras.utils.FeatureSpace.string_categorical(max_tokens=3)"), "string_oov": ("city", "keras.utils.FeatureSpace.string_categorical(num_oov_indices=2)"),
    "integer_few": ("rooms", "keras.utils.FeatureSpace.integer_categorical(max_tokens=3)"), "hashed_8": ("city", "keras.utils.FeatureSpace.string_hashed(num_bins=8)"), "integer_hashed_8": ("rooms", "keras.utils.FeatureSpace.integer_hashed(num_bins=8)"),
    "normalized_method": ("age", "keras.utils.FeatureSpace.float_normalized()"), "feature": ("age", "keras.utils.FeatureSpace.feature('float32', keras.layers.Rescaling(2.0), 'float')"),
}  # fmt: skip
_ALL = "{'age': 'float_normalized', 'city': 'string_categorical', 'rooms': 'integer_categorical', 'kind': F.string_hashed(num_bins=4)}"
CASES = [
    *((name, _of(f"{{'{column}': {kind}}}") + "made") for name, (column, kind) in _ONE.items()),
    ("all", _of(_ALL) + "made"),
    ("all_dict", _of(_ALL, ", output_mode='dict'") + "made"),
    ("int_dict", _of("{'city': keras.utils.FeatureSpace.string_categorical(output_mode='int'), 'age': 'float'}", ", output_mode='dict'") + "made"),
    ("cross", _of(_ALL, ", crosses=[('city', 'rooms')], crossing_dim=16") + "made"),
    ("cross_of", _of(_ALL, ", output_mode='dict', crosses=[keras.utils.FeatureSpace.cross(('city', 'kind'), crossing_dim=8, output_mode='int')]") + "[made[n] for n in sorted(made)]"),
    ("one_sample", _of(_ALL) + "s({n: data[n][0] for n in kinds})"),
    ("in_a_pipeline", _of(_ALL) + "[x for x in tf.data.Dataset.from_tensor_slices({n: data[n] for n in kinds}).batch(2).map(s)]"),
    ("in_a_model", _of("{'age': 'float_normalized', 'rooms': 'integer_categorical'}") + "m = keras.Model(s.get_inputs(), keras.layers.Dense(1, kernel_initializer='ones')(s.get_encoded_features())); m({n: data[n].reshape(-1, 1) for n in kinds})"),
    ("not_adapted", f"{_DATA}; F({{'age': 'float_normalized'}})({{'age': data['age']}})"),
    ("no_features", f"{_DATA}; F({{}})"),
    ("unknown_kind", f"{_DATA}; F({{'age': 'floating'}})"),
    ("unknown_cross", f"{_DATA}; F({{'age': 'float'}}, crosses=[('age', 'town')])"),
    ("unknown_mode", f"{_DATA}; F({{'age': 'float'}}, output_mode='rows')"),
    ("no_dict", f"{_DATA}; F({{'age': 'float'}})([1.0])"),
    ("whole_number_in_row", _of("{'city': keras.utils.FeatureSpace.string_categorical(output_mode='int')}") + "made"),
    ("adapt_list", f"{_DATA}; F({{'age': 'float_normalized'}}).adapt([1.0])"),
    ("bad_feature_mode", f"{_DATA}; F.feature('float32', keras.layers.Rescaling(2.0), 'rows')"),
    ("bad_cross_mode", f"{_DATA}; F.cross(('a', 'b'), 8, 'rows')"),
]  # fmt: skip
