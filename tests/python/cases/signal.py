"""tf.signal."""

_X = "tf.constant([[1.0, 2.0, -1.0, 0.5, 3.0, -2.0, 0.0, 1.0]])"
_SIGNAL = "tf.sin(tf.range(64.0) * 0.3)"

CASES = [
    (
        "frames_of_open_batches",
        """
        @tf.function(input_signature=[tf.TensorSpec([None, 400], tf.float32)])
        def f(x):
            spectra = tf.signal.stft(x, 128, 40, pad_end=True)
            return tf.abs(spectra), tf.signal.inverse_stft(spectra, 128, 40), tf.signal.frame(x, 130, 7)
        class Spectra(keras.layers.Layer):
            def call(self, x):
                return tf.abs(tf.signal.stft(x, 128, 40))
        x = keras.Input((400,))
        model = keras.Model(x, Spectra()(x))
        shapes = [tuple(t.shape) for n in (1, 150, 3) for t in f(tf.ones((n, 400)))]
        wave = tf.sin(tf.reshape(tf.range(800.0), (2, 400)))
        [shapes, f.experimental_get_tracing_count(), model.output_shape, tf.reduce_sum(f(wave)[0]), tf.reduce_sum(f(wave)[1] ** 2), model.predict(wave, verbose=0).sum()]
    """,
        {"rtol": 1e-4},
    ),
    ("fft", f"z = tf.cast({_X}, tf.complex64); [tf.signal.fft(z), tf.signal.ifft(tf.signal.fft(z))]", {"atol": 1e-5}),
    (
        "fft2d",
        "z = tf.complex(tf.reshape(tf.range(6.0), [2, 3]), tf.ones([2, 3])); [tf.signal.fft2d(z), tf.signal.ifft2d(z)]",
        {"atol": 1e-5},
    ),
    (
        "fft3d",
        "z = tf.complex(tf.reshape(tf.range(8.0), [2, 2, 2]), tf.zeros([2, 2, 2])); [tf.signal.fft3d(z), tf.signal.ifft3d(z)]",
        {"atol": 1e-5},
    ),
    (
        "rfft",
        f"[tf.signal.rfft({_X}), tf.signal.rfft({_X}, [6]), tf.signal.rfft({_X}, fft_length=[10])]",
        {"atol": 1e-5},
    ),
    (
        "irfft",
        f"[tf.signal.irfft(tf.signal.rfft({_X})), tf.signal.irfft(tf.signal.rfft({_X}), fft_length=[6])]",
        {"atol": 1e-5},
    ),
    (
        "rfft2d",
        "x = tf.reshape(tf.range(12.0), [3, 4]); [tf.signal.rfft2d(x), tf.signal.irfft2d(tf.signal.rfft2d(x))]",
        {"atol": 1e-4},
    ),
    (
        "rfft3d",
        "x = tf.reshape(tf.range(16.0), [2, 2, 4]); [tf.signal.rfft3d(x), tf.signal.irfft3d(tf.signal.rfft3d(x))]",
        {"atol": 1e-4},
    ),
    (
        "rfft_gradient",
        f"x = {_X}\nwith tf.GradientTape() as t:\n  t.watch(x)\n  y = tf.reduce_sum(tf.abs(tf.signal.rfft(x)))\nresult = t.gradient(y, x)",
        {"atol": 1e-5},
    ),
    ("fft_of_reals", f"tf.signal.fft({_X})", {"raises": "Exception"}),
    (
        "fftshift",
        "x = tf.reshape(tf.range(6), [2, 3]); [tf.signal.fftshift(x), tf.signal.fftshift(x, axes=1), tf.signal.ifftshift(x, axes=[0])]",
    ),
    (
        "hann_window",
        "[tf.signal.hann_window(5), tf.signal.hann_window(4, periodic=False), tf.signal.hamming_window(6), tf.signal.hann_window(3, dtype=tf.float64)]",
        {"atol": 1e-6},
    ),
    ("kaiser_window", "[tf.signal.kaiser_window(5), tf.signal.kaiser_window(4, beta=3.0)]", {"atol": 1e-6}),
    ("vorbis_window", "tf.signal.vorbis_window(6)", {"atol": 1e-6}),
    (
        "frame",
        f"[tf.signal.frame({_X}, 4, 2), tf.signal.frame({_X}, frame_length=3, frame_step=3, pad_end=True, pad_value=9.0), tf.signal.frame(tf.reshape(tf.range(6), [3, 2]), 2, 1, axis=0)]",
    ),
    ("overlap_and_add", "tf.signal.overlap_and_add(tf.reshape(tf.range(6.0), [3, 2]), 1)"),
    (
        "stft",
        f"[tf.signal.stft({_SIGNAL}, 16, 8), tf.signal.stft({_SIGNAL}, frame_length=12, frame_step=20, fft_length=16, pad_end=True), tf.signal.stft({_SIGNAL}, 16, 32, window_fn=None), tf.signal.stft({_SIGNAL}, 16, 32, window_fn=tf.signal.hamming_window)]",
        {"atol": 2e-5},
    ),
    (
        "inverse_stft",
        f"tf.signal.inverse_stft(tf.signal.stft({_SIGNAL}, 16, 8), 16, 8, window_fn=tf.signal.inverse_stft_window_fn(8))",
        {"atol": 1e-5},
    ),
    (
        "dct",
        f"[tf.signal.dct({_X}), tf.signal.dct({_X}, norm='ortho'), tf.signal.dct({_X}, type=1), tf.signal.dct({_X}, type=3), tf.signal.dct({_X}, type=3, norm='ortho'), tf.signal.dct({_X}, n=4)]",
        {"atol": 1e-4},
    ),
    ("idct", f"[tf.signal.idct({_X}), tf.signal.idct({_X}, norm='ortho')]", {"atol": 1e-4}),
    ("mel", "tf.signal.linear_to_mel_weight_matrix(4, 9, 8000, 100.0, 3000.0)", {"atol": 1e-5}),
    ("mfcc", "tf.signal.mfccs_from_log_mel_spectrograms(tf.reshape(tf.range(8.0), [1, 8]))", {"atol": 1e-4}),
]
