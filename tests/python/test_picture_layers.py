"""Layers that change pictures by chance: what they do in training and after it, to labels, boxes and masks,
in datasets, models and files."""

import numpy as np
import pytest

import brio as tf

keras = tf.keras
layers = keras.layers

MAKERS = {
    "RandomHue": lambda **k: layers.RandomHue(0.5, **k),
    "RandomSaturation": lambda **k: layers.RandomSaturation((0.2, 0.8), **k),
    "RandomGrayscale": lambda **k: layers.RandomGrayscale(0.5, **k),
    "RandomColorJitter": lambda **k: layers.RandomColorJitter((0, 255), 0.3, 0.3, (0.3, 0.7), 0.3, **k),
    "RandomColorDegeneration": lambda **k: layers.RandomColorDegeneration(0.8, **k),
    "RandomSharpness": lambda **k: layers.RandomSharpness(0.9, **k),
    "RandomInvert": lambda **k: layers.RandomInvert(0.9, **k),
    "RandomPosterization": lambda **k: layers.RandomPosterization((1, 6), **k),
    "Solarization": lambda **k: layers.Solarization(0.4, 0.8, **k),
    "RandomErasing": lambda **k: layers.RandomErasing((0.8, 1.0), **k),
    "RandomShear": lambda **k: layers.RandomShear(0.4, 0.3, **k),
    "RandomGaussianBlur": lambda **k: layers.RandomGaussianBlur((0.7, 0.9), 5, (0.4, 1.0), **k),
    "RandomPerspective": lambda **k: layers.RandomPerspective((0.7, 0.9), 0.5, **k),
    "RandomElasticTransform": lambda **k: layers.RandomElasticTransform((0.7, 0.9), (0.3, 1.0), **k),
    "MixUp": lambda **k: layers.MixUp(0.8, **k),
    "CutMix": lambda **k: layers.CutMix((0.8, 1.0), **k),
    "RandAugment": lambda **k: layers.RandAugment(num_ops=2, factor=0.4, **k),
    "AugMix": lambda **k: layers.AugMix(num_chains=2, chain_depth=2, **k),
}


def pictures(count=6, dtype="float32"):
    return np.clip(np.random.default_rng(7).normal(120, 50, (count, 40, 48, 3)), 0, 255).astype(dtype)


@pytest.mark.parametrize("name", MAKERS)
def test_changes_pictures_in_training_alone(name):
    x, layer = pictures(), MAKERS[name]()
    changed = lambda y: bool(np.abs(np.asarray(y) - x).max() > 1)
    assert any(changed(layer(x)) for _ in range(3)), "nobody says that it does not train"
    assert any(changed(layer(x, training=True)) for _ in range(3))
    assert not changed(layer(x, training=False))
    model = keras.Sequential([layer])
    assert (
        any(changed(model(x)) for _ in range(3))
        and not changed(model(x, training=False))
        and not changed(model.predict(x, verbose=0))
    )


@pytest.mark.parametrize("name", MAKERS)
def test_draws_by_its_seed(name):
    x = pictures()
    one, same, other = (np.asarray(MAKERS[name](seed=s)(x)) for s in (3, 3, 4))
    assert np.array_equal(one, same)
    layer = MAKERS[name](seed=3)
    several = [np.asarray(layer(x)) for _ in range(3)]
    assert np.array_equal(several[0], one)
    assert not all(np.array_equal(one, y) for y in (other, *several[1:])), "each call draws anew"


@pytest.mark.parametrize("name", MAKERS)
def test_takes_bytes_one_picture_and_other_orders_of_axes(name):
    layer, x = MAKERS[name](seed=1), pictures(dtype="uint8")
    assert tuple(layer(x).shape) == x.shape and layer(x).dtype == "float32"
    assert tuple(layer(x[0]).shape) == x.shape[1:]
    made = np.asarray(layer(x))
    assert np.isfinite(made).all()
    if name not in ("RandomSaturation",):  # Keras' may leave the range
        assert made.min() >= -0.01 and made.max() <= 255.01
    kwargs = {"data_format": "channels_first"}
    first = MAKERS[name](seed=5, **kwargs)(x.transpose(0, 3, 1, 2))
    last = MAKERS[name](seed=5)(x)
    if name != "RandomErasing":  # whose noise has another order
        np.testing.assert_allclose(np.asarray(first).transpose(0, 2, 3, 1), last, atol=0.01)


