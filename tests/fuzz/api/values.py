"""Arguments, as text that Python evaluates: so a call that fails is its own reproducer.

No size lies between what is quick and what no machine has: a call either is small or has to be refused.
Nor is anything without an end: Python itself would walk it for ever."""

NASTY = """
None; True; -1; 0; 3; 7; 150; 300; 1000; 2**15; 2**31; -2**31; 2**32; 2**40; -2**40; 2**53+1; 2**62; -2**62; 2**63-1; -2**63; 2**63; 2**64; 2**70; -2**70; 10**400
0.0; -0.0; 2.5; -1.5; 1e-45; 1e38; 1e308; float("nan"); float("inf"); -float("inf"); 1+2j; 10**12
""; "a"; "\\0"; "\\ud800"; "é"*70; "float32"; "relu"; "mean"; "no such thing"; "x"*5000; b""; b"\\xff\\x00"; "same"; "../nowhere"; "s3://x"
[]; (); {}; [[]]; [[], []]; [1, [2]]; [None]; [1, None]; [[1.0, 2.0], [3.0, 4.0]]; [1, 2.5, True]; ["a", 1]; ["a", b"b"]; {"a": 1}; {"a": [1.0], "b": {"c": 2}}; {1: 2}; set(); {1, 2}; range(3); range(10**5)
[2**40, 2**40]; [-1, -1]; [-2**63]; [2, -2**63]; [2**62, 4]; [0, 2**62]; [3, 0]; [2**31, 2**31]; [1]*9; [1]*40; (2, 3); [2, 3]; [3]; [0]; [1.5]; [10**30]; [[0, 0], [1, 1]]; [[2**62, 2**62]]; [[-1, 0]]
object(); object; type; Ellipsis; NotImplemented; slice(None); slice(-2**63, 2**63, -1); lambda x: x; lambda *a, **k: 1.0; len; print
np.float32(1); np.float64("nan"); np.int8(-1); np.uint64(2**64-1); np.longdouble(1); np.datetime64("2020-01-01"); np.timedelta64(3, "D"); np.bool_(True); np.str_("s"); np.bytes_(b"s"); np.complex64(1j); np.array(5); np.dtype("float32"); np.dtype(">f4"); np.nan
np.zeros((2, 3), np.float32); np.ones((2, 3)); np.arange(6).reshape(2, 3); np.zeros((0,)); np.zeros((2, 0, 3), np.float32); np.ones((1,)*9, np.float32); np.ones((1,)*32); np.array(["x", "yz"]); np.array([b"x"]); np.array([1+2j])
np.arange(4, dtype=">f4"); np.arange(4, dtype=">i8"); np.array(["2020-01-01"], "datetime64[ns]"); np.array([3], "timedelta64[s]"); np.zeros(3, np.longdouble); np.zeros(3, np.clongdouble); np.zeros(2, [("a", "f4"), ("b", "i4")]); np.array([None, 1], object); np.array([[1], [2, 3]], object); np.array([object()], object); np.zeros(3, "V5"); np.ma.array([1.0, 2.0], mask=[0, 1]); np.matrix([[1.0, 2.0]])
np.ones((4, 6), np.float32)[::2, ::-3]; np.ones((3, 4), np.float32).T; np.broadcast_to(np.float32(1), (2, 3)); np.broadcast_to(np.float32(1), (3, 2**40)); np.full((3,), np.nan, np.float32); np.array([np.inf, -np.inf, 0.0], np.float32); np.float16([1e4]*8); np.array([2**63-1, -2**63]); np.array([255, 0], np.uint8); np.zeros((3, 3), bool); np.frombuffer(b"\\1\\2\\3", np.uint8); memoryview(b"\\1\\2\\3"); bytearray(b"ab"); __import__("array").array("d", [1.0])
nasty.RaisingItem(); nasty.RaisingLen(); nasty.RaisingIter(); nasty.RaisingMidway(); nasty.RaisingArray(); nasty.LyingArray(); nasty.RaisingIndex(); nasty.RaisingFloat(); nasty.RaisingBool(); nasty.RaisingText(); nasty.RaisingAttribute(); nasty.RaisingEq(); nasty.RaisingCall(); nasty.LyingLen(); nasty.Number(3); nasty.Text("relu"); nasty.inside_itself(); nasty.dict_inside_itself(); nasty.deep(); nasty.read_only(); nasty.raising; nasty.gives_none; nasty.gives_text; nasty.generator; nasty.generator()
[nasty.RaisingFloat()]; [nasty.RaisingItem(), 1]; {"a": nasty.RaisingArray()}; [[nasty.RaisingIndex()]]; iter([1.0, 2.0]); (x for x in [1, 2])
tf.constant(7); tf.constant([1.0, float("inf")]); tf.constant([[1, 2], [3, 4]]); tf.zeros([2, 3, 4, 5]); tf.zeros([0]); tf.constant("t"); tf.constant(["a", "bc"]); tf.constant([True, False]); tf.constant([1+2j]); tf.zeros([2, 3], tf.float16); tf.ones([4], tf.bfloat16); tf.ones([2, 2], tf.float64); tf.constant(2**62, tf.int64); tf.constant([-2**63], tf.int64); tf.constant([5], tf.uint8); tf.zeros([1]*8)
tf.Variable([1.0, 2.0]); tf.Variable(3); tf.ragged.constant([[1.0], [2.0, 3.0]]); tf.sparse.from_dense([[0.0, 1.0]]); tf.float32; tf.string; tf.TensorShape([None, 3]); tf.TensorSpec([None], tf.float32); tf.data.Dataset.range(5); keras.Input((3,)); keras.layers.Dense(4); keras.Sequential([keras.layers.Dense(2)]); keras.optimizers.Adam(); keras.losses.MeanSquaredError(); keras.metrics.Mean(); tf.random.Generator.from_seed(1); tf.function(lambda x: x)
"""

