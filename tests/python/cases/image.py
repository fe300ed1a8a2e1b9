"""tf.image, and pictures of tf.io."""

_RGB = "tf.constant(np.random.default_rng(3).uniform(0, 1, (4, 5, 3)).astype(np.float32))"
_BATCH = "tf.constant(np.random.default_rng(4).uniform(0, 1, (2, 4, 4, 3)).astype(np.float32))"
_BYTES = "tf.constant(np.random.default_rng(5).integers(0, 256, (4, 6, 3)).astype(np.uint8))"
_SMOOTH = "tf.cast(tf.reshape(tf.range(8 * 8 * 3), [8, 8, 3]), tf.uint8)"

CASES = []


def case(name, source, **options):
    CASES.append((name, source, options))


for _method in "bilinear nearest bicubic area lanczos3 lanczos5 gaussian mitchellcubic".split():
    # TensorFlow's bicubic kernel is a table of 1024 places; here it is computed where the pixel is.
    _near = {"atol": 1e-3} if _method == "bicubic" else {"rtol": 1e-4}
    case(
        f"resize_{_method}",
        f"[tf.image.resize({_RGB}, [3, 7], method='{_method}'), tf.image.resize({_RGB}, (2, 2), '{_method}')]",
        **_near,
    )
case(
    "resize_options",
    f"[tf.image.resize({_RGB}, [2, 2], antialias=True), tf.image.resize({_BATCH}, [6, 3], preserve_aspect_ratio=True).shape, tf.image.resize({_BYTES}, [2, 3]), tf.image.resize({_BYTES}, [2, 3], tf.image.ResizeMethod.NEAREST_NEIGHBOR), tf.image.resize({_RGB}, tf.constant([2, 2]))]",
    rtol=1e-4,
)
case("resize_method", f"tf.image.resize({_RGB}, [2, 2], method='cubic')")
case("resize_size", f"tf.image.resize({_RGB}, [2])")
case("resize_with_pad", f"tf.image.resize_with_pad({_RGB}, 6, 5)", rtol=1e-4)
case(
    "resize_with_crop_or_pad",
    f"[tf.image.resize_with_crop_or_pad({_RGB}, 2, 7), tf.image.resize_with_crop_or_pad({_BYTES}, 3, 3)]",
)
case("crop_to_bounding_box", f"tf.image.crop_to_bounding_box({_RGB}, 1, 2, 2, 3)")
case("crop_outside", f"tf.image.crop_to_bounding_box({_RGB}, 3, 3, 4, 4)")
case("pad_to_bounding_box", f"tf.image.pad_to_bounding_box({_BYTES}, 1, 0, 6, 7)")
case("central_crop", f"tf.image.central_crop({_RGB}, 0.5)")
case("central_crop_fraction", f"tf.image.central_crop({_RGB}, 1.5)")
for _name in "flip_left_right flip_up_down rot90 transpose per_image_standardization rgb_to_grayscale rgb_to_hsv rgb_to_yiq rgb_to_yuv yiq_to_rgb yuv_to_rgb".split():
    case(_name, f"tf.image.{_name}({_RGB})", atol=1e-5)