@pytest.mark.parametrize("name", MAKERS)
def test_goes_into_fit_datasets_and_functions(name):
    x, y = pictures(7) / 255, np.zeros(7)
    scale = (
        {"value_range": (0, 1)}
        if name not in ("RandomGrayscale", "RandomShear", "RandomPerspective", "MixUp", "CutMix", "RandomColorJitter")
        else {}
    )
    layer = MAKERS[name](**scale)
    model = keras.Sequential(
        [
            keras.Input((40, 48, 3)),
            layer,
            layers.Conv2D(4, 3, activation="relu"),
            layers.GlobalAveragePooling2D(),
            layers.Dense(1),
        ]
    )
    model.compile("adam", "mse")
    assert np.isfinite(model.fit(x, y, batch_size=3, epochs=2, verbose=0).history["loss"]).all()
    np.testing.assert_array_equal(model.predict(x, verbose=0), model.predict(x, verbose=0))
    made = MAKERS[name]()
    dataset = tf.data.Dataset.from_tensor_slices((pictures(7, "uint8"), y)).batch(3).map(lambda a, b: (made(a), b))
    epochs = [np.concatenate([a for a, _ in dataset]) for _ in range(2)]
    assert epochs[0].shape == (7, 40, 48, 3) and not np.array_equal(*epochs)
    single = tf.data.Dataset.from_tensor_slices(pictures(2)).map(MAKERS[name]())
    assert [tuple(a.shape) for a in single] == [(40, 48, 3)] * 2
    traced = tf.function(MAKERS[name]())
    assert len({float(tf.reduce_sum(traced(pictures()))) for _ in range(4)}) > 1, "a traced function draws each time"


@pytest.mark.parametrize(
    "name", [*MAKERS, "AutoContrast", "Equalization", "ContrastLimitedAdaptiveHistogramEqualization", "Pipeline"]
)
def test_is_saved_with_its_arguments(name, tmp_path):
    make = MAKERS.get(name) or (
        lambda **k: (
            layers.Pipeline([layers.RandomFlip(), layers.RandomHue(0.2), layers.RandomInvert(1.0)])
            if name == "Pipeline"
            else getattr(layers, name)()
        )
    )
    layer = make()
    again = keras.layers.deserialize(keras.layers.serialize(layer))
    assert type(again) is type(layer) and again.get_config() == layer.get_config()
    inputs = keras.Input((40, 48, 3))
    model = keras.Model(inputs, layers.GlobalAveragePooling2D()(layers.Conv2D(2, 3)(layer(inputs))))
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    assert loaded.layers[1].get_config() == layer.get_config()
    np.testing.assert_allclose(
        loaded.predict(pictures(), verbose=0), model.predict(pictures(), verbose=0), rtol=1e-4, atol=1e-3
    )


def test_how_often_and_how_much():
    x = np.full((600, 16, 16, 3), 100.0, "float32")
    share = lambda layer: float(np.mean(np.abs(np.asarray(layer(x)) - x).max((1, 2, 3)) > 1e-3))
    colored = x * np.float32([1.0, 0.5, 0.2])
    grayed = np.asarray(layers.RandomGrayscale(0.3, seed=1)(colored))
    assert abs(np.mean(np.ptp(grayed, axis=-1).max((1, 2)) < 1e-3) - 0.3) < 0.08
    assert abs(share(layers.RandomInvert((0.3, 0.3), seed=1)) - 0.3) < 0.08
    assert abs(share(layers.RandomInvert(0.6, seed=1)) - 0.3) < 0.08, "a chance between 0 and the factor"
    erased = np.asarray(layers.RandomErasing((1.0, 1.0), scale=(0.1, 0.4), fill_value=0, seed=1)(x))
    areas = np.mean(erased[..., 0] == 0, axis=(1, 2))
    assert 0.05 < areas.min() and areas.max() < 0.5 and abs(areas.mean() - 0.24) < 0.03
    assert all(len(set(map(tuple, e.reshape(-1, 3)))) == 2 for e in erased[:20]), "all channels of a pixel"
    moved = np.asarray(layers.RandomShear(x_factor=(0.2, 0.4), fill_mode="constant", seed=1)(x))
    assert np.all(moved[:, 0] == 100.0) and 0 < (moved[:, -1] < 100).mean() < 0.5


