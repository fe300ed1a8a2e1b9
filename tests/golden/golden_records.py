"""records_….json: TFRecord files, tf.train.Example and what tf.io parses from them (see make_golden.py). Files and
messages stand in hexadecimal, integers as decimal text; messages, specs and verdicts as JSON text in a parameter."""

import json
import os
import tempfile

import numpy as np
import tensorflow as tf
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

T = tf.train
FL, VL, FS = tf.io.FixedLenFeature, tf.io.VarLenFeature, tf.io.FixedLenSequenceFeature


def I(*v):  # noqa: E743  short for many rows
    return T.Feature(int64_list=T.Int64List(value=v))


def F(*v):
    return T.Feature(float_list=T.FloatList(value=v))


def B(*v):
    return T.Feature(bytes_list=T.BytesList(value=v))


def features(f):
    return T.Features(feature=f)


def example(**f):
    return T.Example(features=features(f))


def sequence(context, lists):
    made = T.SequenceExample()
    if context:
        made.context.CopyFrom(features(context))
    for key, steps in lists.items():
        made.feature_lists.feature_list[key].CopyFrom(T.FeatureList(feature=steps))
    return made


def plain(value):
    """An array for a golden file: integers as text, which a double could not hold."""
    value = np.asarray(value)
    if value.dtype.kind in "iub":
        return np.array([str(int(v)) for v in value.ravel()] + [None], object)[:-1].reshape(value.shape)
    return value


def shown(feature):
    """A Feature as JSON: its kind, and its values as text that loses nothing."""
    kind = feature.WhichOneof("kind")
    if kind is None:
        return ["none", []]
    name = {"bytes_list": "string", "float_list": "float", "int64_list": "int64"}[kind]
    values = getattr(feature, kind).value
    as_text = {"string": lambda v: v.hex(), "float": lambda v: np.float32(v).tobytes().hex(), "int64": str}[name]
    return [name, [as_text(v) for v in values]]


def record_files(case):
    cases = []
    long = bytes(range(256)) * 5
    for name, records in (
        ("none", []),
        ("empty", [b""]),
        ("abc", [b"abc"]),
        ("several", [b"abc", b"", b"\0" * 40, b"x" * 300]),
        ("long", [long, b"end"]),
        ("example", [example(a=I(1), b=B(b"\xff\xd8")).SerializeToString(deterministic=True)]),
    ):
        params = {}
        for compression in ("", "GZIP", "ZLIB"):
            with tempfile.TemporaryDirectory() as directory:
                path = os.path.join(directory, "f")
                with tf.io.TFRecordWriter(path, compression) as writer:
                    for record in records:
                        writer.write(record)
                with open(path, "rb") as file:
                    params["plain" if not compression else compression.lower()] = file.read().hex()
        texts = np.array([r.hex() for r in records] + [None], object)[:-1]
        cases.append(case(f"tfrecord/{name}", {"records": texts}, params, {}))
    return cases


def messages(case):
    big = 2**63 - 1
    table = {
        "none": {},
        "empty_lists": {"a": I(), "b": F(), "c": B(), "d": T.Feature()},
        "empty_key": {"": I(1)},
        "label": {"image": B(b"\xff\xd8"), "label": I(7)},
        "ints": {"a": I(0, 1, 127, 128, 300, -1, big, -big - 1)},
        "floats": {"f": F(0, -0.0, 1.5, 1e-45, 3.4e38, float("inf"), float("nan"))},
        "bytes": {"b": B(b"", b"\0", b"x" * 200)},
        "order": {"b": I(1), "a": F(1), "B": B(b"x"), "aa": I(2), "Z": I(3), "é": I(4)},
        "long": {"a": F(*range(100)), "b": I(*range(-70, 70))},
    }
    cases = []
    for name, made in table.items():
        content = json.dumps({k: shown(v) for k, v in made.items()})
        serialized = T.Example(features=features(made)).SerializeToString(deterministic=True)
        cases.append(case(f"example/{name}", {}, {"content": content, "bytes": serialized.hex()}, {}))
    lists = {
        "none": ({}, {}),
        "context": ({"n": I(3)}, {}),
        "lists": ({}, {"t": [I(1), I(2)], "e": [], "a": [F(1), T.Feature()]}),
        "both": ({"n": I(3), "a": B(b"x")}, {"t": [I(1), I(), I(3, 4)], "v": [B(b"a", b"b")]}),
    }
    for name, (context, made) in lists.items():
        content = json.dumps(
            [{k: shown(v) for k, v in context.items()}, {k: [shown(s) for s in steps] for k, steps in made.items()}]
        )
        serialized = sequence(context, made).SerializeToString(deterministic=True)
        cases.append(case(f"sequence/{name}", {}, {"content": content, "bytes": serialized.hex()}, {}))
    return cases


