"""strings_….json: tf.strings (see make_golden.py). Strings stand in the files with one character for each byte."""

import json

import numpy as np
import tensorflow as tf

S = tf.strings
WORDS = np.array(
    [
        b"",
        b"a",
        b"Brio",
        b"  two  words ",
        b"a,b,,c",
        b"\tMIXED case\n",
        b"h\xc3\xa9llo \xe2\x82\xac",
        b"\xf0\x9f\x98\x80!",
        b"nul\0byte",
        b"bad\xff\xc3",
        b"\xe2\x82 cut",
        b"\xed\xa0\x80\xc0\x80",
    ],
    object,
)


class Cases:
    def __init__(self, case):
        self.case, self.cases = case, []

    def add(self, name, function, *inputs, **params):
        """function(*inputs) as y_0, y_1, …; a ragged one as its values and row_splits."""
        result = function(*[tf.constant(x) for x in inputs])
        outputs = [result.values, result.row_splits] if isinstance(result, tf.RaggedTensor) else [result]
        while isinstance(outputs[0], tf.RaggedTensor):
            raise ValueError("one ragged axis only")
        shown = {"function": name.split("/")[0], **params}
        shown |= {
            f"dtype_{i}": np.asarray(x).dtype.name
            for i, x in enumerate(inputs)
            if np.asarray(x).dtype.kind not in "OSU"
        }
        self.cases.append(
            self.case(
                name,
                {f"x_{i}": x for i, x in enumerate(inputs)},
                shown,
                {f"y_{i}": y.numpy() for i, y in enumerate(outputs)},
            )
        )


def texts(c):
    grid = WORDS.reshape(3, 4)
    for name, function in (("lower", S.lower), ("upper", S.upper), ("strip", S.strip)):
        c.add(name, function, grid)
        c.add(f"{name}/scalar", function, WORDS[5])
    for unit in ("BYTE", "UTF8_CHAR"):
        c.add(f"length/{unit}", lambda x: S.length(x, unit), grid, unit=unit)
        for pos, length in ((0, 2), (1, 100), (-1, 1), (-3, 2), (5, 1), (0, 0), (0, -1), (2, -5), (-5, 3)):
            x = np.array([b"abcde", b"h\xc3\xa9\xc3\xbcl\xe2\x82\xac", b"\xff\x80a\x80bcdef"], object)
            c.add(
                f"substr/{unit}/{pos}/{length}",
                lambda x: S.substr(x, pos, length, unit),
                x,
                unit=unit,
                pos=pos,
                len=length,
            )
    c.add(
        "substr_each/same",
        lambda x, p, n: S.substr(x, p, n),
        np.array([b"abc", b"defg"], object),
        np.int32([0, -2]),
        np.int32([1, 2]),
    )
    c.add(
        "substr_each/broadcast",
        lambda x, p, n: S.substr(x, p, n),
        np.array([[b"abc"], [b"defg"]], object),
        np.int64([0, 1, 3]),
        np.int64([1, 2, 1]),
    )
    c.add(
        "substr_each/scalar",
        lambda x, p, n: S.substr(x, p, n),
        np.array(b"abcdef", object),
        np.int64([0, 1, 3]),
        np.int64([1, 2, 9]),
    )
    for separator in ("", ", "):
        c.add(f"join/{separator}", lambda *x: S.join(x, separator), WORDS[:4], WORDS[4:8], separator=separator)
        c.add(
            f"join/{separator}/scalar",
            lambda *x: S.join(x, separator),
            WORDS[:4],
            np.array(b"-", object),
            WORDS[4:8],
            separator=separator,
        )
        c.add(f"join/{separator}/one", lambda *x: S.join(x, separator), grid, separator=separator)
        x = np.array([[[b"a", b"b"], [b"c", b"d"]], [[b"e", b"f"], [b"g", b"h"]]], object)
        for axes in ([0], [1], [2], [-1], [0, 1], [1, 0], [0, 2], [2, 1, 0], [0, 1, 2], []):
            for keep in (False, True):
                c.add(
                    f"reduce_join/{separator}/{axes}/{keep}",
                    lambda x, axes_: S.reduce_join(x, axis=axes, keepdims=keep, separator=separator),
                    x,
                    np.int32(axes),
                    separator=separator,
                    keepdims=keep,
                )
        c.add(f"reduce_join_all/{separator}", lambda x: S.reduce_join(x, separator=separator), x, separator=separator)
        c.add(
            f"reduce_join_all/{separator}/scalar",
            lambda x: S.reduce_join(x, separator=separator),
            np.array(b"one", object),
            separator=separator,
        )


