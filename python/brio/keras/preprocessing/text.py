"""keras.preprocessing.text: words of texts as numbers."""

import collections
import hashlib
import json

from brio._missing import attribute_error_of

__getattr__ = attribute_error_of(__name__)

_FILTERS = '!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n'
# What a Tokenizer has learned, in the order in which its config has it.
_LEARNED = ("word_counts", "word_docs", "index_docs", "index_word", "word_index")


def text_to_word_sequence(input_text, filters=_FILTERS, lower=True, split=" "):
    """The words of a text; the characters of `filters` part words too."""
    text = input_text.lower() if lower else input_text
    return [word for word in text.translate({ord(c): split for c in filters}).split(split) if word]


def hashing_trick(text, n, hash_function=None, filters=_FILTERS, lower=True, split=" ", analyzer=None):
    """A number from 1 to n - 1 for each word, by its hash; several words may have one."""
    if hash_function == "md5":
        hash_function = lambda word: int(hashlib.md5(word.encode()).hexdigest(), 16)
    words = text_to_word_sequence(text, filters, lower, split) if analyzer is None else analyzer(text)
    return [(hash_function or hash)(word) % (n - 1) + 1 for word in words]


def one_hot(input_text, n, filters=_FILTERS, lower=True, split=" ", analyzer=None):
    """hashing_trick() with Python's own hash."""
    return hashing_trick(input_text, n, hash, filters, lower, split, analyzer)


class Tokenizer:
    """Numbers words by how often they come: fit_on_texts(), then texts_to_sequences().

    >>> tokenizer = keras.preprocessing.text.Tokenizer(num_words=100)
    >>> tokenizer.fit_on_texts(["a rose is a rose"])
    >>> tokenizer.texts_to_sequences(["a rose"])
    [[1, 2]]
    """

    def __init__(
        self,
        num_words=None,
        filters=_FILTERS,
        lower=True,
        split=" ",
        char_level=False,
        oov_token=None,
        analyzer=None,
        **kwargs,
    ):
        if "nb_words" in kwargs:  # Keras 1's name
            num_words = kwargs.pop("nb_words")
        self.document_count = kwargs.pop("document_count", 0)
        if kwargs:
            raise TypeError(f"Tokenizer() does not know {', '.join(kwargs)}")
        self.num_words, self.filters, self.lower, self.split = num_words, filters, lower, split
        self.char_level, self.oov_token, self.analyzer = char_level, oov_token, analyzer
        self.word_counts, self.word_index, self.index_word = collections.OrderedDict(), {}, {}
        self.word_docs, self.index_docs = collections.defaultdict(int), collections.defaultdict(int)

    def _words(self, text):
        if self.char_level or isinstance(text, list):
            if not self.lower:
                return text
            return [part.lower() for part in text] if isinstance(text, list) else text.lower()
        return (
            text_to_word_sequence(text, self.filters, self.lower, self.split)
            if self.analyzer is None
            else self.analyzer(text)
        )

    def fit_on_texts(self, texts):
        """Counts the words of texts and numbers them."""
        for text in texts:
            self.document_count += 1
            words = self._words(text)
            for word in words:
                self.word_counts[word] = self.word_counts.get(word, 0) + 1
            for word in set(words):
                self.word_docs[word] += 1
        known = [] if self.oov_token is None else [self.oov_token]
        known += sorted(self.word_counts, key=self.word_counts.get, reverse=True)
        self.word_index = {word: i for i, word in enumerate(known, 1)}
        self.index_word = {i: word for word, i in self.word_index.items()}
        self.index_docs.update({self.word_index[word]: count for word, count in self.word_docs.items()})

    def fit_on_sequences(self, sequences):
        """Counts in how many texts, given as numbers, each number comes."""
        self.document_count += len(sequences)
        for sequence in sequences:
            for number in set(sequence):
                self.index_docs[number] += 1

    def texts_to_sequences(self, texts):
        """Texts as lists of numbers."""
        return list(self.texts_to_sequences_generator(texts))

    def texts_to_sequences_generator(self, texts):
        """The same one by one."""
        for text in texts:
            yield self._kept((self.word_index.get(word) for word in self._words(text)), lambda number: number)

    def sequences_to_texts(self, sequences):
        """Lists of numbers as texts."""
        return list(self.sequences_to_texts_generator(sequences))

    def sequences_to_texts_generator(self, sequences):
        """The same one by one."""
        for sequence in sequences:
            yield " ".join(self._kept((n if n in self.index_word else None for n in sequence), self.index_word.get))

    def _kept(self, numbers, shown):
        """Numbers of words that are known and frequent enough; others become that of oov_token, where there is one."""
        unknown = self.word_index.get(self.oov_token)
        kept = (
            number if number is not None and not (self.num_words and number >= self.num_words) else unknown
            for number in numbers
        )
        return [shown(number) for number in kept if number is not None]

    def texts_to_matrix(self, texts, mode="binary"):
        """A row for each text, a column for each word."""
        return self.sequences_to_matrix(self.texts_to_sequences(texts), mode)

    def sequences_to_matrix(self, sequences, mode="binary"):
        """A row for each list of numbers. mode: 'binary', 'count', 'freq' or 'tfidf'."""
        import numpy as np

        if not self.num_words and not self.word_index:
            raise ValueError(
                "[Tokenizer] the number of columns is not known: give num_words, or call fit_on_texts() first"
            )
        if mode == "tfidf" and not self.document_count:
            raise ValueError("[Tokenizer] mode='tfidf' needs texts to count words in: call fit_on_texts() first")
        rows = np.zeros((len(sequences), self.num_words or len(self.word_index) + 1))
        weigh = {
            "binary": lambda number, count, size: 1,
            "count": lambda number, count, size: count,
            "freq": lambda number, count, size: count / size,
            "tfidf": lambda number, count, size: (
                (1 + np.log(count)) * np.log(1 + self.document_count / (1 + self.index_docs.get(number, 0)))
            ),
        }
        if mode not in weigh:
            raise ValueError(f"[Tokenizer] mode is one of {', '.join(weigh)}, but got {mode!r}")
        for row, sequence in zip(rows, sequences):
            for number, count in collections.Counter(n for n in sequence if n < rows.shape[1]).items():
                row[number] = weigh[mode](number, count, len(sequence))
        return rows

    def get_config(self):
        """What it was made with and has learned."""
        plain = ("num_words", "filters", "lower", "split", "char_level", "oov_token", "document_count")
        return {
            **{name: getattr(self, name) for name in plain},
            **{name: json.dumps(getattr(self, name)) for name in _LEARNED},
        }

    def to_json(self, **kwargs):
        """The same as a text, which tokenizer_from_json() reads."""
        return json.dumps({"class_name": type(self).__name__, "config": self.get_config()}, **kwargs)


def tokenizer_from_json(json_string):
    """A Tokenizer of what to_json() gave."""
    config = json.loads(json_string)["config"]
    learned = {name: json.loads(config.pop(name)) for name in _LEARNED}
    made = Tokenizer(**config)
    for name, table in learned.items():
        setattr(made, name, {int(k): v for k, v in table.items()} if name.startswith("index") else table)
    return made