def test_labels_are_mixed_with_their_pictures():
    x = np.broadcast_to(np.arange(64.0)[:, None, None, None], (64, 20, 24, 3)).astype("float32")
    labels = np.eye(64, dtype="float32")
    for layer in (layers.MixUp(1.0, seed=1), layers.CutMix((1.0, 1.0), seed=1)):
        made = layer({"images": x, "labels": labels})
        got = np.asarray(made["labels"])
        np.testing.assert_allclose(got.sum(1), 1, atol=1e-5)
        np.testing.assert_allclose(
            np.asarray(made["images"]).mean((1, 2, 3)),
            got @ np.arange(64.0),
            atol=5 if isinstance(layer, layers.CutMix) else 1e-3,
        )
        assert 0.1 < np.sort(got, 1)[:, -2].mean() < 0.35
        rest = layer({"images": x, "labels": labels}, training=False)
        assert np.array_equal(rest["labels"], labels) and np.array_equal(rest["images"], x)


def test_dictionaries_go_through_datasets_and_models():
    x, labels = pictures(), np.eye(3, dtype="float32")[[0, 1, 2, 0, 1, 2]]
    chain = layers.Pipeline([layers.RandomFlip("horizontal"), layers.RandomHue(0.2), layers.MixUp(), layers.CutMix()])
    dataset = (
        tf.data.Dataset.from_tensor_slices({"images": x, "labels": labels})
        .batch(4, drop_remainder=True)
        .map(chain, num_parallel_calls=tf.data.AUTOTUNE)
    )
    for batch in dataset:
        assert tuple(batch["images"].shape) == (4, 40, 48, 3)
        np.testing.assert_allclose(np.asarray(batch["labels"]).sum(1), 1, atol=1e-4)
    listed = layers.RandomHue(0.1)({"images": x, "labels": [0, 1, 2, 3, 4, 5]})
    assert np.asarray(listed["labels"]).tolist() == [0, 1, 2, 3, 4, 5]
    inputs = {"images": keras.Input((40, 48, 3)), "labels": keras.Input((3,))}
    model = keras.Model(inputs, layers.MixUp()(inputs))
    assert np.array_equal(model.predict({"images": x, "labels": labels}, verbose=0)["labels"], labels)
    assert not np.array_equal(model({"images": x, "labels": labels}, training=True)["images"], x)


def test_older_layers_take_dictionaries_too():
    x, labels = pictures(), np.eye(6, dtype="float32")
    for layer in (layers.RandomFlip(), layers.RandomRotation(0.2), layers.RandomZoom(0.2),
                  layers.RandomTranslation(0.2, 0.2), layers.RandomBrightness(0.2), layers.RandomContrast(0.2),
                  layers.Resizing(20, 24), layers.CenterCrop(20, 24), layers.RandomCrop(20, 24)):  # fmt: skip
        made = layer({"images": x, "labels": labels})
        assert np.array_equal(made["labels"], labels) and tuple(made["images"].shape) == tuple(layer(x).shape)
        assert [
            tuple(b["images"].shape[:1])
            for b in tf.data.Dataset.from_tensor_slices({"images": x, "labels": labels}).batch(3).map(layer)
        ] == [(3,), (3,)]
    assert "bounding_boxes" in layers.RandomBrightness(0.1)(
        {"images": x, "bounding_boxes": {"boxes": np.ones((6, 1, 4))}}
    )
    with pytest.raises(ValueError, match="leave those out"):
        layers.RandomFlip()({"images": x, "segmentation_masks": x[..., :1]})
    with pytest.raises(ValueError, match="images"):
        layers.RandomFlip()({"pictures": x})


