"""keras.preprocessing.image.ImageDataGenerator: pictures that are changed at random as they are read, by NumPy."""

import os

import numpy as np

from brio.keras import backend
from brio.keras._pictures import img_to_array, load_img, save_img
from brio.keras._py_dataset import PyDataset

_PICTURES = (".png", ".jpg", ".jpeg", ".bmp", ".ppm", ".tif", ".tiff")


def apply_affine_transform(
    x,
    theta=0,
    tx=0,
    ty=0,
    shear=0,
    zx=1,
    zy=1,
    row_axis=1,
    col_axis=2,
    channel_axis=0,
    fill_mode="nearest",
    cval=0.0,
    order=1,
):
    """A picture turned by theta degrees, shifted by (tx, ty) pixels, sheared and zoomed, about its middle."""
    x = np.moveaxis(np.asarray(x), [row_axis, col_axis, channel_axis], [0, 1, 2])
    matrix = _matrix(np.deg2rad(theta), tx, ty, np.deg2rad(shear), zx, zy)
    if not np.array_equal(matrix, np.eye(3)):
        to_middle = np.eye(3)
        to_middle[:2, 2] = x.shape[0] / 2 - 0.5, x.shape[1] / 2 - 0.5
        matrix = to_middle @ matrix @ np.linalg.inv(to_middle)
        if col_axis > row_axis:  # as Keras: columns are meant by the first axis of the matrix
            matrix = matrix[[1, 0, 2]][:, [1, 0, 2]]
        rows, columns = np.meshgrid(np.arange(x.shape[0]), np.arange(x.shape[1]), indexing="ij")
        r, c = np.einsum("ij,jrc->irc", matrix[:2], np.stack([rows, columns, np.ones(rows.shape)]))
        x = _sampled(x, r, c, fill_mode, cval, order)
    return np.moveaxis(x, [0, 1, 2], [row_axis, col_axis, channel_axis])


def _matrix(theta, tx, ty, shear, zx, zy):
    turn = np.array([[np.cos(theta), -np.sin(theta), 0], [np.sin(theta), np.cos(theta), 0], [0, 0, 1]])
    shift = np.array([[1, 0, tx], [0, 1, ty], [0, 0, 1]])
    slant = np.array([[1, -np.sin(shear), 0], [0, np.cos(shear), 0], [0, 0, 1]])
    return turn @ shift @ slant @ np.diag([zx, zy, 1])


def _sampled(x, r, c, fill_mode, cval, order):
    """x at places between its pixels: the nearest one, or a mean of the four around."""
    height, width = x.shape[:2]
    if fill_mode == "wrap":
        r, c = _around(r, height), _around(c, width)

    def pixel(i, j):
        if fill_mode == "constant":
            inside = (i >= 0) & (i < height) & (j >= 0) & (j < width)
            return np.where(inside[..., None], x[np.clip(i, 0, height - 1), np.clip(j, 0, width - 1)], cval)
        return x[_inside(i, height, fill_mode), _inside(j, width, fill_mode)]

    if order == 0:
        return pixel(np.rint(r).astype(int), np.rint(c).astype(int)).astype(x.dtype)
    i, j = np.floor(r).astype(int), np.floor(c).astype(int)
    down, right = (r - i)[..., None], (c - j)[..., None]
    above = pixel(i, j) * (1 - right) + pixel(i, j + 1) * right
    below = pixel(i + 1, j) * (1 - right) + pixel(i + 1, j + 1) * right
    return (above * (1 - down) + below * down).astype(x.dtype)


def _around(place, size):
    """Places outside of a picture on its other side. As in SciPy the last pixel is the first one of the next round."""
    period = max(size - 1, 1)
    place = np.where(place < 0, place + period * (np.floor(-place / period) + 1), place)
    return np.where(place > size - 1, place - period * np.floor(place / period), place)


def _inside(i, size, fill_mode):
    if fill_mode == "reflect":
        i = i % (2 * size)
        return np.where(i < size, i, 2 * size - 1 - i)
    return np.clip(i, 0, size - 1)


