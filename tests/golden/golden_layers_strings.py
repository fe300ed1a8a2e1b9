"""Golden values of layers that look tokens up. See golden_layers.py. A layer that was adapted is written with the
vocabulary that it learnt; what adapt() learns is in lookups_adapt_….json."""

import json

import keras
import numpy as np

from golden_layers import Cases, plain

L = keras.layers
WORDS = np.array([["red", "green", "blue"], ["green", "", "violet"]])
TEXTS = np.array(["The quick, brown fox!", "jumps over -- the LAZY dog's   back", "", "h\u00e9llo \u20ac w\u00f6rld"])


def hashing(c):
    ints = np.array([[0, 2, -5], [9876543, 3, 0]], np.int64)
    for mode in ("int", "one_hot", "multi_hot", "count"):
        for salt in (None, 7, [133, 137]):
            for name, x, mask in (("strings", WORDS, ""), ("integers", ints, 0)):
                for masked in (None, mask):
                    rows = x[:, :1] if mode == "one_hot" else x
                    c.layer(
                        f"hashing/{mode}/{salt}/{name}/{masked is not None}",
                        L.Hashing(5, mask_value=masked, salt=salt, output_mode=mode),
                        rows,
                        gradients=False,
                    )
    c.layer("hashing/one_bin", L.Hashing(1, mask_value=""), WORDS, gradients=False)
    c.layer("hashing/int32", L.Hashing(9, dtype="int32"), ints.astype(np.int32), gradients=False)
    c.layer("hashing/flat", L.Hashing(9), WORDS[0], gradients=False)
    c.layer("hashing/floats", L.Hashing(9), np.float32([[1.0, 2.0]]), gradients=False)


def lookups(c):
    words, numbers = ["green", "red", "grey"], [12, 36, 1138]
    ints = np.array([[12, 36, 7], [36, 0, -9]], np.int64)
    for kind, make, vocabulary, x, mask in (
        ("string", L.StringLookup, words, WORDS, ""),
        ("integer", L.IntegerLookup, numbers, ints, 0),
    ):
        for mode in ("int", "one_hot", "multi_hot", "count", "tf_idf"):
            for unknown in (1, 3):
                for masked in (None, mask):
                    o = {"idf_weights": [0.5, 1.25, 2.0]} if mode == "tf_idf" else {}
                    rows = x[:, :1] if mode == "one_hot" else x
                    tag = f"{kind}_lookup/{mode}/{unknown}/{masked is not None}"
                    c.layer(
                        tag,
                        make(vocabulary=vocabulary, num_oov_indices=unknown, mask_token=masked, output_mode=mode, **o),
                        rows,
                        gradients=False,
                    )
                    if mode not in ("int", "one_hot"):
                        c.layer(
                            f"{tag}/padded",
                            make(
                                max_tokens=9,
                                vocabulary=vocabulary,
                                num_oov_indices=unknown,
                                mask_token=masked,
                                output_mode=mode,
                                pad_to_max_tokens=True,
                                **o,
                            ),
                            rows,
                            gradients=False,
                        )
        c.layer(
            f"{kind}_lookup/no_oov",
            make(vocabulary=vocabulary, num_oov_indices=0),
            np.array(vocabulary),
            gradients=False,
        )
        c.layer(f"{kind}_lookup/flat/count", make(vocabulary=vocabulary, output_mode="count"), x[0], gradients=False)
        for masked in (None, mask):
            c.layer(
                f"{kind}_lookup/invert/{masked is not None}",
                make(vocabulary=vocabulary, mask_token=masked, invert=True),
                np.array([[0, 1, 2], [3, 4, 99]], np.int64),
                gradients=False,
            )
        special = [mask, "[UNK]" if kind == "string" else -1]
        c.layer(f"{kind}_lookup/special", make(vocabulary=special + vocabulary, mask_token=mask), x, gradients=False)
        c.layer(
            f"{kind}_lookup/special/tf_idf",
            make(vocabulary=special[1:] + vocabulary, output_mode="tf_idf", idf_weights=[0.1, 0.5, 1.25, 2.0]),
            x,
            gradients=False,
        )
    c.layer(
        "string_lookup/salt", L.StringLookup(vocabulary=words, num_oov_indices=4, salt=[3, 4]), WORDS, gradients=False
    )
    for salt in (None, 9):
        c.layer(
            f"integer_lookup/farmhash/{salt}",
            L.IntegerLookup(vocabulary=numbers, num_oov_indices=4, oov_method="farmhash", salt=salt),
            ints,
            gradients=False,
        )


