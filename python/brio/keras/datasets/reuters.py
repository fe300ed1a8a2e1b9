"""keras.datasets.reuters: 11,228 newswires of 46 topics, as lists of numbers of words."""

import numpy as np

from brio.keras.datasets import _ADDRESS, _pickles, _words
from brio.keras.utils import get_file

_TOPICS = (
    "cocoa grain veg-oil earn acq wheat copper housing money-supply coffee sugar trade reserves ship cotton carcass "
    "crude nat-gas cpi money-fx interest gnp meal-feed alum oilseed gold tin strategic-metal livestock retail ipi "
    "iron-steel rubber heat jobs lei bop zinc orange pet-chem dlr gas silver wpi hog lead"
)


def load_data(
    path="reuters.npz",
    num_words=None,
    skip_top=0,
    maxlen=None,
    test_split=0.2,
    seed=113,
    start_char=1,
    oov_char=2,
    index_from=3,
):
    """(x_train, y_train), (x_test, y_test): lists of numbers, and topics."""
    path = get_file(
        path, _ADDRESS + "reuters.npz", file_hash="d6586e694ee56d7a4e65172e12b3e987c03096cb01eab99753921ef915959916"
    )
    file = _pickles.load_npz(path)
    texts, labels = _words.shuffled(file["x"], file["y"], np.random.RandomState(seed))
    texts = _words.begun(texts, start_char, index_from)
    if maxlen:
        texts, labels = _words.shorter(texts, labels, maxlen)
    texts = _words.frequent(texts, num_words, skip_top, oov_char)
    cut = int(len(texts) * (1 - test_split))
    return (_words.array(texts[:cut]), np.array(labels[:cut])), (_words.array(texts[cut:]), np.array(labels[cut:]))


def get_word_index(path="reuters_word_index.json"):
    """The number of each word, the most frequent being 1."""
    return _words.word_index(path, "reuters_word_index.json", "4d44cc38712099c9e383dc6e5f11a921")


def get_label_names():
    """The names of the topics."""
    return tuple(_TOPICS.split())