def pieces(c):
    x = np.array([b"", b" ", b"a b  c ", b" a,b,,c,", b"abab", b"xabyabz", b"\ta\x0bb\xc2\xa0c", b"nul\0 byte"], object)
    for sep in ("", " ", ",", "ab", ",,"):
        for most in (-1, 0, 1, 2):
            c.add(f"split/{sep}/{most}", lambda x: S.split(x, sep, most), x, sep=sep, maxsplit=most)
    c.add("bytes_split", S.bytes_split, WORDS)
    bad = np.array(
        [
            b"a\xffb",
            b"\xc3",
            b"\xe2\x82",
            b"\xe2\x82a",
            b"\xf0\x9f\x98\x80!",
            b"\xed\xa0\x80",
            b"\xc0\x80",
            b"\xf8\x88\x80\x80\x80",
            b"\xf4\x90\x80\x80",
            b"\xf0\x9f\x98",
            b"a\0b",
            b"\xe0\x80\x80",
            b"\xf0\x80\x80\x80",
            b"\xef\xbb\xbfa",
            b"\xf4\x8f\xbf\xbf",
            b"\xee\x80\x80",
            b"\xf1\x80\x80\x80\x80",
        ],
        object,
    )
    c.add("unicode_split", lambda x: S.unicode_split(x, "UTF-8"), bad)
    c.add("unicode_split/words", lambda x: S.unicode_split(x, "UTF-8"), WORDS)
    for widths in ([1], [2], [1, 2], [3, 1], [5]):
        c.add(
            f"ngrams/{widths}",
            lambda x, w: S.ngrams(S.split(x), tuple(widths), separator="_"),
            x,
            np.int64(widths),
            separator="_",
        )


def regexes(c):
    x = np.array(
        [b"", b"a", b"aaa", b"foo bar  baz", b"2024-01-31", b"h\xc3\xa9llo", b"line\nbreak", b"A.b*C", b"bad\xffend"],
        object,
    )
    for i, (pattern, rewrite) in enumerate(
        (
            ("a", "b"),
            ("a*", "-"),
            (r"\s+", " "),
            (r"(\d+)-(\d+)", r"\2/\1"),
            ("^", ">"),
            ("$", "<"),
            (".", "x"),
            (r"[^a-z]", ""),
            (r"(?i)b", "?"),
            (r"\pL", "L"),
            ("(a)(b)?", r"[\1\2]"),
            ("", "."),
            (r"\.", r"\\"),
            (r"(?s)e.b", "_"),
            (r"\bb", "<b>"),
            ("o{2}", r"\0\0"),
        )
    ):
        for everywhere in (True, False):
            c.add(
                f"regex_replace/{i}/{everywhere}",
                lambda x: S.regex_replace(x, pattern, rewrite, everywhere),
                x,
                pattern=pattern,
                rewrite=rewrite,
                replace_global=everywhere,
            )
    for i, pattern in enumerate(
        ("", "a+", ".*", "(?s).*", r"\d{4}-\d\d-\d\d", r"[a-z ]+", r"h.llo", "a|aaa", r"A\.b\*C")
    ):
        c.add(f"regex_full_match/{i}", lambda x: S.regex_full_match(x, pattern), x, pattern=pattern)


