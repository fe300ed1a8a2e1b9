"""Files that appear whole or not at all, and checksums that tell a damaged file from a whole one.

The checksum is the CRC-32C of all bytes before it, as eight hexadecimal digits in a few fixed characters: behind the
last byte of an HDF5 file (whose readers stop before), as the comment of a ZIP archive, as the last member of a JSON
object, as a comment at the end of a text. Files without one, which others wrote, are read all the same. `brio verify`
knows these forms, too.
"""

import contextlib
import json
import os

from brio import _core


class Seal:
    """What stands around the digits at the end of a file."""

    def __init__(self, before, after):
        self.before, self.after = before, after
        self.size = len(before) + 8 + len(after)

    def of(self, crc):
        """The last bytes of a file of this checksum."""
        return self.before + b"%08x" % crc + self.after

    def check(self, data, path):
        """Compares the checksum of a file's bytes: False where it has none. A damaged file is a DataLossError."""
        with memoryview(data) as view:
            stored = bytes(view[-self.size :]) if len(view) >= self.size else b""
            fixed = stored[: len(self.before)] + stored[len(self.before) + 8 :]
            if len(stored) < self.size or _differences(fixed, self.before + self.after) > 2:
                return False
            with view[: -self.size] as body:
                crc = _core._crc32c(body)
        if stored != self.of(crc):
            raise _damaged(path)
        return True


BINARY = Seal(b"BRIO-CRC32C ", b"\n")
JSON = Seal(b'"crc32c": "', b'"\n}\n')
TEXT = Seal(b"# crc32c ", b"\n")


def _differences(a, b):
    return sum(x != y for x, y in zip(a, b)) + abs(len(a) - len(b))


def _damaged(path, what="its bytes do not have the checksum that was written with them"):
    from brio import errors

    return errors.DataLossError(f"{path} is damaged: {what}; take another copy of it")


@contextlib.contextmanager
def aside(path):
    """A file beside `path`, gone afterwards unless it was renamed.
    It is locked, so that what a killed process leaves is known and goes."""
    beside, handle = _core._file_aside(path)
    try:
        with os.fdopen(handle, "r+b") as file:
            yield Named(file, beside)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(beside)


def write_aside(path, write, seal=None):
    """Calls write(file) for a file beside `path`, which then takes its place:
    a reader sees the old or the new, whole."""
    path = os.fspath(path)
    if os.path.isdir(path):
        raise IsADirectoryError(f"{path} is a directory")
    with aside(path) as file:
        write(file)
        file.flush()
        if seal is not None:
            add_seal(file, seal)
        os.fsync(file.fileno())
        os.replace(file.name, path)
    directory = os.open(os.path.dirname(os.path.abspath(path)), os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


class Named:
    """An open file with the name that others may open it by."""

    def __init__(self, file, name):
        self._file, self.name = file, name

    def __getattr__(self, attribute):
        return getattr(self._file, attribute)


def add_seal(file, seal, instead=0):
    """Adds the checksum at the end, in the place of the last `instead` bytes."""
    size = file.seek(0, os.SEEK_END) - instead
    crc, left = 0, size
    file.seek(0)
    while left:
        part = file.read(min(left, 1 << 20))
        if not part:
            raise OSError(f"{file.name}: it ends {left} bytes too early")
        crc, left = _core._crc32c(part, crc), left - len(part)
    file.seek(size)
    file.write(seal.of(crc))
    file.flush()


def check_file(path, seal):
    """The same for a file: whether it has a checksum."""
    import mmap

    with open(os.fspath(path), "rb") as file:
        if os.fstat(file.fileno()).st_size == 0:
            return False
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return seal.check(data, path)


def write_json(path, obj):
    """A JSON object with its checksum as the last member."""
    write_aside(path, lambda file: file.write(sealed_json(obj)))


def sealed_json(obj):
    """The bytes of an object with the checksum as its last member."""
    body = json.dumps(obj, indent=1).encode()[: -len("\n}")] + b",\n "
    return body + JSON.of(_core._crc32c(body))


def read_json(path, limit=1 << 30):
    """A JSON object of a file, compared with its checksum where it has one."""
    if os.path.getsize(path) > limit:
        raise ValueError(f"{path} has more than {limit} bytes")
    with open(os.fspath(path), "rb") as file:
        data = file.read()
    JSON.check(data, path)
    try:
        made = json.loads(data)
    except ValueError as error:
        raise _damaged(path, f"it is no JSON ({error})") from None
    if not isinstance(made, dict):
        raise _damaged(path, "it is no JSON object")
    made.pop("crc32c", None)
    return made