def spec_of(feature):
    shape = list(getattr(feature, "shape", []))
    default = getattr(feature, "default_value", None)
    if default is not None:
        as_text = [v.hex() if isinstance(v, bytes) else str(v) for v in np.asarray(default, object).ravel()]
        default = {"shape": shape if isinstance(feature, FL) else [], "values": as_text}
    return {
        "type": type(feature).__name__,
        "shape": shape,
        "dtype": feature.dtype.name,
        "default": default,
        "allow_missing": bool(getattr(feature, "allow_missing", False)),
    }


def results(parsed, lengths=None):
    outputs = {}
    for key, value in parsed.items():
        if isinstance(value, tf.SparseTensor):
            for part in ("indices", "values", "dense_shape"):
                outputs[f"{key}/{part}"] = plain(getattr(value, part).numpy())
        else:
            outputs[f"{key}/values"] = plain(value.numpy())
    for key, value in (lengths or {}).items():
        outputs[f"{key}/lengths"] = plain(value.numpy())
    return outputs


def parsing(case):
    cases = []

    def add(name, made, specs, single=False):
        serialized = [m.SerializeToString(deterministic=True) if isinstance(m, T.Example) else m for m in made]
        params = {"specs": json.dumps([{"key": k, **spec_of(s)} for k, s in specs.items()]), "single": single}
        try:
            outputs = results(
                tf.io.parse_single_example(serialized[0], specs)
                if single
                else tf.io.parse_example(tf.constant(serialized, tf.string), specs)
            )
        except tf.errors.InvalidArgumentError:
            outputs, params["error"] = {}, True
        texts = np.array([s.hex() for s in serialized] + [None], object)[:-1]
        cases.append(case(name, {"serialized": texts}, params, outputs))

    one = example(i=I(1, 2), f=F(1.5), s=B(b"one"), m=F(1, 2, 3, 4), long=I(*range(-3, 300, 40)))
    two = example(i=I(-3, 2**40), f=F(-2), s=B(b""), m=F(5, 6, 7, 8), extra=B(b"unused"), long=I())
    bare = example(none=T.Feature())
    three = example(i=I(5), f=F(1, 2, 3), s=B(b"x", b"yy"), m=F(1, 2))
    fixed = {"i": FL([2], tf.int64), "f": FL([], tf.float32), "s": FL([], tf.string), "m": FL([2, 2], tf.float32)}
    varied = {"i": VL(tf.int64), "f": VL(tf.float32), "s": VL(tf.string), "long": VL(tf.int64)}
    sequences = {
        k: FS([], t, allow_missing=True)
        for k, t in (("i", tf.int64), ("f", tf.float32), ("s", tf.string), ("long", tf.int64))
    }
    for single in (False, True):
        kind = "single" if single else "batch"
        add(f"{kind}/fixed", [one, two, one], fixed, single)
        add(f"{kind}/var", [one, two, bare, three], varied, single)
        add(f"{kind}/var_missing", [bare], varied, single)
        add(f"{kind}/sequence", [one, two, bare, three], sequences, single)
        add(f"{kind}/sequence_missing", [bare], sequences, single)
        add(
            f"{kind}/sequence_default",
            [three, one, bare],
            {
                "i": FS([], tf.int64, True, 9),
                "f": FS([], tf.float32, True, -1.5),
                "s": FS([], tf.string, True, b"pad"),
                "m": FS([2], tf.float32, True, 7.0),
            },
            single,
        )
        add(
            f"{kind}/defaults",
            [bare, two],
            {
                "i": FL([2], tf.int64, [7, 8]),
                "f": FL([], tf.float32, 0.5),
                "s": FL([], tf.string, b"none"),
                "m": FL([2, 2], tf.float32, [[1.0, 2.0], [3.0, 4.0]]),
                "none": FL([1], tf.int64, [3]),
            },
            single,
        )
        add(f"{kind}/strings", [example(s=B(b"a", b"bb")), example(s=B(b"", b"\0"))], {"s": FL([2], tf.string)}, single)
        add(
            f"{kind}/mixed",
            [one, two],
            {"i": VL(tf.int64), "f": FL([], tf.float32), "m": FS([2], tf.float32, True)},
            single,
        )
        for name, spec in (
            ("missing", {"zz": FL([], tf.int64)}),
            ("none", {"none": FL([], tf.int64)}),
            ("dtype", {"i": FL([2], tf.float32)}),
            ("dtype_string", {"i": FL([2], tf.string)}),
            ("dtype_var", {"i": VL(tf.float32)}),
            ("dtype_sequence", {"s": FS([], tf.float32, True)}),
            ("too_few", {"i": FL([3], tf.int64)}),
            ("too_many", {"i": FL([], tf.int64)}),
            ("floats_few", {"m": FL([5], tf.float32)}),
            ("floats_many", {"m": FL([], tf.float32)}),
            ("strings_few", {"s": FL([2], tf.string)}),
            ("stride", {"m": FS([3], tf.float32, True)}),
            ("empty", {"long": FL([1], tf.int64, [1])}),
        ):
            made = [bare, bare] if name in ("missing", "none") else [two, one] if name == "empty" else [one, two]
            add(f"{kind}/error/{name}", made, spec, single)
    add("batch/of_none", [], {**fixed, "v": VL(tf.float32), "q": FS([2], tf.float32, True)})
    return cases