TENSORS = """
tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]); tf.constant([0.5, -1.5, 2.0]); tf.constant([[1, 2], [3, 4]]); np.ones((2, 3), np.float32); [1.0, 2.0, 3.0]; tf.random.normal([4, 8, 8, 3]); tf.random.uniform([2, 5, 7]); tf.eye(4); tf.constant([3, 1, 2]); tf.constant([True, False, True]); tf.constant(["a b", "c"]); np.arange(12.0).reshape(3, 4); tf.ones([2, 150]); tf.zeros([3, 128, 2]); tf.constant([0, 1, 1]); tf.constant(1.5); tf.constant([[1.0, -2.0], [0.5, 3.0]], tf.float64); tf.cast(tf.ones([3, 3]), tf.complex64); np.random.rand(2, 16, 16, 3).astype("float32"); tf.zeros([2, 3], tf.uint8)
"""
SIZES = "[2, 3]; (4,); []; 3; [2, 150]; [-1]; [1, 2, 3, 4]; tf.constant([2, 3]); [0, 3]; 128; [6]; (8, 8); 2; 1"
AXES = "0; 1; -1; -2; None; [0, 1]; (0,); 2; [-1]; 5; tf.constant(1)"
NUMBERS = "1; 2; 3; 0; -1; 0.5; 1.0; 100; 300; 0.1"

