"""tf.compat.v1.gfile: files, under their old names."""

from brio.io import gfile as _gfile


def _old(name):
    return getattr(_gfile, name)


GFile = Open = FastGFile = _gfile.GFile
Exists, IsDirectory, ListDirectory, MakeDirs, MkDir, Remove, DeleteRecursively, Rename, Copy, Glob, Stat, Walk = (
    _old(n)
    for n in (
        "exists",
        "isdir",
        "listdir",
        "makedirs",
        "mkdir",
        "remove",
        "rmtree",
        "rename",
        "copy",
        "glob",
        "stat",
        "walk",
    )
)


def __getattr__(name):
    return getattr(_gfile, name)