def sequences(case):
    cases = []

    def add(name, made, context, lists, single=False):
        serialized = [m.SerializeToString(deterministic=True) for m in made]
        params = {
            f"{which}_specs": json.dumps([{"key": k, **spec_of(s)} for k, s in specs.items()])
            for which, specs in (("context", context), ("list", lists))
        }
        params["single"] = single
        try:
            if single:
                outputs = tf.io.parse_single_sequence_example(serialized[0], context, lists)
                outputs = results(outputs[0]) | results(outputs[1])
            else:
                outputs = tf.io.parse_sequence_example(tf.constant(serialized, tf.string), context, lists)
                outputs = results(outputs[0]) | results(outputs[1], outputs[2])
        except tf.errors.InvalidArgumentError:
            outputs, params["error"] = {}, True
        texts = np.array([s.hex() for s in serialized] + [None], object)[:-1]
        cases.append(case(name, {"serialized": texts}, params, outputs))

    one = sequence(
        {"n": I(3), "s": B(b"x")},
        {
            "t": [I(1), I(2), I(3)],
            "v": [F(1, 2), F(), F(3)],
            "p": [F(1, 2), F(3, 4)],
            "w": [B(b"a", b"b"), B(b"c")],
            "e": [],
        },
    )
    two = sequence(
        {"n": I(4), "s": B(b"")}, {"t": [I(9)], "v": [F(5), F(6, 7, 8)], "p": [F(5, 6)], "w": [B()], "e": []}
    )
    bare = sequence({"n": I(0), "s": B(b"z")}, {})
    context = {"n": FL([], tf.int64), "s": FL([], tf.string)}
    for single in (False, True):
        kind = "single" if single else "batch"
        add(
            f"{kind}/dense",
            [one, two],
            context,
            {"t": FS([], tf.int64), "p": FS([2], tf.float32), "e": FS([], tf.int64)},
            single,
        )
        add(
            f"{kind}/var",
            [one, two, bare],
            {"n": VL(tf.int64)},
            {"v": VL(tf.float32), "w": VL(tf.string), "t": VL(tf.int64)},
            single,
        )
        add(
            f"{kind}/missing_allowed",
            [bare, one],
            {},
            {"t": FS([], tf.int64, True), "p": FS([2], tf.float32, True)},
            single,
        )
        add(f"{kind}/missing_var", [bare], {}, {"v": VL(tf.float32)}, single)
        for name, lists in (
            ("missing", {"zz": FS([], tf.int64)}),
            ("dtype", {"t": FS([], tf.float32)}),
            ("count", {"t": FS([2], tf.int64)}),
            ("dtype_var", {"t": VL(tf.string)}),
        ):
            add(f"{kind}/error/{name}", [one], {}, lists, single)
        add(f"{kind}/error/context", [one], {"zz": FL([], tf.int64)}, {}, single)
    return cases


