"""Layers and functions of Keras 3 for pictures and signals: what of them is not left to chance."""

PICTURES = """
        x = np.clip(rng.normal(120, 40, (3, 50, 61, 3)), 5, 240).astype('float32')
        def seen(y):
            y = np.asarray(y, 'float64')
            return [y.shape, np.array([y.mean(), y.std(), (y.ravel() * np.sin(np.arange(y.size))).sum() / 100])]
"""
NEAR = {"rtol": 1e-3, "atol": 0.02}

CASES = [
    # ---- layers whose factors leave nothing to chance
    (
        "histograms",
        PICTURES
        + """
        L = keras.layers
        u = x.astype('uint8')
        [seen(layer(v)) for layer, v in (
            (L.AutoContrast(), x), (L.AutoContrast(), u), (L.AutoContrast((0, 1)), x / 255), (L.AutoContrast(), x * 0 + 7), (L.Equalization(), x),
            (L.Equalization(), u), (L.Equalization((0, 1), bins=64), x / 255), (L.Equalization(), x * 0 + 3), (L.Equalization(), x[0]),
            (L.ContrastLimitedAdaptiveHistogramEqualization(), x), (L.ContrastLimitedAdaptiveHistogramEqualization((0, 1), 2.0, (4, 3)), x / 255),
            (L.ContrastLimitedAdaptiveHistogramEqualization(data_format='channels_first'), x.transpose(0, 3, 1, 2)))]
    """,
        NEAR,
    ),
    (
        "colours",
        PICTURES
        + """
        L = keras.layers
        made = [(L.RandomHue, (1.0, 1.0)), (L.RandomSaturation, (0.4, 0.4)), (L.RandomColorDegeneration, (0.4, 0.4)), (L.RandomSharpness, (0.9, 0.9)),
                (L.RandomInvert, (1.0, 1.0)), (L.RandomPosterization, (3, 3)), (L.RandomGrayscale, 1.0)]
        [[seen(cls(factor)(x)), seen(cls(factor, data_format='channels_first')(x.transpose(0, 3, 1, 2))), seen(cls(factor)(x[1])),
          seen(cls(factor)(x, training=False))] for cls, factor in made]
    """,
        NEAR,
    ),
    (
        "colours_of_another_range",
        PICTURES
        + """
        L = keras.layers
        y = x / 255
        [seen(layer(y)) for layer in (L.RandomHue((1.0, 1.0), value_range=(0, 1)), L.RandomSaturation((0.7, 0.7), value_range=(0, 1)), L.RandomInvert((1.0, 1.0), (0, 1)),
                                      L.RandomPosterization((2, 2), value_range=(0, 1)), L.Solarization(value_range=(0, 1)))]
    """,
        {"rtol": 1e-3, "atol": 0.011},
    ),
    (
        "erased_and_blurred",
        PICTURES
        + """
        whole = keras.layers.RandomErasing((1.0, 1.0), scale=(1.0, 1.0), fill_value=(1.0, 2.0, 300.0))(x)
        blur = keras.layers.RandomGaussianBlur((1.0, 1.0), kernel_size=(5, 5), sigma=(0.8, 0.8))
        still = keras.layers.RandomPerspective((1.0, 1.0), scale=0.0)
        [seen(whole), seen(blur(x)), seen(blur(x, training=False)), seen(still(x)), seen(keras.layers.RandomElasticTransform(0.0)(x))]
    """,
        NEAR,
    ),
    (
        "shear_of_one_amount",
        PICTURES
        + """
        made = keras.layers.RandomShear(x_factor=(0.3, 0.3), fill_mode='constant', fill_value=9.0)(x[:1])
        back = [seen(keras.ops.image.affine_transform(x[:1], np.array([1, s, 0, 0, 1, 0, 0, 0], 'float32'), fill_value=9.0)) for s in (0.3, -0.3)]
        [any(np.allclose(seen(made)[1], b[1], atol=0.05) for b in back)] + back
    """,
        NEAR,
    ),
    (
        "boxes_of_a_number",
        """
        boxes = {'boxes': rng.uniform(0, 50, (2, 3, 4)).astype('float32'), 'labels': rng.integers(0, 9, (2, 3)).astype('float32')}
        made = [keras.layers.MaxNumBoundingBoxes(n, bounding_box_format='xyxy')({'images': np.ones((2, 60, 60, 3), 'float32'), 'bounding_boxes': dict(boxes)})
                for n in (2, 5)]
        [(m['bounding_boxes']['boxes'], m['bounding_boxes']['labels']) for m in made]
    """,
    ),
    # ---- adaptive pooling
    (
        "adaptive_pools",
        """
        x = tf.constant(rng.normal(size=(2, 23, 17, 130)).astype('float32'))
        line, volume = tf.constant(rng.normal(size=(3, 37, 5)).astype('float32')), tf.constant(rng.normal(size=(2, 9, 10, 7, 3)).astype('float32'))
        result = []
        for kind in ('Average', 'Max'):
            make = lambda n: getattr(keras.layers, f'Adaptive{kind}Pooling{n}D')
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = make(2)((7, 5))(x)
                total = tf.reduce_sum(y * y)
            slope = tape.gradient(total, x)
            result += [tuple(y.shape), total, tf.reduce_sum(tf.abs(slope)), slope[1, 20, 3:8, 100], tf.reduce_sum(make(2)(6)(x)),
                       tf.reduce_sum(make(2)((3, 11), data_format='channels_first')(x)), make(1)(5)(line)[0], tf.reduce_sum(make(1)((40,))(line)),
                       tuple(make(3)((2, 4, 7))(volume).shape), tf.reduce_sum(make(3)((2, 4, 7))(volume) ** 2), make(2)(4)(x)[0, :, :, 7]]
        result
    """,
        {"rtol": 1e-4, "atol": 1e-3},
    ),
    (
        "adaptive_pool_in_a_model",
        """
        inputs = keras.Input((24, 30, 16))
        pooled = keras.layers.AdaptiveAveragePooling2D((5, 4))(inputs)
        outputs = keras.layers.AdaptiveMaxPooling2D(2)(pooled)
        model = keras.Model(inputs, keras.layers.Flatten()(outputs))
        [model.output_shape, tuple(pooled.shape), model.predict(rng.normal(size=(3, 24, 30, 16)), verbose=0)[:, ::9]]
    """,
        {"rtol": 1e-4},
    ),
    # ---- functions of keras.ops.image
    (
        "transforms",
        PICTURES
        + """
        t = np.array([[.9, .2, -3.3, -.1, 1.1, 2.7, .001, .0005]] * 3, 'float32')
        t[1] = [-.9, .21, 70.33, -.4, -1.1, 60.71, 0, 0]
        affine = keras.ops.image.affine_transform
        result = [seen(affine(x, t, way, fill, 7.0)) for fill in ('constant', 'nearest', 'wrap', 'reflect') for way in ('nearest', 'bilinear') if fill + way != 'reflectnearest']
        result += [seen(affine(x[0], t[1])), seen(affine(x.astype('uint8'), t)), seen(affine(x.transpose(0, 3, 1, 2), t, data_format='channels_first'))]
        start = np.array([[0, 0], [60, 0], [0, 49], [60, 49]], 'float32')
        end = start + np.array([[3, 4], [-5, 2], [1, -6], [-2, -3]], 'float32')
        perspective = keras.ops.image.perspective_transform
        result += [seen(perspective(x, np.stack([start] * 3), np.stack([end] * 3), way, 3.0)) for way in ('nearest', 'bilinear')]
        result + [seen(perspective(x[0], start, end))]
    """,
        {"rtol": 1e-3, "atol": 0.5},
    ),
    (
        "gradients_of_resampling",
        """
        x = tf.constant(rng.uniform(0, 1, (2, 24, 30, 3)).astype('float32'))
        functions = [lambda v: keras.ops.image.gaussian_blur(v, (5, 5), (1.5, 0.7)),
                     lambda v: keras.ops.image.scale_and_translate(v, (2, 30, 20, 3), np.array([1.3, 0.6], 'float32'), np.array([1, -2], 'float32'), (1, 2), 'cubic'),
                     lambda v: keras.ops.image.map_coordinates(v[0, :, :, 0], np.array([[3.2, 7.7, -2.0], [4.5, 40.1, 6.0]], 'float32'), 1, 'nearest')]
        result = []
        for f in functions:
            with tf.GradientTape() as tape:
                tape.watch(x)
                total = tf.reduce_sum(tf.square(f(x)))
            slope = tape.gradient(total, x)
            result += [total, tf.reduce_sum(tf.abs(slope)), slope[0, 5:9, 6, 1]]
        result
    """,
        {"rtol": 1e-3, "atol": 1e-3},
    ),
    (
        "values_at_coordinates",
        PICTURES
        + """
        at = [rng.uniform(-20, 80, (5, 7)).astype('float32'), rng.uniform(-20, 80, (5, 7)).astype('float32')]
        [seen(keras.ops.image.map_coordinates(v[0, :, :, 0], at, order, fill, 5.0 if v is x else 5)) for fill in ('constant', 'nearest', 'wrap', 'reflect') for order in (0, 1)
         for v in (x, x.astype('uint8'))]
    """,
        NEAR,
    ),
    (
        "blurred_and_resampled",
        PICTURES
        + """
        image = keras.ops.image
        result = [seen(image.gaussian_blur(x, (5, 5), (1.5, 0.7))), seen(image.gaussian_blur(x[0], (3, 7), (1.0, 2.0))),
                  seen(image.gaussian_blur(x.transpose(0, 3, 1, 2), data_format='channels_first'))]
        result += [seen(image.scale_and_translate(x, (3, 30, 90, 3), np.array([.6, 1.4], 'float32'), np.array([1.3, -2.], 'float32'), (1, 2), method, antialias))
                   for method in ('linear', 'cubic', 'lanczos3', 'lanczos5', 'bilinear') for antialias in (True, False)]
        result
    """,
        NEAR,
    ),
    (
        "edges_and_likeness",
        PICTURES
        + """
        image = keras.ops.image
        y = np.clip(x + rng.normal(0, 10, x.shape), 0, 255).astype('float32')
        first = lambda v: v.transpose(0, 3, 1, 2)
        [seen(image.sobel_edges(x)), seen(image.sobel_edges(first(x), data_format='channels_first')), image.ssim(x, y, 255.0), image.ssim(x[0] / 255, y[0] / 255, filter_size=7),
         image.ssim(x, y, max_val=255.0, filter_sigma=2.0, k1=0.02, k2=0.05), image.ssim(first(x), first(y), 255.0, data_format='channels_first')]
    """,
        {"rtol": 1e-3, "atol": 0.05},
    ),
    (
        "patches_of_volumes",
        """
        v = rng.normal(size=(2, 9, 10, 11, 3)).astype('float32')
        patches = keras.ops.image.extract_patches_3d
        made = [patches(v, 3), patches(v, (2, 3, 4), (1, 2, 3), padding='same'), patches(v[0], 2, strides=1, dilation_rate=2),
                patches(v.transpose(0, 4, 1, 2, 3), 3, data_format='channels_first'), keras.ops.image.extract_patches(v, (3, 3, 3))]
        [(tuple(m.shape), tf.reduce_sum(m[..., 0]), tf.reduce_sum(tf.abs(m))) for m in made]
    """,
        {"rtol": 1e-4, "atol": 1e-3},
    ),
    # ---- windows and spectra
    (
        "windows_as_columns_and_back",
        """
        x = tf.constant(rng.normal(size=(2, 30, 12, 10)).astype('float32'))
        how = {'dilation': (2, 1), 'padding': (1, 2), 'stride': (2, 3)}
        with tf.GradientTape() as tape:
            tape.watch(x)
            columns = keras.ops.unfold(x, (3, 2), **how)
            back = keras.ops.fold(columns, (12, 10), (3, 2), **how)
            total = tf.reduce_sum(back * back)
        plain = keras.ops.nn.unfold(x, 3)
        [tuple(columns.shape), columns[1, ::40, 3], tuple(back.shape), back[1, 29, 5], total, tape.gradient(total, x)[0, 3, 4], tuple(plain.shape), plain[0, ::60, 79],
         keras.ops.fold(plain, (12, 10), 3)[1, 7, 6]]
    """,
        {"rtol": 1e-4},
    ),
    (
        "spectra_of_windows",
        """
        x = rng.normal(size=(2, 1000)).astype('float32')
        result = []
        for length, step, size in ((256, 64, 256), (200, 50, 256)):
            for window in ('hann', 'hamming', None):
                for center in (True, False):
                    real, imaginary = keras.ops.stft(x, length, step, size, window=window, center=center)
                    back = keras.ops.istft((real, imaginary), length, step, size, window=window, center=center)
                    result += [tuple(real.shape), real[1, 3, ::40], imaginary[0, 4, ::40], tuple(back.shape), back[1, 300:302]]
        part = keras.ops.istft(keras.ops.stft(x, 200, 50, 256), 200, 50, 256, length=500)
        result + [tuple(part.shape), part[0, 490:], keras.ops.stft(x, 200, 50, 256, window=np.linspace(0, 1, 200).astype('float32'))[0][0, 1, ::50]]
    """,
        {"rtol": 1e-3, "atol": 2e-3},
    ),
    (
        "inverse_transforms",
        """
        x = rng.normal(size=(2, 3, 30)).astype('float32')
        turned = keras.ops.ifft2((x, 0.5 * x))
        [keras.ops.irfft(keras.ops.rfft(x))[1, 2, :5], keras.ops.irfft((x, 2 * x), 20)[0, 1], turned[0][0, 1, :5], turned[1][1, 2, :5], keras.ops.irfft((x, x))[0, 0, :4]]
    """,
        {"rtol": 1e-4, "atol": 1e-5},
    ),
    (
        "mel_spectrograms",
        """
        x = rng.normal(size=(2, 4000)).astype('float32')
        mel = keras.layers.MelSpectrogram
        made = [mel(fft_length=512, sequence_stride=128, num_mel_bins=40)(x), mel()(x),
                mel(fft_length=512, sequence_stride=128, sequence_length=400, window='hamming', num_mel_bins=40, max_freq=6000, power_to_db=False, mag_exp=1.0)(x[0]),
                mel(fft_length=512, sampling_rate=22050, min_freq=50.0, top_db=5.0, ref_power=3.0)(x)]
        [(tuple(m.shape), m[..., 3:12:4, 2], tf.reduce_mean(m)) for m in made]
    """,
        {"rtol": 1e-3, "atol": 1e-2},
    ),
    (
        "spectrograms_that_can_be_trained",
        """
        x = rng.normal(size=(2, 1000, 1)).astype('float32')
        two = np.concatenate([x, 2 * x], -1)
        stft = keras.layers.STFTSpectrogram
        made = [stft(mode, frame_length=128, frame_step=40)(x) for mode in ('log', 'magnitude', 'psd', 'real', 'imag', 'stft')]
        made += [stft('log', frame_length=100, fft_length=256, window='hamming', periodic=True, scaling='spectrum', padding='same', expand_dims=True)(two), stft('magnitude', frame_length=100, scaling=None)(two),
                 stft('magnitude', frame_length=64, window=None)(two)]
        layer = stft('psd', frame_length=64)
        layer(x)
        [(tuple(m.shape), tf.reduce_mean(m), tf.reduce_sum(m[1, 3:5])) for m in made] + [len(layer.trainable_weights), tuple(layer.weights[0].shape)]
    """,
        {"rtol": 1e-3, "atol": 1e-2},
    ),
    (
        "weights_of_spectra",
        """
        made = [keras.initializers.STFT('imag', window=w)((64, 1, 33)) for w in ('hann', 'blackman', 'boxcar', 'bartlett', 'nuttall', 'cosine', 'flattop', 'triang', 'bohman')]
        made += [tf.keras.initializers.STFT('real', w, 'spectrum', periodic=True)((63, 1, 33)) for w in ('hamming', 'blackmanharris', 'triang', 'bartlett', 'cosine')]
        made += [keras.initializers.STFTInitializer(window=None)((64, 1, 33)), keras.initializers.get('stft')((32, 1, 17))]
        [(tuple(m.shape), m[5:30:8, 0, 7]) for m in made] + [keras.initializers.STFT('imag', scaling=None).get_config()]
    """,
        {"rtol": 1e-3, "atol": 1e-5},
    ),
    # ---- an embedding that goes both ways
    (
        "embedding_and_back",
        """
        ids = rng.integers(0, 150, (8, 12))
        result = []
        for tied in (True, False):
            layer = keras.layers.ReversibleEmbedding(150, 32, tie_weights=tied, embeddings_initializer=keras.initializers.Constant(0.1), mask_zero=True, logit_soft_cap=0.2)
            with tf.GradientTape() as tape:
                logits = layer(layer(ids) * np.arange(32.0, dtype='float32'), reverse=True)
                total = tf.reduce_sum(logits[..., 7] ** 2)
            slopes = [tf.convert_to_tensor(g) for g in tape.gradient(total, layer.trainable_weights)]
            result += [tuple(layer(ids).shape), tuple(logits.shape), total, [tf.reduce_sum(g) for g in slopes], len(layer.weights), sorted(k for k in layer.get_config() if k not in ('quantization_config', 'activity_regularizer'))]
        result
    """,
        {"rtol": 1e-4},
    ),
    (
        "wrong_factors",
        """
        L = keras.layers
        result = []
        for make in (lambda: L.RandomHue(2.0), lambda: L.RandomInvert((0.1, 0.2, 0.3)), lambda: L.RandomGrayscale(-1.0), lambda: L.RandomShear(x_factor=1.5),
                     lambda: L.RandomGaussianBlur(kernel_size=4), lambda: L.RandomPosterization(9), lambda: L.Solarization(addition_factor=2.0), lambda: L.AutoContrast(3),
                     lambda: L.RandomPerspective(scale=2.0), lambda: L.AdaptiveAveragePooling2D((1, 2, 3)), lambda: L.STFTSpectrogram('loud'), lambda: L.MelSpectrogram(128, sequence_length=256)):
            try:
                make()
                result.append('made')
            except (ValueError, TypeError):
                result.append('refused')
        result
    """,
    ),
    # ---- boxes, and pictures with what is drawn on them
    (
        "formats_of_boxes",
        """
        boxes = rng.uniform(0, 80, (2, 5, 4)).astype('float32')
        formats = ('xyxy', 'yxyx', 'xywh', 'center_xywh', 'center_yxhw', 'rel_xyxy', 'rel_yxyx', 'rel_xywh', 'rel_center_xywh')
        convert = keras.utils.bounding_boxes.convert_format
        made = [convert(boxes, a, b, height=50, width=90)[1, 3] for a in formats for b in formats if a != b]
        several = convert({'boxes': boxes, 'labels': np.ones((2, 5))}, 'xywh', 'xyxy')
        [tf.stack(made)[::3], several['boxes'][0, 0], sorted(several)]
    """,
        {"rtol": 1e-4, "atol": 1e-3},
    ),
    (
        "boxes_moved_and_compared",
        """
        B = keras.utils.bounding_boxes
        b = rng.uniform(0, 80, (2, 5, 4)).astype('float32')
        b[..., 2:] += b[..., :2]
        a = b + rng.normal(0, 3, b.shape).astype('float32')
        a[..., 2:] = np.maximum(a[..., 2:], a[..., :2] + 1)
        each = lambda *numbers: tf.constant(np.float32(numbers))
        clipped = B.clip_to_image_size({'boxes': b, 'labels': np.ones((2, 5), 'float32')}, 30, 70)
        turned = [B.affine_transform(tf.constant(b), each(10, -30), each(.1, -.2), each(.05, .3), each(1.2, .8), each(5, -8), each(-3, 4), 50, 90, **more)[:, 2]
                  for more in ({}, {'center_x': .2, 'center_y': .9})]
        [clipped['boxes'][1], clipped['labels'], turned, B.crop(b, 10, 20, 30, 40)[0], B.pad(b, 10, 20)[1, 0],
         B.encode_box_to_deltas(a, b, 'xyxy', 'xyxy')[0], B.encode_box_to_deltas(a, b, 'xyxy', 'xywh', encoding_format='center_xywh', variance=[.1, .1, .2, .2])[1, :2],
         B.decode_deltas_to_boxes(a, b / 100, 'xyxy', 'xywh')[0, :2], B.decode_deltas_to_boxes(a, b / 100, 'xyxy', 'rel_xyxy', encoded_format='center_xywh', image_shape=(50, 90, 3))[1, 4],
         B.compute_iou(a, b, 'xyxy')[1], B.compute_iou(a[0], b[1], 'xywh')[0], B.compute_iou(a[0] / 100, b[0] / 100, 'rel_xyxy', image_shape=(50, 90, 3))[:2],
         B.compute_iou(a[0], np.where(np.arange(5)[:, None] > 2, -1.0, b[0]).astype('float32'), 'xyxy', use_masking=True)[1], B.compute_ciou(a, b, 'xyxy')]
    """,
        {"rtol": 1e-3, "atol": 1e-4},
    ),
    (
        "masks_on_pictures",
        """
        x, masks = rng.uniform(0, 255, (2, 30, 40, 3)).astype('float32'), rng.integers(-1, 4, (2, 30, 40, 1)).astype('int32')
        draw = keras.visualization.draw_segmentation_masks
        made = [draw(x, masks, num_classes=4), draw(x, masks, color_mapping={i: (10 * i, 5, 7) for i in range(4)}, alpha=0.3, ignore_index=2), draw(x, masks, blend=False),
                draw(x.transpose(0, 3, 1, 2), masks.transpose(0, 3, 1, 2), 4, data_format='channels_first')]
        [(tuple(m.shape), str(np.asarray(m).dtype), float(np.asarray(m, 'float64').mean()), np.asarray(m, 'float32')[1, 20, 5:8]) for m in made]
    """,
        {"rtol": 1e-4},
    ),
]
