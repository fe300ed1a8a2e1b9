"""Lists and dictionaries of layers that tell the layer which holds them what is put into them."""


class TrackedList(list):
    __slots__ = ("_track",)

    def __init__(self, values, track):
        super().__init__(wrapped(v, track) for v in values)
        self._track = track

    def append(self, value):
        self.extend([value])

    def insert(self, index, value):
        value = wrapped(value, self._track)
        super().insert(index, value)
        self._track(value)

    def extend(self, values):
        values = [wrapped(v, self._track) for v in values]
        super().extend(values)
        for value in values:  # code that holds the list finds them in it
            self._track(value)

    def __iadd__(self, values):
        self.extend(values)
        return self

    def __setitem__(self, index, value):
        values = [wrapped(v, self._track) for v in (value if isinstance(index, slice) else [value])]
        super().__setitem__(index, values if isinstance(index, slice) else values[0])
        for added in values:
            self._track(added)

    def __reduce__(self):
        return list, (list(self),)


class TrackedDict(dict):
    __slots__ = ("_track",)

    def __init__(self, values, track):
        super().__init__({k: wrapped(v, track) for k, v in values.items()})
        self._track = track

    def __setitem__(self, key, value):
        value = wrapped(value, self._track)
        super().__setitem__(key, value)
        self._track(value)

    def update(self, *args, **kwargs):
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def setdefault(self, key, default=None):
        if key not in self:
            self[key] = default
        return self[key]

    def __reduce__(self):
        return dict, (dict(self),)


def wrapped(value, track):
    """A plain list or dictionary as one that tracks; anything else as it is."""
    if type(value) is list:
        return TrackedList(value, track)
    if type(value) is dict:
        return TrackedDict(value, track)
    return value