# By what a parameter is called, in part.
PLAUSIBLE = [
    (("axis", "axes", "dim", "perm"), AXES),
    (("shape", "size", "units", "filters", "kernel", "stride", "multiple", "paddings", "num_", "depth", "begin", "count", "length", "rows", "columns", "classes", "steps", "window", "frame", "maxlen", "target", "n", "k", "repeats", "shift"), SIZES),
    (("dtype", "_type", "Tout"), 'tf.float32; "float32"; tf.int32; np.float64; tf.uint8; "bfloat16"; tf.bool; tf.complex64; tf.string; float; "int8"'),
    (("name",), '"x"; None; "a/b"'),
    (("activation", "initializer", "loss", "optimizer", "metric", "regularizer"), '"relu"; "softmax"; "glorot_uniform"; "zeros"; "mse"; "adam"; "accuracy"; "l2"; None; keras.losses.MeanSquaredError(); keras.optimizers.SGD(0.1); keras.initializers.Zeros()'),
    (("fn", "func", "body", "cond", "callable", "predicate"), "lambda x: x; lambda x, y: x + y; lambda *a: False; tf.square; lambda x: x < 3; None"),
    (("path", "file", "dir", "prefix"), '"scratch/a"; "scratch/b.keras"; "scratch/c.weights.h5"; "scratch/missing/d"; "scratch"'),
    (("layer", "cell", "model"), "keras.layers.Dense(3); keras.layers.LSTMCell(4); keras.Sequential([keras.layers.Dense(2)]); [keras.layers.Dense(3)]"),
    (("seed",), "1; None; [1, 2]; 2**40"),
    (("keepdims", "training", "exclusive", "reverse", "use_", "return_", "transpose", "shuffle", "from_logits", "repeat", "drop_"), "True; False; None"),
    (("rate", "epsilon", "momentum", "alpha", "beta", "gamma", "min", "max", "delta", "limit", "start", "stop", "value", "factor", "threshold"), NUMBERS),
]  # fmt: skip

RECEIVERS = """
tf.constant([[1.0, 2.0], [3.0, 4.0]]); tf.constant([1, 2, 3]); tf.constant("text"); tf.Variable([[1.0, 2.0]]); tf.Variable(3); tf.data.Dataset.range(10); tf.data.Dataset.from_tensor_slices((np.ones((6, 3), np.float32), np.zeros(6))); tf.data.Dataset.range(6).batch(2); iter(tf.data.Dataset.range(3))
tf.GradientTape(persistent=True); tf.function(lambda x: x * 2); tf.TensorShape([None, 3]); tf.TensorSpec([None, 2], tf.float32); tf.float32; tf.ragged.constant([[1.0], [2.0, 3.0]]); tf.sparse.from_dense([[0.0, 1.0]]); tf.random.Generator.from_seed(1); tf.TensorArray(tf.float32, 3); tf.train.Checkpoint(v=tf.Variable(1.0)); tf.io.TFRecordWriter("scratch/r"); tf.Module(); tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, 0, -2); tf.train.Example()
keras.Input((3,)); built_model(); functional_model(); keras.Sequential([keras.layers.Dense(4)]); keras.layers.Dense(3); built_layer(); keras.layers.LSTM(4); keras.layers.TextVectorization(); keras.layers.Normalization(); keras.layers.BatchNormalization(); keras.layers.StringLookup(); keras.optimizers.Adam(); keras.optimizers.SGD(0.1, momentum=0.9); keras.losses.MeanSquaredError(); keras.metrics.Mean(); keras.metrics.AUC(); keras.metrics.MeanIoU(3); keras.optimizers.schedules.ExponentialDecay(0.1, 10, 0.9); keras.initializers.HeNormal(); keras.regularizers.L2(0.1); keras.callbacks.History(); keras.callbacks.EarlyStopping(); keras.mixed_precision.LossScaleOptimizer(keras.optimizers.SGD()); keras.random.SeedGenerator(1)
"""


def split(text):
    return [value.strip() for line in text.strip().split("\n") for value in line.split("; ")]


NASTY, TENSORS, RECEIVERS = split(NASTY), split(TENSORS), split(RECEIVERS)
PLAUSIBLE = [(words, split(text)) for words, text in PLAUSIBLE]
GENERIC = TENSORS + split(NUMBERS)


def plausible(parameter):
    """Values that a parameter of this name may well take."""
    for words, values in PLAUSIBLE:
        if any(parameter == w if len(w) == 1 else w in parameter for w in words):
            return values
    return GENERIC if parameter else NASTY