def text_vectorization(c):
    words = ["the", "quick", "fox", "over", "lazy", "dogs", "w\u00f6rld", "h", "The", "quick brown", "e", "\u20ac"]
    for standardize in ("lower_and_strip_punctuation", "lower", "strip_punctuation", None):
        for split in ("whitespace", "character"):
            for mode in ("int", "multi_hot", "count", "tf_idf"):
                o = {"idf_weights": [0.25 * (i + 1) for i in range(12)]} if mode == "tf_idf" else {}
                c.layer(
                    f"text_vectorization/{standardize}/{split}/{mode}",
                    L.TextVectorization(standardize=standardize, split=split, output_mode=mode, vocabulary=words, **o),
                    TEXTS,
                    gradients=False,
                )
    for length in (2, 12):
        for x in (TEXTS, TEXTS[:, None]):
            c.layer(
                f"text_vectorization/length/{length}/{x.ndim}",
                L.TextVectorization(output_sequence_length=length, vocabulary=words),
                x,
                gradients=False,
            )
    for ngrams in (1, 2, 3, (2,), (3, 1)):
        for mode in ("int", "count"):
            c.layer(
                f"text_vectorization/ngrams/{ngrams}/{mode}",
                L.TextVectorization(ngrams=ngrams, output_mode=mode, vocabulary=words),
                TEXTS,
                gradients=False,
            )
    tokens = np.array([["The", "fox", "lazy."], ["cat", "", "over"]])
    for mode in ("int", "multi_hot", "count"):
        c.layer(
            f"text_vectorization/no_split/{mode}",
            L.TextVectorization(split=None, output_mode=mode, vocabulary=words),
            tokens,
            gradients=False,
        )
    for length in (2, 5):
        c.layer(
            f"text_vectorization/no_split/length/{length}",
            L.TextVectorization(split=None, output_sequence_length=length, vocabulary=words),
            tokens,
            gradients=False,
        )
    c.layer(
        "text_vectorization/padded",
        L.TextVectorization(max_tokens=20, output_mode="count", pad_to_max_tokens=True, vocabulary=words),
        TEXTS,
        gradients=False,
    )


def adapted(case):
    """What adapt() learns: the vocabulary, and what the layer then makes of the data."""
    cases = []

    def one(name, layer, *batches):
        if len(batches) == 1:
            layer.adapt(np.asarray(batches[0]))
        else:
            layer.adapt(iter(batches))
        config = keras.saving.serialize_keras_object(layer)
        outputs = {
            "vocabulary": np.asarray(layer.get_vocabulary()),
            "tokens": np.asarray(layer.get_vocabulary(False)),
            "y": np.asarray(layer(batches[0])),
        }
        kinds = {
            f"dtype_x_{i}": "string" if np.asarray(b).dtype.kind == "U" else np.asarray(b).dtype.name
            for i, b in enumerate(batches)
        }
        cases.append(
            case(
                name,
                {f"x_{i}": np.asarray(b) for i, b in enumerate(batches)},
                {"config": json.dumps(plain(config), separators=(",", ":")), **kinds},
                outputs,
            )
        )

    words = [["b", "a", "c"], ["a", "", "c"], ["a", "d", "[UNK]"]]
    ints = np.array([[3, 1, 2], [1, 0, 2], [1, -4, -1]], np.int64)
    for mode in ("int", "multi_hot", "count", "tf_idf"):
        for most in (None, 4):
            o = {"max_tokens": most, "output_mode": mode}
            one(f"string_lookup/{mode}/{most}", L.StringLookup(**o), words)
            one(f"string_lookup/{mode}/{most}/mask", L.StringLookup(mask_token="", **o), words)
            one(f"string_lookup/{mode}/{most}/flat", L.StringLookup(**o), words[0])
            one(f"string_lookup/{mode}/{most}/batches", L.StringLookup(**o), words[:2], words[2:])
            one(f"integer_lookup/{mode}/{most}", L.IntegerLookup(**o), ints)
            one(f"integer_lookup/{mode}/{most}/mask", L.IntegerLookup(mask_token=0, num_oov_indices=2, **o), ints)
            one(f"text_vectorization/{mode}/{most}", L.TextVectorization(**o), TEXTS)
            one(f"text_vectorization/{mode}/{most}/ngrams", L.TextVectorization(ngrams=2, **o), TEXTS)
            if most:
                one(
                    f"text_vectorization/{mode}/{most}/padded",
                    L.TextVectorization(max_tokens=40, output_mode=mode, pad_to_max_tokens=mode != "int"),
                    TEXTS,
                )
    one("text_vectorization/character", L.TextVectorization(split="character"), TEXTS)
    one("text_vectorization/column", L.TextVectorization(), TEXTS[:, None])
    return cases


def files(case):
    made = []
    for section in (hashing, lookups, text_vectorization):
        collected = Cases(case, f"layers_strings_{section.__name__}")
        section(collected)
        made += collected.files()
    learnt = adapted(case)
    return made + [(f"lookups_adapt_{i + 1}.json", learnt[i::2]) for i in range(2)]