def raw(case):
    cases = []
    bytes_ = bytes((37 * i + 11) % 256 for i in range(48))
    for dtype in (
        "int8",
        "uint8",
        "int16",
        "uint16",
        "int32",
        "int64",
        "float16",
        "float32",
        "float64",
        "complex64",
        "complex128",
        "bool",
    ):
        for little in (True, False):
            for shape in ((), (3,), (1, 2)):
                count = int(np.prod(shape))
                texts = [(bytes_[i:] + bytes_[:i]) for i in range(count)]
                if dtype == "bool":
                    texts = [bytes(b % 3 for b in t) for t in texts]
                y = tf.io.decode_raw(
                    tf.constant(np.array(texts + [None], object)[:-1].reshape(shape)), dtype, little
                ).numpy()
                if dtype == "bool":  # TensorFlow lets bytes other than 0 and 1 be: they are true, and here they are 1
                    y = y.view(np.uint8) != 0
                hexes = np.array([t.hex() for t in texts] + [None], object)[:-1].reshape(shape)
                cases.append(
                    case(
                        f"decode_raw/{dtype}/{little}/{shape}",
                        {"strings": hexes},
                        {"dtype": dtype, "little_endian": little, "y": y.tobytes().hex()},
                        {"shape": np.array(y.shape, np.int32)},
                    )
                )
    return cases


def oracle_classes():
    """Example as protobuf reads it, with the map as the list of entries that it is on the wire, so that keys need not
    be UTF-8 and two keys or values in an entry show."""
    file = descriptor_pb2.FileDescriptorProto(name="oracle.proto", package="oracle", syntax="proto3")
    kind = descriptor_pb2.FieldDescriptorProto

    def add(name, *fields):
        message = file.message_type.add(name=name)
        for number, (field, type_, repeated, oneof) in enumerate(fields, 1):
            f = message.field.add(name=field, number=number, label=3 if repeated else 1)
            if isinstance(type_, str):
                f.type, f.type_name = kind.TYPE_MESSAGE, f".oracle.{type_}"
            else:
                f.type = type_
            if oneof:
                f.oneof_index = 0
        if any(oneof for *_, oneof in fields):
            message.oneof_decl.add(name="kind")

    add("BytesList", ("value", kind.TYPE_BYTES, True, False))
    add("FloatList", ("value", kind.TYPE_FLOAT, True, False))
    add("Int64List", ("value", kind.TYPE_INT64, True, False))
    add(
        "Feature",
        ("bytes_list", "BytesList", False, True),
        ("float_list", "FloatList", False, True),
        ("int64_list", "Int64List", False, True),
    )
    add("Entry", ("key", kind.TYPE_BYTES, True, False), ("value", "Feature", True, False))
    add("Features", ("feature", "Entry", True, False))
    add("Example", ("features", "Features", False, False))
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("oracle.Example"))