def numbers(c):
    floats = np.array(
        [
            b"1",
            b" 1",
            b"1 ",
            b"+1",
            b"-1",
            b"1e3",
            b"0x10",
            b"0x1p3",
            b"-0x1.8p1",
            b"1.",
            b".5",
            b"1e-400",
            b"\t1\n",
            b"1e-46",
            b"-0",
            b"00012",
            b"3.1415926535897931",
            b"1E+2",
            b"-.25e-1",
            b"16777217",
            b"0.1",
        ],
        object,
    )
    for dtype in ("float32", "float64"):
        c.add(f"to_number_bits/{dtype}", lambda x: tf.bitcast(S.to_number(x, dtype), "int32"), floats, dtype=dtype)
    for dtype, most in (("int32", 2**31), ("int64", 2**53)):
        x = np.array(
            [b"0", b" 7", b"7 ", b"+7", b"-7", b"0007", b"\n7\t", b"-0", str(most - 1).encode(), str(-most).encode()],
            object,
        )
        c.add(f"to_number/{dtype}", lambda x: S.to_number(x, dtype), x, dtype=dtype)
    values = np.float32([0, 1, -1, 0.1, -2.5, 3.14159274, 1e10, -1e-5, 123456.789, 1e-20])
    for name, o in (
        ("plain", {}),
        ("precision", {"precision": 2}),
        ("none", {"precision": 0}),
        ("scientific", {"scientific": True}),
        ("scientific_3", {"scientific": True, "precision": 3}),
        ("shortest", {"shortest": True}),
        ("shortest_3", {"shortest": True, "precision": 3}),
        ("width", {"width": 14}),
        ("zeros", {"width": 14, "fill": "0"}),
        ("left", {"width": 14, "fill": "-"}),
        ("plus", {"width": 14, "fill": "+"}),
        ("space", {"width": 3, "fill": " "}),
        ("all", {"width": 12, "fill": "0", "precision": 1, "scientific": True}),
    ):
        for dtype in ("float32", "float64"):
            c.add(f"as_string/{name}/{dtype}", lambda x: S.as_string(x, **o), values.astype(dtype), **o)
    whole = np.array([0, 1, -1, 42, 100], np.int64)
    for name, o in (
        ("plain", {}),
        ("width", {"width": 5}),
        ("zeros", {"width": 5, "fill": "0"}),
        ("left", {"width": 5, "fill": "-"}),
        ("plus", {"fill": "+"}),
    ):
        for dtype in ("int8", "int16", "int32", "int64"):
            c.add(f"as_string/{name}/{dtype}", lambda x: S.as_string(x, **o), whole.astype(dtype), **o)
    c.add("as_string/plain/uint8", S.as_string, np.uint8([0, 7, 255]))
    c.add("as_string/bool", S.as_string, np.array([True, False]))
    odd = np.array([b"a", b"b", b"", b"a", b"ab", b"b"], object)
    c.add("equal", tf.equal, odd, odd[::-1])
    c.add("equal/broadcast", tf.equal, odd.reshape(3, 2), odd[:2])
    c.add("not_equal/scalar", tf.not_equal, odd, np.array(b"a", object))


def buckets(c):
    """Buckets are few enough for numbers to be exact in JSON and in float32."""
    rng = np.random.default_rng(7)
    lengths = list(range(140)) + [150, 191, 192, 193, 255, 256, 257, 300]
    x = np.array([bytes(rng.integers(32, 127, n).astype(np.uint8)) for n in lengths], object)
    for many in (10, 1000003):
        half = x if many == 1000003 else x[:40]
        c.add(f"to_hash_bucket_fast/{many}", lambda x: S.to_hash_bucket_fast(x, many), half, num_buckets=many)
        c.add(
            f"to_hash_bucket_strong/{many}",
            lambda x: S.to_hash_bucket_strong(x, many, [5, 123456789]),
            x[:80],
            num_buckets=many,
            key_0=5,
            key_1=123456789,
        )
        c.add(f"to_hash_bucket/{many}", lambda x: S.to_hash_bucket(x, many), x[:40], num_buckets=many)
    for name, function in (
        ("to_hash_bucket_fast", lambda x: S.to_hash_bucket_fast(x, 97)),
        ("to_hash_bucket", lambda x: S.to_hash_bucket(x, 97)),
    ):
        c.add(f"{name}/words", function, WORDS, num_buckets=97)


def files(case):
    made = []
    for section in (texts, pieces, regexes, numbers, buckets):
        c = Cases(case)
        section(c)
        made.append((f"strings_{section.__name__}.json", c.cases))
        assert len(json.dumps(c.cases)) < 48_000, (section.__name__, len(json.dumps(c.cases)))
    return made
