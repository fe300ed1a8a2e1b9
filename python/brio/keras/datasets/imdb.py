"""keras.datasets.imdb: 50,000 reviews of films as lists of numbers of words, and whether they are good."""

import numpy as np

from brio.keras.datasets import _ADDRESS, _pickles, _words
from brio.keras.utils import get_file


def load_data(
    path="imdb.npz", num_words=None, skip_top=0, maxlen=None, seed=113, start_char=1, oov_char=2, index_from=3, **kwargs
):
    """(x_train, y_train), (x_test, y_test): 25,000 lists of numbers and as many labels, twice."""
    if "nb_words" in kwargs:  # Keras 1's name
        num_words = kwargs.pop("nb_words")
    if kwargs:
        raise TypeError(f"imdb.load_data() does not know {', '.join(kwargs)}")
    path = get_file(
        path, _ADDRESS + "imdb.npz", file_hash="69664113be75683a8fe16e3ed0ab59fda8886cb3cd7ada244f7d9544e4676b9f"
    )
    file, numbers = _pickles.load_npz(path), np.random.RandomState(seed)
    parts = []
    for part in ("train", "test"):
        texts, labels = _words.shuffled(file[f"x_{part}"], file[f"y_{part}"], numbers)
        texts = _words.begun(texts, start_char, index_from)
        if maxlen:
            texts, labels = _words.shorter(texts, labels, maxlen)
            if not texts:
                raise ValueError(f"imdb.load_data(): no review has fewer than maxlen={maxlen} words")
        parts.append((texts, labels))
    (train, y_train), (test, y_test) = parts
    texts = _words.frequent(train + test, num_words, skip_top, oov_char)
    return (_words.array(texts[: len(train)]), y_train), (_words.array(texts[len(train) :]), y_test)


def get_word_index(path="imdb_word_index.json"):
    """The number of each word, the most frequent being 1."""
    return _words.word_index(path, "imdb_word_index.json", "bfafd718b763782e994055a2d397834f")
