"""Texts as lists of numbers of words: shuffled, and with rare words left out."""

import json

import numpy as np

from brio.keras.datasets import _ADDRESS
from brio.keras.utils import get_file


def shuffled(texts, labels, numbers):
    """Texts and labels in one random order."""
    order = np.arange(len(texts))
    numbers.shuffle(order)
    return texts[order], labels[order]


def begun(texts, start_char, index_from):
    """Each text with the mark of its beginning, and its words numbered from index_from."""
    before = [] if start_char is None else [start_char]
    return [before + [word + (index_from or 0) for word in text] for text in texts]


def shorter(texts, labels, maxlen):
    """The texts of fewer than maxlen words."""
    kept = [i for i, text in enumerate(texts) if len(text) < maxlen]
    return [texts[i] for i in kept], np.asarray([labels[i] for i in kept])


def frequent(texts, num_words, skip_top, oov_char):
    """Texts of the num_words most frequent words; others become oov_char, or are left out where that is None."""
    num_words = num_words or max(max(text) for text in texts)
    if oov_char is None:
        return [[word for word in text if skip_top <= word < num_words] for text in texts]
    return [[word if skip_top <= word < num_words else oov_char for word in text] for text in texts]


def array(texts):
    """An array of lists."""
    made = np.empty(len(texts), dtype=object)
    made[:] = texts
    return made


def word_index(path, name, file_hash):
    """The number of each word."""
    with open(get_file(path, _ADDRESS + name, file_hash=file_hash), encoding="utf-8") as file:
        return json.load(file)