class ImageDataGenerator:
    """Batches of pictures, each changed at random:
    flow(x, y), flow_from_directory(folder), flow_from_dataframe(table)."""

    def __init__(self, featurewise_center=False, samplewise_center=False, featurewise_std_normalization=False,
                 samplewise_std_normalization=False, zca_whitening=False, zca_epsilon=1e-6, rotation_range=0,
                 width_shift_range=0.0, height_shift_range=0.0, brightness_range=None, shear_range=0.0, zoom_range=0.0,
                 channel_shift_range=0.0, fill_mode="nearest", cval=0.0, horizontal_flip=False, vertical_flip=False,
                 rescale=None, preprocessing_function=None, data_format=None, validation_split=0.0,
                 interpolation_order=1, dtype=None):  # fmt: skip
        if fill_mode not in ("constant", "nearest", "reflect", "wrap"):
            raise ValueError(
                f"[ImageDataGenerator] fill_mode is 'constant', 'nearest', 'reflect' or 'wrap', but got {fill_mode!r}"
            )
        if validation_split and not 0 < validation_split < 1:
            raise ValueError(
                f"[ImageDataGenerator] validation_split is a share between 0 and 1, but got {validation_split}"
            )
        if isinstance(zoom_range, (int, float)):
            zoom_range = (1 - zoom_range, 1 + zoom_range)
        if len(zoom_range) != 2:
            raise ValueError(f"[ImageDataGenerator] zoom_range is a number or two, but got {zoom_range}")
        self.featurewise_center = featurewise_center or featurewise_std_normalization or zca_whitening
        self.featurewise_std_normalization = featurewise_std_normalization and not zca_whitening
        self.samplewise_center, self.samplewise_std_normalization = (
            samplewise_center or samplewise_std_normalization,
            samplewise_std_normalization,
        )
        self.zca_whitening, self.zca_epsilon, self.rotation_range, self.shear_range = (
            zca_whitening,
            zca_epsilon,
            rotation_range,
            shear_range,
        )
        self.width_shift_range, self.height_shift_range, self.zoom_range = (
            width_shift_range,
            height_shift_range,
            zoom_range,
        )
        self.brightness_range, self.channel_shift_range, self.fill_mode, self.cval = (
            brightness_range,
            channel_shift_range,
            fill_mode,
            cval,
        )
        self.horizontal_flip, self.vertical_flip, self.rescale = horizontal_flip, vertical_flip, rescale
        self.preprocessing_function, self.interpolation_order = preprocessing_function, interpolation_order
        self.data_format, self.dtype, self._validation_split = (
            data_format or backend.image_data_format(),
            dtype or backend.floatx(),
            validation_split,
        )
        first = self.data_format == "channels_first"
        self.row_axis, self.col_axis, self.channel_axis = (2, 3, 1) if first else (1, 2, 3)
        self.mean = self.std = self.zca_whitening_matrix = None

    # ---- where pictures come from

    def flow(self, x, y=None, batch_size=32, shuffle=True, sample_weight=None, seed=None, save_to_dir=None,
             save_prefix="", save_format="png", ignore_class_split=False, subset=None):  # fmt: skip
        """Batches of an array."""
        x = np.asarray(x, self.dtype)
        if x.ndim != 4:
            raise ValueError(
                "[ImageDataGenerator] flow() takes an array of rank 4, (pictures, rows, columns, channels), but got "
                f"shape {x.shape}"
            )
        if y is not None and len(y) != len(x):
            raise ValueError(f"[ImageDataGenerator] there are {len(x)} pictures, but {len(y)} labels")
        part = self._part(len(x), subset)
        cut = int(len(x) * self._validation_split)
        if (
            subset is not None
            and y is not None
            and not ignore_class_split
            and not np.array_equal(np.unique(y[:cut]), np.unique(y[cut:]))
        ):
            raise ValueError(
                "[ImageDataGenerator] the two parts have different classes; shuffle x and y first, or pass "
                "ignore_class_split=True"
            )
        pick = lambda v: None if v is None else np.asarray(v)[part]
        chosen = x[part]
        return Iterator(
            self,
            len(chosen),
            lambda i: chosen[i],
            pick(y),
            pick(sample_weight),
            batch_size,
            shuffle,
            seed,
            save_to_dir,
            save_prefix,
            save_format,
        )

    def flow_from_directory(self, directory, target_size=(256, 256), color_mode="rgb", classes=None,
                            class_mode="categorical", batch_size=32, shuffle=True, seed=None, save_to_dir=None,
                            save_prefix="", save_format="png", follow_links=False, subset=None, interpolation="nearest",
                            keep_aspect_ratio=False):  # fmt: skip
        """Batches of the pictures in a folder whose subfolders are the classes."""
        names = (
            list(classes)
            if classes
            else sorted(n for n in os.listdir(directory) if os.path.isdir(os.path.join(directory, n)))
        )
        files, labels = [], []
        for number, name in enumerate(names):
            found = sorted(
                os.path.relpath(os.path.join(root, f), directory)
                for root, _, inside in os.walk(os.path.join(directory, name), followlinks=follow_links)
                for f in inside
                if f.lower().endswith(_PICTURES)
            )
            found = [found[i] for i in self._part(len(found), subset)]
            files += found
            labels += [number] * len(found)
        print(f"Found {len(files)} images belonging to {len(names)} classes.")
        made = self._from_files([os.path.join(directory, f) for f in files], np.array(labels, "int32"), len(names),
                                target_size, color_mode, class_mode, interpolation, keep_aspect_ratio,
                                (batch_size, shuffle, seed, save_to_dir, save_prefix, save_format))  # fmt: skip
        made.class_indices, made.filenames, made.classes, made.num_classes = (
            {n: i for i, n in enumerate(names)},
            files,
            np.array(labels, "int32"),
            len(names),
        )
        return made

    def flow_from_dataframe(self, dataframe, directory=None, x_col="filename", y_col="class", weight_col=None,
                            target_size=(256, 256), color_mode="rgb", classes=None, class_mode="categorical",
                            batch_size=32, shuffle=True, seed=None, save_to_dir=None, save_prefix="", save_format="png",
                            subset=None, interpolation="nearest", validate_filenames=True, **kwargs):  # fmt: skip
        """Batches of the pictures that a table names."""
        files = [os.path.join(directory or "", f) for f in dataframe[x_col]]
        kept = [i for i, f in enumerate(files) if not validate_filenames or os.path.isfile(f)]
        kept = [kept[i] for i in self._part(len(kept), subset)]
        files, labels, names = [files[i] for i in kept], None, []
        if class_mode in ("raw", "multi_output"):
            labels = np.asarray(dataframe[y_col])[kept]
        elif class_mode not in (None, "input"):
            names = list(classes) if classes else sorted(set(dataframe[y_col]))
            labels = np.array([names.index(dataframe[y_col].iloc[i]) for i in kept], "int32")
        print(
            f"Found {len(files)} validated image filenames" + (f" belonging to {len(names)} classes." if names else ".")
        )
        made = self._from_files(files, labels, len(names), target_size, color_mode, class_mode, interpolation, False,
                                (batch_size, shuffle, seed, save_to_dir, save_prefix, save_format))  # fmt: skip
        made.class_indices, made.filenames, made.classes = {n: i for i, n in enumerate(names)}, files, labels
        return made

    def _from_files(
        self, files, labels, classes, target_size, color_mode, class_mode, interpolation, keep_aspect_ratio, how
    ):
        if class_mode not in ("binary", "categorical", "sparse", "input", "raw", "multi_output", None):
            raise ValueError(f"[ImageDataGenerator] class_mode {class_mode!r} is not known")

        def read(i):
            image = load_img(
                files[i],
                color_mode=color_mode,
                target_size=tuple(target_size),
                interpolation=interpolation,
                keep_aspect_ratio=keep_aspect_ratio,
            )
            return img_to_array(image, data_format=self.data_format, dtype=self.dtype)

        y = labels
        if class_mode == "categorical":
            y = np.eye(classes, dtype=self.dtype)[labels]
        elif class_mode == "binary":
            y = labels.astype(self.dtype)
        elif class_mode in ("input", None):
            y = None
        made = Iterator(self, len(files), read, y, None, *how)
        made.pictures_as_labels, made.filepaths, made.samples = class_mode == "input", files, len(files)
        made.target_size, made.image_shape, made.class_mode = (
            tuple(target_size),
            (*target_size, {"rgb": 3, "rgba": 4}.get(color_mode, 1)),
            class_mode,
        )
        return made

    def _part(self, count, subset):
        """The numbers of a part: "validation" is the first share, "training" the rest."""
        if subset is None:
            return range(count)
        if subset not in ("training", "validation"):
            raise ValueError(f"[ImageDataGenerator] subset is 'training' or 'validation', but got {subset!r}")
        cut = int(count * self._validation_split)
        return range(cut) if subset == "validation" else range(cut, count)

    # ---- what happens to a picture

    def get_random_transform(self, img_shape, seed=None):
        """A random choice of what apply_transform() takes."""
        if seed is not None:
            np.random.seed(seed)
        uniform = np.random.uniform
        theta = uniform(-self.rotation_range, self.rotation_range) if self.rotation_range else 0
        tx = self._shift(self.height_shift_range, img_shape[self.row_axis - 1])
        ty = self._shift(self.width_shift_range, img_shape[self.col_axis - 1])
        shear = uniform(-self.shear_range, self.shear_range) if self.shear_range else 0
        zx, zy = (1, 1) if tuple(self.zoom_range) == (1, 1) else uniform(self.zoom_range[0], self.zoom_range[1], 2)
        return {
            "theta": theta,
            "tx": tx,
            "ty": ty,
            "shear": shear,
            "zx": zx,
            "zy": zy,
            "flip_horizontal": (np.random.random() < 0.5) * self.horizontal_flip,
            "flip_vertical": (np.random.random() < 0.5) * self.vertical_flip,
            "channel_shift_intensity": uniform(-self.channel_shift_range, self.channel_shift_range)
            if self.channel_shift_range
            else None,
            "brightness": None if self.brightness_range is None else uniform(*self.brightness_range),
        }

    @staticmethod
    def _shift(given, size):
        """Pixels: a share of the size, a number of them, or one of a list."""
        if isinstance(given, (list, tuple, np.ndarray)):
            return np.random.choice(given) * np.random.choice([-1, 1]) * (size if np.max(given) < 1 else 1)
        if not given:
            return 0
        shift = (
            np.random.choice(np.arange(given)) * np.random.choice([-1, 1])
            if isinstance(given, int)
            else np.random.uniform(-given, given)
        )
        return shift * (size if given < 1 else 1)

    def apply_transform(self, x, transform_parameters):
        """A picture changed as a dictionary says."""
        given = transform_parameters.get
        rows, columns, channels = self.row_axis - 1, self.col_axis - 1, self.channel_axis - 1
        x = apply_affine_transform(x, given("theta", 0), given("tx", 0), given("ty", 0), given("shear", 0),
                                   given("zx", 1), given("zy", 1), rows, columns, channels, self.fill_mode, self.cval,
                                   self.interpolation_order)  # fmt: skip
        if given("channel_shift_intensity") is not None:
            x = np.clip(x + given("channel_shift_intensity"), x.min(), x.max())
        if given("flip_horizontal"):
            x = np.flip(x, columns)
        if given("flip_vertical"):
            x = np.flip(x, rows)
        if given("brightness") is not None:
            x = np.clip(x * given("brightness"), min(x.min(), 0), max(x.max(), 255))
        return x

    def random_transform(self, x, seed=None):
        """A picture changed at random."""
        return self.apply_transform(x, self.get_random_transform(x.shape, seed))

    def standardize(self, x):
        """A picture with its numbers as the options say."""
        if self.preprocessing_function:
            x = self.preprocessing_function(x)
        x = np.asarray(x, self.dtype)
        if self.rescale:
            x = x * self.rescale
        if self.samplewise_center:
            x = x - np.mean(x, keepdims=True)
        if self.samplewise_std_normalization:
            x = x / (np.std(x, keepdims=True) + 1e-6)
        for wanted, learned in (
            (self.featurewise_center, self.mean),
            (self.featurewise_std_normalization, self.std),
            (self.zca_whitening, self.zca_whitening_matrix),
        ):
            if wanted and learned is None:
                raise ValueError(
                    "[ImageDataGenerator] call fit(x) first: means, deviations and whitening have to be learned"
                )
        if self.featurewise_center:
            x = x - self.mean
        if self.featurewise_std_normalization:
            x = x / (self.std + 1e-6)
        if self.zca_whitening:
            x = (x.reshape(-1) @ self.zca_whitening_matrix).reshape(x.shape)
        return x

    def fit(self, x, augment=False, rounds=1, seed=None):
        """Learns what standardize() needs from an array of pictures."""
        x = np.array(x, self.dtype)
        if seed is not None:
            np.random.seed(seed)
        if self.rescale:
            x *= self.rescale
        if augment:
            x = np.stack([self.random_transform(one) for _ in range(rounds) for one in x])
        shape = [1, 1, 1]
        shape[self.channel_axis - 1] = x.shape[self.channel_axis]
        if self.featurewise_center:
            self.mean = np.mean(x, axis=(0, self.row_axis, self.col_axis)).reshape(shape)
            x = x - self.mean
        if self.featurewise_std_normalization:
            self.std = np.std(x, axis=(0, self.row_axis, self.col_axis)).reshape(shape)
            x = x / (self.std + 1e-6)
        if self.zca_whitening:
            u, s, _ = np.linalg.svd(x.reshape(len(x), -1).T, full_matrices=False)
            self.zca_whitening_matrix = (u * (np.sqrt(len(x)) / (s + self.zca_epsilon))) @ u.T