def test_sizes_of_pictures_may_be_open():
    x = pictures()
    seen = [tf.TensorSpec([None, None, None, 3])]
    for name in MAKERS:
        if name == "RandomElasticTransform":  # whose filter has a size
            continue
        layer = MAKERS[name]()
        traced = tf.function(lambda v, layer=layer: layer(v), input_signature=seen)
        assert any(np.abs(np.asarray(traced(x)) - x).max() > 1 for _ in range(3)) and tuple(
            traced(x[:2, :30]).shape
        ) == (2, 30, 48, 3)
    inputs = keras.Input((None, None, 3))
    model = keras.Model(inputs, layers.RandomInvert((1.0, 1.0))(inputs))
    model.compile("sgd", "mse")
    assert (
        np.isclose(model.fit(x, x, verbose=0).history["loss"][0], np.mean((255 - 2 * x) ** 2), rtol=1e-3)
        and model.evaluate(x, x, verbose=0) == 0
    )
    outputs = layers.RandomPerspective()(
        layers.RandomElasticTransform()(layers.ContrastLimitedAdaptiveHistogramEqualization()(inputs))
    )
    assert tuple(keras.Model(inputs, outputs).predict(x[:, :33], verbose=0).shape) == (6, 33, 48, 3)


def test_boxes_and_masks_move_with_the_pictures():
    x = np.zeros((4, 60, 80, 3), "float32")
    x[:, 20:40, 30:50] = 200.0
    masks = (x[..., :1] > 0).astype("uint8") * 3
    boxes = {"boxes": np.tile(np.float32([[[30, 20, 50, 40]]]), (4, 1, 1)), "labels": np.ones((4, 1), "float32")}
    for layer in (layers.RandomShear(0.3, 0.2, fill_mode="constant", bounding_box_format="xyxy", seed=1),
                  layers.RandomPerspective((1.0, 1.0), 0.4, bounding_box_format="xyxy", seed=2)):  # fmt: skip
        made = layer({"images": x, "bounding_boxes": boxes, "segmentation_masks": masks})
        mask = np.asarray(made["segmentation_masks"])[..., 0]
        assert set(np.unique(mask)) == {0, 3}
        assert np.abs((mask > 0) * 200.0 - np.asarray(made["images"])[..., 0]).mean() < 5
        for one, box in zip(mask, np.asarray(made["bounding_boxes"]["boxes"])[:, 0]):
            rows, columns = np.nonzero(one)
            np.testing.assert_allclose(box, [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1], atol=2.5)
    with pytest.raises(ValueError, match="bounding_box_format"):
        layers.RandomHue(0.1)({"images": x, "bounding_boxes": boxes})
    with pytest.raises(ValueError, match="leave 'bounding_boxes' out"):
        layers.CutMix(bounding_box_format="xyxy")({"images": x, "bounding_boxes": boxes})


def test_elastic_transforms_are_smooth():
    rows = np.broadcast_to(np.arange(64.0)[None, :, None, None], (2, 64, 64, 1)).astype("float32")
    made = np.asarray(keras.ops.image.elastic_transform(rows, alpha=10.0, sigma=4.0, seed=3))
    apart = (made - rows)[:, 12:52, 12:52]
    assert 0.3 < apart.std() < 10 and np.abs(np.diff(apart, axis=2)).mean() < 0.5 * apart.std()
    again = keras.ops.image.elastic_transform(rows, alpha=10.0, sigma=4.0, seed=3)
    assert np.array_equal(made, again)


def test_layers_that_are_written_in_python_say_what_they_were_made_with():
    assert layers.ThresholdedReLU(theta=2.0).get_config()["theta"] == 2.0
    assert layers.STFTSpectrogram("psd", frame_length=128).get_config()["frame_length"] == 128


