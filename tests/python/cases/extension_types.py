"""tf.experimental.ExtensionType: classes of fields in functions, branches, loops, datasets and dispatch."""

_MASKED = """
        from typing import List, Mapping, Optional, Tuple, Union
        class Masked(tf.experimental.ExtensionType):
            values: tf.Tensor
            mask: tf.Tensor
            shape = property(lambda self: self.values.shape)
            def __validate__(self):
                self.values.shape.assert_is_compatible_with(self.mask.shape)
                assert self.mask.dtype.is_bool, 'the mask must be bool'
            def with_values(self, values):
                return Masked(values, self.mask)
            def with_default(self, default):
                return tf.where(self.mask, self.values, default)
        a = Masked(tf.range(300.), tf.range(300) % 3 > 0)
        b = Masked(tf.ones([300]), tf.range(300) % 2 > 0)
"""
CASES = [
    (
        "fields",
        _MASKED
        + """
        class Pencil(tf.experimental.ExtensionType):
            color: str = 'black'
            has_erasor: bool = True
            length: tf.Tensor = 1.0
        p = Pencil(length=0.5, color='blue')
        result = [a.values[299], a.mask[1], a.shape, tf.reduce_sum(a.with_default(0.)), Pencil().color, p.color, p.length, p.has_erasor]
    """,
    ),
    ("a_field_of_no_kind", _MASKED + "        result = Masked([1, 2, 3], None)\n"),
    ("validation", _MASKED + "        result = Masked([1, 2, 3], [0, 1, 0])\n"),
    ("shapes_that_do_not_fit", _MASKED + "        result = Masked([1, 2, 3], [True, False])\n"),
    ("fields_are_kept", _MASKED + "        a.mask = b.mask\n        result = 1\n"),
    ("equality", _MASKED + "        result = [a == a, a == b, a != a, a == Masked([1.], [True])]\n"),
    (
        "an_init_of_ones_own",
        """
        class Toy(tf.experimental.ExtensionType):
            name: str
            price: tf.Tensor
            def __init__(self, name, price, discount=0):
                self.name = name
                self.price = price * (1 - discount)
        [Toy('ball', 5.0, discount=0.2).price, Toy('ball', 5.0).name]
    """,
    ),
    (
        "nested_and_derived",
        _MASKED
        + """
        class Leaf(tf.experimental.ExtensionType):
            value: tf.Tensor
        class Node(tf.experimental.ExtensionType):
            value: tf.Tensor
            children: Tuple[Leaf, ...] = ()
        class Graph(tf.experimental.ExtensionType):
            weights: tf.Tensor
            labels: Mapping[str, tf.Tensor]
        class WithFeatures(Graph):
            features: Optional[tf.Tensor]
        n, g = Node(3, [Leaf(5), Leaf(2)]), WithFeatures(tf.ones([120, 120]), {'a': [1, 2]}, None)
        result = [n.children[1].value, len(n.children), g.labels['a'], g.features is None, isinstance(g, Graph)]
    """,
    ),
    (
        "functions",
        _MASKED
        + """
        traces = []
        @tf.function
        def f(x, y):
            traces.append(1)
            return x.with_values(x.values * 2 + y.values), x
        one, two = f(a, b), f(b, a)
        result = [one[0].values[7], one[1].mask[3], two[0].values[7], len(traces), isinstance(two[0], Masked)]
    """,
    ),
    (
        "branches_and_loops",
        _MASKED
        + """
        @tf.function
        def f(x, t):
            if t:
                x = Masked(x, tf.less(x, 0.))
            else:
                x = Masked(x, tf.greater(x, 0.))
            for i in tf.range(5):
                x = x.with_values(x.values + 0.5)
            return x
        chosen = tf.cond(tf.constant(True), lambda: a, lambda: b)
        looped = tf.while_loop(lambda i, _: i < 10, lambda i, m: (i + 1, m.with_values(m.values + 1.)), [0, b])[1]
        made = [f(tf.constant([1., -2., 3.]), tf.constant(t)) for t in (True, False)]
        result = [tf.reduce_sum(chosen.values), looped.values[0], [m.values for m in made], [m.mask for m in made]]
    """,
    ),
    (
        "specs",
        _MASKED
        + """
        spec = tf.type_spec_from_value(a)
        @tf.function(input_signature=[Masked.Spec(tf.TensorSpec([None], tf.float32), tf.TensorSpec([None], tf.bool))])
        def f(x):
            return tf.reduce_sum(x.with_default(0.))
        result = [spec.values.shape, spec.mask.dtype.name, f(a), f(Masked([1.], [True]))]
    """,
    ),
    (
        "a_spec_of_ones_own",
        """
        class Masked(tf.experimental.ExtensionType):
            values: tf.Tensor
            mask: tf.Tensor
            class Spec:
                def __init__(self, shape, dtype=tf.float32):
                    self.values = tf.TensorSpec(shape, dtype)
                    self.mask = tf.TensorSpec(shape, tf.bool)
                shape = property(lambda self: self.values.shape)
        s = Masked.Spec([None, 128])
        [s.shape, s.mask.dtype.name, s.values.dtype.name]
    """,
    ),
    (
        "dispatch",
        _MASKED
        + """
        @tf.experimental.dispatch_for_api(tf.stack)
        def stacked(values: List[Union[Masked, tf.Tensor]], axis=0):
            values = [v if isinstance(v, Masked) else Masked(v, tf.ones_like(v, tf.bool)) for v in values]
            return Masked(tf.stack([v.values for v in values], axis), tf.stack([v.mask for v in values], axis))
        @tf.experimental.dispatch_for_unary_elementwise_apis(Masked)
        def unary(f, x):
            return Masked(f(x.values), x.mask)
        @tf.experimental.dispatch_for_binary_elementwise_apis(Masked, Masked)
        def binary(f, x, y):
            return Masked(f(x.values, y.values), x.mask & y.mask)
        many, added, halved = tf.stack([a, b, tf.ones([300])]), tf.math.add(a, b), tf.math.square(b)
        plain = [tf.stack([1, 2]), tf.add(1, 2), tf.abs(-3.)]
        for f in (stacked, unary, binary):
            tf.experimental.unregister_dispatch_for(f)
        result = [many.shape, many.mask[2, 0], tf.reduce_sum(added.values), tf.reduce_sum(tf.cast(added.mask, 'int32')), halved.values[3], plain]
    """,
    ),
    (
        "datasets_and_maps",
        """
        class Network(tf.experimental.BatchableExtensionType):
            work: tf.Tensor
            bandwidth: tf.Tensor
        many = Network(tf.reshape(tf.range(360.), [120, 3]), tf.zeros([120, 3, 3]))
        rows = tf.data.Dataset.from_tensor_slices(many)
        doubled = rows.map(lambda n: Network(n.work * 2, n.bandwidth))
        one, batch = next(iter(doubled)), next(iter(doubled.batch(50)))
        mapped = tf.map_fn(lambda n: Network(n.work + 1, n.bandwidth), many)
        [one.work, batch.work.shape, batch.bandwidth.shape, mapped.work[119], isinstance(batch, Network)]
    """,
    ),
    (
        "structures",
        _MASKED
        + """
        result = [len(tf.nest.flatten([a, 1])), len(tf.nest.flatten(a, expand_composites=True)), tf.nest.map_structure(lambda x: type(x).__name__, {'p': a, 'q': 2}),
                  isinstance(tf.nest.pack_sequence_as({'p': a}, [7])['p'], int)]
    """,
    ),
]
