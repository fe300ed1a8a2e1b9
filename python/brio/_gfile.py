"""tf.io.gfile: files of this machine under TensorFlow's names."""

import os
import shutil

from brio import _core, _missing
from brio.errors import NotFoundError as _NotFoundError
from brio.errors import OpError as _OpError

__getattr__ = _missing.attribute_error_of("brio.io.gfile")


def __dir__():
    return [n for n in globals() if not n.startswith("_")]


def _path(path):
    path = path.numpy() if hasattr(path, "numpy") else path
    return os.fsdecode(path).removeprefix("file://")


def _existing(who, path):
    path = _path(path)
    if not os.path.lexists(path):
        raise _NotFoundError(f"[gfile.{who}] {path}: there is no such file or directory")
    return path


def exists(path):
    """Is there such a file or directory?"""
    return os.path.exists(_path(path))


def isdir(path):
    """Is this a directory?"""
    return os.path.isdir(_path(path))


def listdir(path):
    """The names in a directory."""
    return os.listdir(_existing("listdir", path))


def makedirs(path):
    """Makes a directory and those above it; one that is there is fine."""
    os.makedirs(_path(path), exist_ok=True)


def mkdir(path):
    """Makes a directory."""
    os.mkdir(_path(path))


def remove(path):
    """Removes a file."""
    os.remove(_existing("remove", path))


def rmtree(path):
    """Removes a directory with all that is in it."""
    shutil.rmtree(_existing("rmtree", path))


def rename(src, dst, overwrite=False):
    """Gives a file another name."""
    _free("rename", dst, overwrite)
    os.replace(_existing("rename", src), _path(dst))


def copy(src, dst, overwrite=False):
    """Copies a file."""
    _free("copy", dst, overwrite)
    shutil.copyfile(_existing("copy", src), _path(dst))


def _free(who, path, overwrite):
    if not overwrite and os.path.exists(_path(path)):
        raise _OpError(f"[gfile.{who}] {_path(path)} exists already; pass overwrite=True")


def glob(pattern):
    """The names of files that match a pattern, or several."""
    patterns = pattern if isinstance(pattern, (list, tuple)) else [pattern]
    return [name for p in patterns for name in _core._io._glob(_path(p))]


def join(path, *paths):
    """Parts of a path put together."""
    return os.path.join(_path(path), *[_path(p) for p in paths])


def stat(path):
    """What the system knows of a file: .length, .mtime_nsec, .is_directory."""
    from types import SimpleNamespace

    s = os.stat(_existing("stat", path))
    return SimpleNamespace(length=s.st_size, mtime_nsec=s.st_mtime_ns, is_directory=os.path.isdir(_path(path)))


def walk(top, topdown=True, onerror=None):
    """(directory, names of directories in it, names of files in it), for all below."""
    return os.walk(_path(top), topdown, onerror)


class GFile:
    """A file that is read or written; use it in a with statement."""

    def __init__(self, name, mode="r"):
        self.name, self.mode = _path(name), mode
        if "r" in mode and not os.path.exists(self.name):
            self._file = None  # as TensorFlow: the error comes when it is read
        else:
            self._file = open(self.name, mode)

    def _open(self):
        if self._file is None:
            raise _NotFoundError(f"[GFile] {self.name}: there is no such file")
        return self._file

    def read(self, n=-1):
        """The next n bytes or characters, or all that are left."""
        return self._open().read(n)

    def readline(self):
        """The next line."""
        return self._open().readline()

    def readlines(self):
        """All lines that are left."""
        return self._open().readlines()

    def write(self, content):
        """Writes text or bytes."""
        self._open().write(content)

    def seek(self, offset=0, whence=0):
        """Goes to a place in the file."""
        self._open().seek(offset, whence)

    def tell(self):
        """The place in the file."""
        return self._open().tell()

    def size(self):
        """How many bytes the file has."""
        return os.stat(_existing("size", self.name)).st_size

    def flush(self):
        """Writes out what is held back."""
        self._open().flush()

    def close(self):
        """Closes the file."""
        if self._file is not None:
            self._file.close()

    def seekable(self):
        """Files can be gone about in."""
        return True

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __iter__(self):
        return iter(self._open())


def get_registered_schemes():
    """How names of files may begin: with file://, or with nothing.

    >>> tf.io.gfile.get_registered_schemes()
    ['file', '']
    """
    return ["file", ""]