def test_an_embedding_that_goes_both_ways_learns(tmp_path):
    ids = np.random.default_rng(1).integers(1, 150, (16, 12))
    for tied in (True, False):
        inputs = keras.Input((None,), dtype="int32")
        embedding = layers.ReversibleEmbedding(150, 32, tie_weights=tied, mask_zero=True)
        hidden = layers.LSTM(32, return_sequences=True)(embedding(inputs))
        model = keras.Model(inputs, embedding(hidden, reverse=True))
        model.compile(keras.optimizers.Adam(0.01), keras.losses.SparseCategoricalCrossentropy(from_logits=True))
        losses = model.fit(ids, ids, epochs=8, verbose=0).history["loss"]
        assert losses[-1] < losses[0] - 0.1 and model.output_shape == (None, None, 150)
        model.save(tmp_path / "model.keras")
        np.testing.assert_allclose(
            keras.models.load_model(tmp_path / "model.keras").predict(ids, verbose=0),
            model.predict(ids, verbose=0),
            rtol=1e-4,
            atol=1e-5,
        )


def test_functions_are_steps_of_models(tmp_path):
    x, signals = pictures(), np.random.default_rng(1).normal(size=(6, 400)).astype("float32")
    ops = keras.ops
    steps = [
        (lambda v: ops.image.affine_transform(v, np.float32([1, 0.1, -2, 0, 1, 1, 0, 0])), x),
        (lambda v: ops.image.gaussian_blur(v, (5, 5), (1.0, 2.0)), x),
        (lambda v: ops.image.elastic_transform(v, 5.0, 2.0, seed=1), x),
        (lambda v: ops.adaptive_average_pool(v, (4, 3)), x), (lambda v: ops.unfold(v, 3), x),
        (lambda v: ops.istft(ops.stft(v, 64, 16, 64), 64, 16, 64), signals),
        (lambda v: ops.image.ssim(v, 0.9 * v, 255.0), x),
    ]  # fmt: skip
    for f, data in steps:
        inputs = keras.Input(data.shape[1:])
        model = keras.Model(inputs, f(inputs))
        np.testing.assert_allclose(model.predict(data, verbose=0), f(tf.constant(data)), rtol=1e-4, atol=1e-3)
        model.save(tmp_path / "model.keras")
        np.testing.assert_allclose(
            keras.models.load_model(tmp_path / "model.keras").predict(data, verbose=0),
            f(tf.constant(data)),
            rtol=1e-4,
            atol=1e-3,
        )


def test_frames_are_drawn_around_boxes():
    x = np.zeros((2, 60, 80, 3), "float32")
    boxes = {"boxes": np.float32([[[20, 10, 50, 40], [0, 0, 5, 5]]] * 2), "labels": np.array([[3, -1], [0, 0]])}
    made = keras.visualization.draw_bounding_boxes(x, boxes, "xyxy", color=(255, 0, 9), line_thickness=1)
    assert made.dtype == np.uint8 and made.shape == x.shape
    frame = np.zeros((60, 80), bool)
    frame[10:41, [20, 50]] = frame[[10, 40], 20:51] = True
    assert np.array_equal(made[0, ..., 0] == 255, frame) and np.array_equal(made[0, ..., 2] == 9, frame)
    assert made[1, 0, 3].tolist() == [255, 0, 9], "a label of -1 is no box"
    with pytest.raises(TypeError):
        keras.visualization.draw_bounding_boxes(x, boxes["boxes"], "xyxy")


def test_galleries_are_written(tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    x = np.random.default_rng(1).uniform(0, 1, (5, 30, 40, 3))
    show = keras.visualization
    show.plot_image_gallery(
        x, y_true=np.arange(5), label_map={0: "cat"}, value_range=(0, 1), path=tmp_path / "pictures.png"
    )
    boxes = {"boxes": np.ones((5, 2, 4)) * [3, 3, 20, 20], "labels": np.ones((5, 2))}
    show.plot_bounding_box_gallery(x, "xyxy", y_true=boxes, legend=True, path=tmp_path / "boxes.png")
    show.plot_segmentation_mask_gallery(255 * x, 3, y_true=(x[..., :1] * 3).astype(int), path=tmp_path / "masks.png")
    assert all((tmp_path / f"{name}.png").stat().st_size > 1000 for name in ("pictures", "boxes", "masks"))


def test_names_of_layers_are_counted_without_what_is_inside():
    keras.backend.clear_session()
    layers.RandomInvert(0.5)(pictures())
    assert layers.RandomCrop(8, 8).name == "random_crop"
