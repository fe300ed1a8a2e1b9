"""tf.train.Example and its parts: messages as Python objects, as bytes by C++."""

from brio._core import _io


class _Values(list):
    """The values of a list message, which are checked as they come."""

    def __init__(self, kind, values=()):
        super().__init__()
        self._kind = kind
        self.extend(values)

    def _checked(self, value):
        if self._kind == "bytes":
            if isinstance(value, str):
                return value.encode()
            if not isinstance(value, bytes):
                raise TypeError(f"{value!r} has type {type(value).__name__}, but expected one of: bytes")
            return value
        if isinstance(value, (str, bytes)):
            raise TypeError(f"{value!r} has type {type(value).__name__}, but expected one of: numbers")
        if self._kind == "float":
            import struct

            return struct.unpack("f", struct.pack("f", float(value)))[0]  # as it is written
        if getattr(getattr(value, "dtype", None), "name", "") == "bool":
            value = bool(value)
        number = value.__index__() if hasattr(value, "__index__") else value
        if not isinstance(number, int):
            raise TypeError(f"{value!r} has type {type(value).__name__}, but expected one of: int")
        if not -(1 << 63) <= number < 1 << 63:
            raise ValueError(f"Value out of range: {number}")
        return number

    def append(self, value):
        super().append(self._checked(value))

    def extend(self, values):
        super().extend([self._checked(v) for v in values])


class _ListMessage:
    def __init__(self, value=()):
        self.value = _Values(self._kind, value)

    def __eq__(self, other):
        return type(self) is type(other) and list(self.value) == list(other.value)

    __hash__ = None

    def __repr__(self):
        return "".join(f"value: {_shown(v)}\n" for v in self.value)


class BytesList(_ListMessage):
    """Texts and bytes."""

    _kind = "bytes"


class FloatList(_ListMessage):
    """Numbers of float32."""

    _kind = "float"


class Int64List(_ListMessage):
    """Integers."""

    _kind = "int64"


_KINDS = (("bytes_list", BytesList), ("float_list", FloatList), ("int64_list", Int64List))


def _first_field(message):
    """(the bytes of the first field, what follows it) of a message whose first field has a length."""
    size, at, shift = 0, 1, 0
    while True:
        byte = message[at]
        size, at, shift = size | (byte & 127) << shift, at + 1, shift + 7
        if byte < 128:
            return message[at : at + size], message[at + size :]


def _length(data):
    """The length of some bytes, as protocol buffers write it."""
    n, made = len(data), b""
    while n > 127:
        n, made = n >> 7, made + bytes([n & 127 | 128])
    return made + bytes([n])


class Feature:
    """One of bytes_list, float_list and int64_list."""

    def __init__(self, bytes_list=None, float_list=None, int64_list=None):
        self._lists = {}
        for (name, _), given in zip(_KINDS, (bytes_list, float_list, int64_list)):
            if given is not None:
                self._lists = {name: given}

    def __getattr__(self, name):
        cls = dict(_KINDS).get(name)
        if cls is None:
            raise AttributeError(f"Feature has no field {name!r}; it has bytes_list, float_list and int64_list")
        if name not in self._lists:
            made = cls()
            if not any(len(given.value) for given in self._lists.values()):
                self._lists = {name: made}  # the first use decides what it is
            return made
        return self._lists[name]

    def WhichOneof(self, group):
        """Which of its lists is set, by name."""
        return next(iter(self._lists), None)

    def HasField(self, name):
        """Is this list set?"""
        return name in self._lists

    def SerializeToString(self, deterministic=None):
        """Its bytes, the same for the same values."""
        message = _io._serialize_example({"": self._row()})
        for _ in range(2):  # out of Example.features, then out of the pair of key and value
            message = _first_field(message)[0]
        _, value = _first_field(message)
        return _first_field(value)[0]

    @classmethod
    def FromString(cls, serialized):
        """The message of its bytes."""
        value = b"\x0a\x00\x12" + _length(_bytes(serialized)) + _bytes(serialized)
        pair = b"\x0a" + _length(value) + value
        return cls._of(_io._parse_example(b"\x0a" + _length(pair) + pair)[""])

    def _row(self):
        for number, (name, _) in enumerate(_KINDS, 1):
            if name in self._lists:
                return number, list(self._lists[name].value)
        return 0, []

    @classmethod
    def _of(cls, row):
        number, values = row
        return cls() if number == 0 else cls(**{_KINDS[number - 1][0]: _KINDS[number - 1][1](values)})

    def __eq__(self, other):
        return isinstance(other, Feature) and self._row() == other._row()

    __hash__ = None

    def __repr__(self):
        return "".join(f"{name} {{\n{_indented(repr(given))}}}\n" for name, given in self._lists.items())