class Iterator(PyDataset):
    """Batches without an end, and by their number."""

    def __init__(
        self,
        generator,
        n,
        picture,
        y,
        weights,
        batch_size,
        shuffle,
        seed,
        save_to_dir=None,
        save_prefix="",
        save_format="png",
    ):
        super().__init__()
        self.image_data_generator, self.n, self.batch_size, self.shuffle, self.seed = (
            generator,
            n,
            batch_size,
            shuffle,
            seed,
        )
        self.labels, self.sample_weight, self.pictures_as_labels = y, weights, False
        self._picture, self._saving = picture, (save_to_dir, save_prefix, save_format)
        self.total_batches_seen = self.batch_index = 0
        self._order = None

    def __len__(self):
        return (self.n + self.batch_size - 1) // self.batch_size

    def _in_order(self):
        if self._order is None:
            if self.seed is not None:
                np.random.seed(self.seed + self.total_batches_seen)
            self._order = np.random.permutation(self.n) if self.shuffle else np.arange(self.n)
        return self._order

    def __getitem__(self, index):
        if not 0 <= index < len(self):
            raise ValueError(f"[ImageDataGenerator] there is no batch {index}: there are {len(self)}")
        self.total_batches_seen += 1
        return self._batch(self._in_order()[index * self.batch_size : (index + 1) * self.batch_size])

    def _batch(self, numbers):
        made = self.image_data_generator
        x = np.stack([made.standardize(made.random_transform(self._picture(int(i)))) for i in numbers]).astype(
            made.dtype
        )
        folder, prefix, kind = self._saving
        if folder:
            for i, one in zip(numbers, x):
                save_img(os.path.join(folder, f"{prefix}_{i}_{np.random.randint(10**7)}.{kind}"), one, made.data_format)
        if self.pictures_as_labels:
            return x, x.copy()
        if self.labels is None:
            return x
        return (
            (x, self.labels[numbers])
            if self.sample_weight is None
            else (x, self.labels[numbers], self.sample_weight[numbers])
        )

    def on_epoch_end(self):
        self._order = None

    def reset(self):
        """The next batch is the first one again."""
        self.batch_index = 0

    def __iter__(self):
        return self

    def __next__(self):
        """The next batch; behind the last one comes the first."""
        batch = self[self.batch_index]
        self.batch_index = (self.batch_index + 1) % len(self)
        if self.batch_index == 0:
            self.on_epoch_end()
        return batch

    next = __next__
