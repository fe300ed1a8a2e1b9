"""keras.preprocessing.sequence."""

import numpy as np

from brio._missing import attribute_error_of
from brio.keras.utils import PyDataset, pad_sequences  # noqa: F401

__getattr__ = attribute_error_of(__name__)


class TimeseriesGenerator(PyDataset):
    """Windows of `length` rows of data, with the target of the row behind each."""

    def __init__(
        self,
        data,
        targets,
        length,
        sampling_rate=1,
        stride=1,
        start_index=0,
        end_index=None,
        shuffle=False,
        reverse=False,
        batch_size=128,
        **kwargs,
    ):
        super().__init__(**kwargs)
        if len(data) != len(targets):
            raise ValueError(f"[TimeseriesGenerator] there are {len(data)} rows of data, but {len(targets)} targets")
        self.data, self.targets, self.length, self.sampling_rate, self.stride = (
            data,
            targets,
            length,
            sampling_rate,
            stride,
        )
        self.start_index, self.end_index = start_index + length, len(data) - 1 if end_index is None else end_index
        self.shuffle, self.reverse, self.batch_size = shuffle, reverse, batch_size
        if self.start_index > self.end_index:
            raise ValueError(
                f"[TimeseriesGenerator] no window of {length} rows ends between rows {self.start_index} and "
                f"{self.end_index}"
            )

    def __len__(self):
        step = self.batch_size * self.stride
        return (self.end_index - self.start_index + step) // step

    def __getitem__(self, index):
        if self.shuffle:
            rows = np.random.randint(self.start_index, self.end_index + 1, size=self.batch_size)
        else:
            first = self.start_index + self.batch_size * self.stride * index
            rows = np.arange(first, min(first + self.batch_size * self.stride, self.end_index + 1), self.stride)
        samples = np.array([self.data[row - self.length : row : self.sampling_rate] for row in rows])
        return samples[:, ::-1, ...] if self.reverse else samples, np.array([self.targets[row] for row in rows])


def make_sampling_table(size, sampling_factor=1e-05):
    """How likely the i-th most frequent word is to be kept, by Zipf's law."""
    rank = np.arange(size)
    rank[0] = 1
    frequency = sampling_factor * (rank * (np.log(rank) + 0.577) + 0.5 - 1.0 / (12.0 * rank))
    return np.minimum(1.0, frequency / np.sqrt(frequency))


def skipgrams(
    sequence,
    vocabulary_size,
    window_size=4,
    negative_samples=1.0,
    shuffle=True,
    categorical=False,
    sampling_table=None,
    seed=None,
):
    """Pairs of words that are near each other, labelled 1, and as many of random words, labelled 0; 0 is no word."""
    import random

    pairs = []
    for i, word in enumerate(sequence):
        if not word or (sampling_table is not None and sampling_table[word] < random.random()):
            continue
        around = range(max(0, i - window_size), min(len(sequence), i + window_size + 1))
        pairs += [[word, sequence[j]] for j in around if j != i and sequence[j]]
    yes, no = ([0, 1], [1, 0]) if categorical else (1, 0)
    labels = [yes] * len(pairs)
    if negative_samples > 0:
        count, words = int(len(labels) * negative_samples), [pair[0] for pair in pairs]
        random.shuffle(words)
        pairs += [[words[i % len(words)], random.randint(1, vocabulary_size - 1)] for i in range(count)]
        labels += [no] * count
    if shuffle:
        seed = random.randint(0, 10**7) if seed is None else seed
        for together in (pairs, labels):
            random.seed(seed)
            random.shuffle(together)
    return pairs, labels
