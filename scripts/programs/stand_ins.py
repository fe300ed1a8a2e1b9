"""Small random data in the place of what programs download:
keras.datasets, get_file(), tensorflow_datasets, tables by URL.

The forms (shapes, dtypes, columns, names of folders) are the real ones; the numbers are not.
Both libraries get the same.
"""

import importlib
import os
import pathlib
import sys

import numpy as np

import downloads
import libraries
import shell
import shorter
import tfds

_KERAS_DATASETS = {  # (shape of an example, how many to train and to test, classes, shape of a label)
    "mnist": ((28, 28), 60000, 10000, 10, ()),
    "fashion_mnist": ((28, 28), 60000, 10000, 10, ()),
    "cifar10": ((32, 32, 3), 50000, 10000, 10, (1,)),
    "cifar100": ((32, 32, 3), 50000, 10000, 100, (1,)),
}


def install():
    """Replaces what downloads, in whichever library is in use."""
    sys.modules["tensorflow_datasets"] = tfds
    _keras(libraries.imported()[1])
    _tables()
    _texts()
    _urls()


def for_program(text):
    """Replaces what only some programs download: importing it takes seconds."""
    if "fetch_california_housing" in text:
        try:
            from sklearn import datasets
            from sklearn.utils import Bunch
        except ImportError:
            return
        names = ["MedInc", "HouseAge", "AveRooms", "AveBedrms", "Population", "AveOccup", "Latitude", "Longitude"]
        numbers = np.random.default_rng(0)
        houses = Bunch(
            data=numbers.uniform(0, 9, (2000, 8)),
            target=numbers.uniform(0.1, 5, 2000),
            feature_names=names,
            target_names=["MedHouseVal"],
        )
        datasets.fetch_california_housing = lambda *args, return_X_y=False, **kwargs: (
            (houses.data, houses.target) if return_X_y else houses
        )


def in_a_shell(text):
    """What programs have in lines for a shell."""
    shell.run(text, _local)


def _keras(keras):
    shorter.shorten(keras)
    datasets = importlib.import_module("keras.datasets")
    for name, form in _KERAS_DATASETS.items():
        getattr(datasets, name).load_data = _pictures(*form)
    datasets.imdb.load_data = _reviews(2, 25000)
    datasets.reuters.load_data = _reviews(46, 8982)
    datasets.imdb.get_word_index = datasets.reuters.get_word_index = lambda path=None: {
        word: i + 1 for i, word in enumerate(downloads.WORDS)
    }
    datasets.boston_housing.load_data = datasets.california_housing.load_data = _houses
    keras.utils.get_file = _get_file(keras.utils.get_file)
    applications = importlib.import_module("keras.applications")
    for name in dir(applications):
        if name[0].isupper():
            made = shorter.without_downloads(getattr(applications, name))
            setattr(applications, name, made)
            for home in [getattr(applications, n) for n in dir(applications) if n.islower() and not n.startswith("_")]:
                if hasattr(home, name):
                    setattr(home, name, made)


def _pictures(shape, train, test, classes, label):
    def load_data(*args, **kwargs):
        numbers = np.random.default_rng(0)
        block = numbers.integers(
            0, 256, (1000, *shape), dtype=np.uint8
        )  # the same thousand, over and over: quick to make

        def part(n):
            return np.tile(block, (n // 1000, *[1] * len(shape))), np.resize(
                np.arange(n) % classes, (n, *label)
            ).astype("uint8" if label == () else "int64")

        return part(train), part(test)

    return load_data


def _reviews(classes, count):
    def load_data(
        path=None, num_words=None, skip_top=0, maxlen=None, seed=113, start_char=1, oov_char=2, index_from=3, **kwargs
    ):
        numbers = np.random.default_rng(0)

        def part(n):
            rows = [
                [start_char, *numbers.integers(4, num_words or 20000, size).tolist()]
                for size in numbers.integers(20, 300, n)
            ]
            return np.array(rows, dtype=object), np.arange(n) % classes

        return part(count), part(count)

    return load_data


def _houses(*args, **kwargs):
    numbers = np.random.default_rng(0)
    return (numbers.normal(size=(404, 13)), numbers.uniform(5, 50, 404)), (
        numbers.normal(size=(102, 13)),
        numbers.uniform(5, 50, 102),
    )


def _get_file(real):
    def get_file(fname=None, origin=None, untar=False, md5_hash=None, file_hash=None, **kwargs):
        return real(fname, origin=_local(origin).as_uri(), untar=untar, **kwargs)

    return get_file


def _local(url):
    """A file on this machine in the place of a URL: one of --data, or one that downloads.py makes."""
    name = os.path.basename(str(url).split("?")[0])
    given = pathlib.Path(os.environ.get("RUN_PROGRAMS_DATA") or "/nonexistent") / name
    if given.exists():
        return given
    made = pathlib.Path("stand_ins").absolute() / name
    if not made.exists():
        made.parent.mkdir(exist_ok=True)
        if not downloads.make(made):
            raise FileNotFoundError(f"nothing stands in for {url}")
    return made


def _tables():
    try:
        import pandas
    except ImportError:
        return
    real = pandas.read_csv

    def read_csv(source, *args, **kwargs):
        return real(_local(source) if str(source).startswith("http") else source, *args, **kwargs)

    pandas.read_csv = read_csv


def _texts():
    real = np.loadtxt

    def loadtxt(source, *args, **kwargs):
        return real(_local(source) if str(source).startswith("http") else source, *args, **kwargs)

    np.loadtxt = loadtxt


def _urls():
    import shutil
    import urllib.request

    real = urllib.request.urlretrieve

    def urlretrieve(url, filename=None, *args, **kwargs):
        if str(url).startswith("file:"):
            return real(url, filename, *args, **kwargs)
        found = _local(url)
        if filename:
            shutil.copy(found, filename)
        return str(filename or found), None

    urllib.request.urlretrieve = urlretrieve