def hostile(case):
    """What protobuf makes of messages that no writer here writes: other encodings of the same, and broken ones."""
    Oracle = oracle_classes()
    rng = np.random.default_rng(20)

    def verdict(data):
        try:
            read = Oracle.FromString(data)
        except Exception:  # noqa: BLE001  any of its own kinds
            return "refused"
        content = {}
        for entry in read.features.feature:
            if len(entry.key) > 1 or len(entry.value) > 1:
                return "refused"  # here, as by TensorFlow's own parser
            key = entry.key[0].hex() if entry.key else ""
            content[key] = shown(entry.value[0]) if entry.value else ["none", []]
        return content

    def field(number, wire, payload):
        tag = number << 3 | wire
        return (bytes([tag]) if tag < 128 else bytes([tag & 127 | 128, tag >> 7])) + payload

    def nested(number, payload):
        size = len(payload)
        return field(number, 2, (bytes([size]) if size < 128 else bytes([size & 127 | 128, size >> 7])) + payload)

    def with_feature(feature, key=b"k"):
        return nested(1, nested(1, nested(1, key) + nested(2, feature)))

    packed = nested(1, b"\x01\xac\x02")
    floats = np.float32([1.5, -2]).tobytes()
    unknown = field(9, 0, b"\x05") + field(20, 5, b"abcd") + field(21, 1, b"abcdefgh") + nested(22, b"zz")
    group = field(7, 3, field(1, 0, b"\x01") + field(7, 3, b"") + field(7, 4, b"")) + field(7, 4, b"")
    table = {
        "unpacked_ints": with_feature(
            nested(3, field(1, 0, b"\x05") + field(1, 0, b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"))
        ),
        "mixed_ints": with_feature(nested(3, packed + field(1, 0, b"\x07") + packed)),
        "unpacked_floats": with_feature(
            nested(2, field(1, 5, floats[:4]) + nested(1, floats) + field(1, 5, floats[4:]))
        ),
        "two_lists": with_feature(nested(3, packed) + nested(3, packed)),
        "two_kinds": with_feature(nested(3, packed) + nested(2, nested(1, floats))),
        "three_kinds": with_feature(nested(3, packed) + nested(2, nested(1, floats)) + nested(3, field(1, 0, b"\x09"))),
        "unknown_everywhere": unknown
        + nested(
            1,
            unknown
            + nested(
                1, unknown + nested(1, b"k") + unknown + nested(2, unknown + nested(3, unknown + packed + unknown))
            )
            + unknown,
        )
        + unknown,
        "groups": group + with_feature(group + nested(3, group + packed)),
        "group_open": field(7, 3, b""),
        "group_shut": field(7, 4, b""),
        "group_other": field(7, 3, b"") + field(6, 4, b""),
        "groups_deep": field(7, 3, b"") * 99 + field(7, 4, b"") * 99,
        "groups_too_deep": field(7, 3, b"") * 101 + field(7, 4, b"") * 101,
        "wrong_wire_type": with_feature(field(3, 0, b"\x01") + nested(3, packed)) + field(1, 0, b"\x01"),
        "fixed_ints": with_feature(nested(3, field(1, 5, b"abcd") + field(1, 1, b"abcdefgh"))),
        "value_first": nested(1, nested(1, nested(2, nested(3, packed)) + nested(1, b"k"))),
        "no_key": nested(1, nested(1, nested(2, nested(3, packed)))),
        "no_value": nested(1, nested(1, nested(1, b"k"))),
        "empty_entry": nested(1, nested(1, b"")),
        "two_keys": nested(1, nested(1, nested(1, b"k") + nested(1, b"l"))),
        "two_values": nested(
            1, nested(1, nested(1, b"k") + nested(2, nested(3, packed)) + nested(2, nested(3, packed)))
        ),
        "duplicate": with_feature(nested(3, packed)) + with_feature(nested(3, field(1, 0, b"\x04"))),
        "bad_utf8_key": with_feature(nested(3, packed), b"\xff\xfe"),
        "long_tag": b"\x8a\x80\x80\x80\x00" + nested(1, b"")[1:],
        "longer_tag": b"\x8a\x80\x80\x80\x80\x00\x00",
        "high_tag": b"\xf8\xff\xff\xff\x0f\x01",
        "tag_past_32_bits": b"\xf8\xff\xff\xff\x1f\x01",
        "tag_zero": b"\x00\x01",
        "field_zero": b"\x02\x00",
        "wire_6": b"\x0e",
        "wire_7": b"\x0f\x00",
        "long_length": b"\x0a\x80\x80\x80\x80\x00",
        "longer_length": b"\x0a\x80\x80\x80\x80\x80\x00",
        "huge_length": b"\x0a\xff\xff\xff\xff\x0f",
        "length_past_end": b"\x0a\x05ab",
        "long_varint": with_feature(nested(3, field(1, 0, b"\x81" + b"\x80" * 8 + b"\x00"))),
        "varint_of_11": with_feature(nested(3, field(1, 0, b"\x81" + b"\x80" * 9 + b"\x00"))),
        "odd_floats": with_feature(nested(2, nested(1, floats[:5]))),
        "cut_varint": with_feature(nested(3, nested(1, b"\x80"))),
    }
    for i in range(160):
        made = example(a=I(1, -1, 300), bb=F(1.5, 2), c=B(b"x", b""), d=I(5)) if i % 2 else example(k=I(7), f=F(1))
        data = bytearray(made.SerializeToString(deterministic=True))
        for _ in range(1 + i % 3):
            at = int(rng.integers(len(data)))
            data[at] = int(rng.choice([0, 1, 2, 0x0A, 0x12, 0x1A, 0x7F, 0x80, 0xFF, data[at] ^ 1, data[at] + 1 & 255]))
        table[f"damaged_{i}"] = bytes(data)
    return [
        case(name, {}, {"bytes": data.hex(), "verdict": json.dumps(verdict(data))}, {}) for name, data in table.items()
    ]


def files(case):
    yield "records_files.json", record_files(case)
    yield "records_messages.json", messages(case)
    yield "records_parsing.json", parsing(case)
    yield "records_sequences.json", sequences(case)
    yield "records_raw.json", raw(case)
    yield "records_hostile.json", hostile(case)