class _Map(dict):
    """A field that is there as soon as one asks for it."""

    def __init__(self, make, values=()):
        super().__init__(values)
        self._make = make

    def __missing__(self, key):
        made = self[key] = self._make()
        return made


class Features:
    """Features by name."""

    def __init__(self, feature=None):
        self.feature = _Map(Feature, feature or {})

    def _rows(self):
        return {name: feature._row() for name, feature in self.feature.items()}

    @classmethod
    def _of(cls, rows):
        return cls({name: Feature._of(row) for name, row in rows.items()})

    def __eq__(self, other):
        return isinstance(other, Features) and self._rows() == other._rows()

    __hash__ = None

    def __repr__(self):
        return "".join(
            f'feature {{\n  key: "{name}"\n  value {{\n{_indented(repr(self.feature[name]), 4)}  }}\n}}\n'
            for name in sorted(self.feature)
        )


class FeatureList:
    """Features one after the other."""

    def __init__(self, feature=()):
        self.feature = list(feature)


class FeatureLists:
    """Lists of features by name."""

    def __init__(self, feature_list=None):
        self.feature_list = _Map(FeatureList, feature_list or {})


class _Message:
    @classmethod
    def FromString(cls, serialized):
        made = cls()
        made.ParseFromString(serialized)
        return made

    def MergeFromString(self, serialized):
        return self.ParseFromString(serialized)

    def ByteSize(self):
        return len(self.SerializeToString())

    def SerializePartialToString(self, **kwargs):
        return self.SerializeToString()

    def __eq__(self, other):
        return type(self) is type(other) and self.SerializeToString() == other.SerializeToString()

    __hash__ = None


class Example(_Message):
    """A record: named lists of bytes, floats or integers."""

    def __init__(self, features=None):
        self.features = features or Features()

    def SerializeToString(self, deterministic=None):
        """Its bytes, the same for the same values."""
        return _io._serialize_example(self.features._rows())

    def ParseFromString(self, serialized):
        """Takes over what a serialized example holds."""
        self.features = Features._of(_io._parse_example(_bytes(serialized)))
        return len(serialized)

    def __repr__(self):
        return f"features {{\n{_indented(repr(self.features))}}}\n"


class SequenceExample(_Message):
    """A record that holds lists of features beside a context."""

    def __init__(self, context=None, feature_lists=None):
        self.context, self.feature_lists = context or Features(), feature_lists or FeatureLists()

    def SerializeToString(self, deterministic=None):
        """The bytes that a TFRecord holds."""
        lists = {name: [f._row() for f in given.feature] for name, given in self.feature_lists.feature_list.items()}
        return _io._serialize_sequence_example(self.context._rows(), lists)

    def ParseFromString(self, serialized):
        """Takes over what a serialized example holds."""
        context, lists = _io._parse_sequence_example(_bytes(serialized))
        self.context = Features._of(context)
        self.feature_lists = FeatureLists(
            {name: FeatureList([Feature._of(r) for r in rows]) for name, rows in lists.items()}
        )
        return len(serialized)


def _bytes(serialized):
    return serialized.numpy() if hasattr(serialized, "numpy") else bytes(serialized)


def _indented(text, by=2):
    return "".join(" " * by + line + "\n" for line in text.splitlines())


def _shown(value):
    if isinstance(value, bytes):
        return '"' + repr(value)[2:-1].replace('"', '\\"') + '"'
    return repr(value)