case("rot90_k", f"[tf.image.rot90({_RGB}, k=3), tf.image.rot90({_BATCH}, 2)]")
case("flip_batch", f"[tf.image.flip_left_right({_BATCH}), tf.image.flip_up_down({_BYTES})]")
case("hsv_to_rgb", f"tf.image.hsv_to_rgb(tf.image.rgb_to_hsv({_RGB}))", atol=1e-5)
case("grayscale_to_rgb", f"tf.image.grayscale_to_rgb({_RGB}[..., :1])")
case("rgb_to_grayscale_bytes", f"tf.image.rgb_to_grayscale({_BYTES})")
case("per_image_standardization_bytes", f"tf.image.per_image_standardization({_BYTES})", atol=1e-5)
case("adjust_brightness", f"[tf.image.adjust_brightness({_RGB}, 0.2), tf.image.adjust_brightness({_BYTES}, delta=0.1)]")
case(
    "adjust_contrast",
    f"[tf.image.adjust_contrast({_RGB}, 2.0), tf.image.adjust_contrast({_BATCH}, contrast_factor=0.5)]",
    atol=1e-5,
)
case("adjust_saturation", f"tf.image.adjust_saturation({_RGB}, 0.5)", atol=1e-5)
case("adjust_hue", f"tf.image.adjust_hue({_RGB}, 0.2)", atol=1e-5)
case("adjust_gamma", f"[tf.image.adjust_gamma({_RGB}, 0.5), tf.image.adjust_gamma({_RGB}, gamma=2.0, gain=1.5)]")
case(
    "convert_image_dtype",
    f"[tf.image.convert_image_dtype({_BYTES}, tf.float32), tf.image.convert_image_dtype({_RGB}, tf.uint8), tf.image.convert_image_dtype({_RGB} * 2, tf.uint8, saturate=True), tf.image.convert_image_dtype({_BYTES}, tf.uint16)]",
)
case("image_gradients", f"tf.image.image_gradients({_BATCH})")
case("total_variation", f"[tf.image.total_variation({_RGB}), tf.image.total_variation({_BATCH})]")
case("sobel_edges", f"tf.image.sobel_edges({_BATCH}[..., :1])", atol=1e-5)
case("psnr", f"[tf.image.psnr({_RGB}, {_RGB} * 0.9, 1.0), tf.image.psnr({_BYTES}, {_BYTES} // 2, max_val=255)]")
case(
    "ssim",
    "a = tf.constant(np.random.default_rng(1).uniform(0, 1, (2, 16, 16, 3)).astype(np.float32)); [tf.image.ssim(a, a * 0.9, 1.0), tf.image.ssim(a, 1 - a, max_val=1.0, filter_size=7)]",
    rtol=1e-4,
)
case(
    "extract_patches",
    "x = tf.reshape(tf.range(1.0, 51.0), [1, 5, 5, 2]); [tf.image.extract_patches(x, [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], 'VALID'), tf.image.extract_patches(images=x, sizes=[1, 3, 3, 1], strides=[1, 3, 3, 1], rates=[1, 1, 1, 1], padding='SAME')]",
)
case(
    "non_max_suppression",
    "b = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.1], [0.0, 5.0, 1.0, 6.0], [0.0, 5.0, 1.0, 6.0]]; s = [0.9, 0.75, 0.6, 0.95]; [tf.image.non_max_suppression(b, s, 3), tf.image.non_max_suppression(b, s, 3, iou_threshold=0.95), tf.image.non_max_suppression(b, s, 3, score_threshold=0.92)]",
)
case(
    "crop_and_resize",
    f"[tf.image.crop_and_resize({_BATCH}, [[0.0, 0.0, 1.0, 1.0], [0.2, 0.1, 0.8, 0.9]], [0, 1], [3, 3]), tf.image.crop_and_resize({_BATCH}, [[0.0, 0.5, 1.0, 1.5]], box_indices=[1], crop_size=[2, 2], method='nearest', extrapolation_value=7.0)]",
    atol=1e-5,
)
case(
    "random_flip",
    f"x = {_RGB}; a = tf.image.random_flip_left_right(x); b = tf.image.random_flip_up_down(x, seed=1); [bool(tf.reduce_all(a == x) or tf.reduce_all(a == tf.image.flip_left_right(x))), bool(tf.reduce_all(b == x) or tf.reduce_all(b == tf.image.flip_up_down(x)))]",
)
case(
    "random_colours",
    f"x = {_RGB}; [tf.image.random_brightness(x, 0.2).shape, tf.image.random_contrast(x, 0.5, 1.5).shape, tf.image.random_saturation(x, 0.5, 1.5, seed=3).dtype, tf.image.random_hue(x, 0.1).shape]",
)
case(
    "random_brightness_range",
    "x = tf.image.random_brightness(tf.zeros([2, 2, 3]), 0.3).numpy(); bool((np.abs(x) <= 0.3).all() and (x == x[0, 0, 0]).all())",
)
case("random_contrast_bounds", f"tf.image.random_contrast({_RGB}, 2.0, 1.0)")
case(
    "random_crop",
    f"[tf.image.random_crop({_RGB}, [2, 3, 3]).shape, tf.image.random_crop({_BATCH}, size=[2, 2, 2, 3], seed=1).shape, tf.image.random_crop(tf.range(10), [4]).shape]",
)
case("random_crop_values", "x = tf.image.random_crop(tf.range(10), [4]).numpy(); bool((np.diff(x) == 1).all())")
case("random_crop_large", f"tf.image.random_crop({_RGB}, [9, 9, 3])")
case(
    "stateless_random",
    f"x = {_RGB}; s = (1, 2); [bool(tf.reduce_all(f(x) == f(x))) for f in (lambda x: tf.image.stateless_random_brightness(x, 0.2, s), lambda x: tf.image.stateless_random_contrast(x, 0.2, 0.5, seed=s), lambda x: tf.image.stateless_random_saturation(x, 0.2, 0.5, s), lambda x: tf.image.stateless_random_hue(x, 0.2, s), lambda x: tf.image.stateless_random_flip_left_right(x, s), lambda x: tf.image.stateless_random_flip_up_down(x, s), lambda x: tf.image.stateless_random_crop(x, [2, 2, 3], s))]",
)
case(
    "png",
    f"x = {_BYTES}; b = tf.io.encode_png(x); [tf.io.decode_png(b), tf.image.decode_png(b, channels=1), tf.io.decode_image(b), tf.image.decode_image(b, channels=3, dtype=tf.float32), tf.image.encode_png(x).dtype]",
)
case(
    "png_wide",
    "x = tf.constant([[[1000], [65535]]], tf.uint16); tf.io.decode_png(tf.io.encode_png(x), dtype=tf.uint16)",
)
case(
    "jpeg",
    f"b = tf.io.encode_jpeg({_SMOOTH}); [tf.io.decode_jpeg(b), tf.image.decode_jpeg(b, channels=1), tf.io.decode_jpeg(b, ratio=2), tf.io.is_jpeg(b), tf.image.is_jpeg(b'abc'), tf.io.extract_jpeg_shape(b), tf.image.decode_image(b, channels=3)]",
)
case(
    "jpeg_quality",
    f"x = {_SMOOTH}; [tf.io.decode_jpeg(tf.io.encode_jpeg(x, quality=50), dct_method='INTEGER_ACCURATE'), tf.image.adjust_jpeg_quality(x, 80, dct_method='INTEGER_ACCURATE')]",
)
case(
    "bmp",
    "b = b'BM' + (70).to_bytes(4, 'little') + bytes(4) + (54).to_bytes(4, 'little') + (40).to_bytes(4, 'little') + (2).to_bytes(4, 'little') + (2).to_bytes(4, 'little') + (1).to_bytes(2, 'little') + (24).to_bytes(2, 'little') + bytes(24) + bytes([1, 2, 3, 4, 5, 6, 0, 0, 7, 8, 9, 10, 11, 12, 0, 0]); [tf.io.decode_bmp(b), tf.image.decode_bmp(b, channels=3)]",
)
case("decode_garbage", "tf.io.decode_jpeg(b'not a picture')")
case("decode_image_garbage", "tf.io.decode_image(b'not a picture')")
case("decode_truncated", f"b = tf.io.encode_png({_BYTES}).numpy()[:60]; tf.io.decode_png(b)")
case("encode_floats", f"tf.io.encode_jpeg({_RGB})", raises="Exception")
case(
    "image_gradient_flow",
    f"x = {_RGB}\nwith tf.GradientTape() as t:\n  t.watch(x)\n  y = tf.reduce_sum(tf.image.resize(x, [2, 3]) ** 2)\nresult = t.gradient(y, x)",
    rtol=1e-4,
)
