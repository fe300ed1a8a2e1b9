"""tf.image: names of the rarer kind."""

BOXES = """
        boxes = rng.uniform(0, 0.7, (120, 4)).astype('float32')
        boxes[:, 2:] = boxes[:, :2] + rng.uniform(0.05, 0.3, (120, 2))
        boxes, scores = tf.constant(boxes), tf.constant(rng.permutation(120).astype('float32') / 120)
        """

CASES = [
    (
        "boxes_on_pictures",
        """
        x = tf.constant(rng.uniform(size=(2, 120, 100, 3)).astype('float32'))
        boxes = rng.uniform(-0.1, 0.6, (2, 12, 4)).astype('float32')
        boxes[..., 2:] += boxes[..., :2]
        made = [tf.image.draw_bounding_boxes(x, boxes, None), tf.image.draw_bounding_boxes(x, boxes, [[0.3, 0.5, 0.7], [0.1, 0.2, 0.9]]), tf.image.draw_bounding_boxes(x[..., :1], boxes, None)]
        [[m.shape, tf.reduce_sum(m, [1, 2]), m[0, 30, 40]] for m in made] + [tf.reduce_sum(tf.function(lambda a, b: tf.image.draw_bounding_boxes(a, b, None))(x, boxes))]
    """,
        {"rtol": 1e-4},
    ),
    (
        "boxes_that_stay",
        BOXES
        + """
        made = []
        for options in ({}, dict(iou_threshold=0.2, score_threshold=0.3), dict(soft_nms_sigma=0.5), dict(soft_nms_sigma=0.2, iou_threshold=1.0, score_threshold=0.2)):
            made.append([v for v in tf.image.non_max_suppression_with_scores(boxes, scores, 30, **options)])  # type: ignore[arg-type]
        made
    """,
        {"rtol": 1e-4},
    ),
    (
        "boxes_that_stay_by_overlaps",
        "a = rng.uniform(size=(50, 50)).astype('float32')\ntf.image.non_max_suppression_overlaps((a + a.T) / 2, rng.permutation(50).astype('float32'), 20, 0.6, 3.0)",
    ),
    (
        "boxes_that_stay_filled_up",
        BOXES
        + """
        made = [tf.image.non_max_suppression_padded(boxes, scores, 90, iou_threshold=0.3, pad_to_max_output_size=True), tf.image.non_max_suppression_padded(boxes, scores, 20),
                tf.image.non_max_suppression_padded(tf.reshape(boxes, [2, 60, 4]), tf.reshape(scores, [2, 60]), 70, 0.1, 0.2, True)]
        [[i.shape, n, i[..., :5]] for i, n in made]
    """,
    ),
    (
        "boxes_of_a_batch_that_are_not_filled_up",
        "tf.image.non_max_suppression_padded(tf.zeros([2, 3, 4]), tf.zeros([2, 3]), 2)",
    ),
    (
        "similarity_at_several_scales",
        """
        a, b = rng.uniform(size=(2, 2, 190, 180, 3)).astype('float32')
        b = 0.7 * a + 0.3 * b
        c = tf.Variable(a)
        with tf.GradientTape() as tape:
            y = tf.image.ssim_multiscale(c, b, 1.0)
        [y, tf.reduce_sum(abs(tape.gradient(y, c))), tf.image.ssim_multiscale(tf.cast(a * 255, tf.uint8), tf.cast(b * 255, tf.uint8), 255, power_factors=(0.3, 0.7), filter_size=7)]
    """,
        {"rtol": 1e-3},
    ),
    (
        "glimpses",
        """
        x = tf.constant(rng.uniform(size=(3, 50, 40, 2)).astype('float32'))
        at = tf.constant([[0.0, 0.0], [0.4, -0.9], [-0.3, 0.7]])
        made = [tf.image.extract_glimpse(x, [12, 9], at * (1 if n else 20), centered=c, normalized=n, noise='zero') for c in (True, False) for n in (True, False)]
        [[m.shape, tf.reduce_sum(m, [1, 2])] for m in made]
    """,
        {"rtol": 1e-4},
    ),
    (
        "parts_of_jpegs",
        """
        x = tf.io.encode_jpeg(tf.cast(tf.reshape(tf.range(100 * 120 * 3) // 200, [100, 120, 3]) % 255, tf.uint8), quality=100)
        y = tf.io.decode_and_crop_jpeg(x, [10, 20, 30, 40], channels=3)
        [y.shape, y.dtype, tf.reduce_max(tf.abs(tf.cast(y, tf.int32) - tf.cast(tf.io.decode_jpeg(x), tf.int32)[10:40, 20:60])) < 3, tf.image.decode_and_crop_jpeg(x, [0, 0, 9, 9]).shape]
    """,
    ),
    (
        "parts_outside_of_jpegs",
        "tf.io.decode_and_crop_jpeg(tf.io.encode_jpeg(tf.zeros([10, 10, 3], tf.uint8)), [5, 5, 10, 10])",
    ),
    (
        "gifs",
        """
        def packed(numbers, least):  # LZW whose table never grows past the first size of codes
            codes = []
            for i, n in enumerate(numbers):
                codes += ([1 << least] if i % ((1 << least) - 2) == 0 else []) + [n]
            bits = ''.join(format(c, f'0{least + 1}b')[::-1] for c in codes + [(1 << least) + 1])
            data = bytes(int(bits[i:i + 8][::-1], 2) for i in range(0, len(bits), 8))
            return bytes([least]) + b''.join(bytes([len(data[i:i + 255])]) + data[i:i + 255] for i in range(0, len(data), 255)) + b'\\0'
        def word(*n):
            return b''.join(int(v).to_bytes(2, 'little') for v in n)
        colors = bytes(rng.integers(0, 256, 16 * 3).tolist())
        whole = b',' + word(0, 0, 30, 20) + b'\\0' + packed(rng.integers(0, 16, 600).tolist(), 4)
        part = b'!\\xf9\\x04\\x01\\0\\0\\x05\\0,' + word(7, 3, 11, 9) + b'\\x40' + packed(rng.integers(0, 16, 99).tolist(), 4)
        data = b'GIF89a' + word(30, 20) + b'\\xf3\\0\\0' + colors + whole + part + whole + b';'
        y = tf.io.decode_gif(data)
        mapped = next(iter(tf.data.Dataset.from_tensors(data).map(tf.image.decode_gif)))
        [y.shape, y.dtype, tf.reduce_sum(tf.cast(y, tf.int32), [1, 2]), y[1, 5, 7:12], tf.reduce_sum(tf.cast(mapped, tf.int32))]
    """,
    ),
]
