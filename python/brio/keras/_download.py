"""keras.utils.get_file: a file of the network, kept on this machine.

Looked for in BRIO_DATA first, a folder of files that are there already, then in Keras' own cache (KERAS_HOME or
~/.keras). What is downloaded is written aside and renamed when it is whole and has the checksum that it should have.
"""

import hashlib
import os
import shutil
import tarfile
import tempfile
import urllib.error
import urllib.parse
import urllib.request
import warnings
import zipfile

_BLOCK = 1 << 16


def get_file(fname=None, origin=None, untar=False, md5_hash=None, file_hash=None, cache_subdir="datasets",
             hash_algorithm="auto", extract=False, archive_format="auto", cache_dir=None,
             force_download=False):  # fmt: skip
    """The path of a file that is downloaded once; with extract=True that of the folder of its contents."""
    if origin is None:
        raise ValueError("get_file() needs origin, the address of the file")
    given = os.fspath(fname) if fname else ""
    name = given or os.path.basename(urllib.parse.urlsplit(origin).path)
    if not name:
        raise ValueError(f"get_file(): the address {origin} ends in no name; pass fname")
    if os.sep in name:
        raise ValueError(
            f"get_file(): fname is the name of a file, not a path, but it is {name!r}; cache_dir and cache_subdir say "
            "where it goes"
        )
    if md5_hash is not None and file_hash is None:
        file_hash, hash_algorithm = md5_hash, "md5"
    folder = os.path.join(_writable(cache_dir), cache_subdir)
    target, contents = _places(folder, name, bool(given), extract or untar)
    if force_download or not _is_there(target, file_hash, hash_algorithm):
        os.makedirs(folder, exist_ok=True)
        _obtain(origin, target, file_hash, hash_algorithm)
    if not (extract or untar):
        return target
    if not _extracted(target, contents, "tar" if untar else archive_format):
        warnings.warn(f"get_file(): {target} is no archive that can be extracted", stacklevel=2)
    return contents


def keras_home():
    """The folder of Keras' cache."""
    return os.environ.get("KERAS_HOME") or os.path.join(os.path.expanduser("~"), ".keras")


def _writable(cache_dir):
    base = os.path.expanduser(cache_dir or keras_home())
    try:
        os.makedirs(base, exist_ok=True)
    except OSError:
        pass
    return base if os.access(base, os.W_OK) else os.path.join(tempfile.gettempdir(), ".keras")


def _places(folder, name, is_given, is_archive):
    """(the file, the folder for its contents), by the names that Keras gives them."""
    if not is_archive:
        return os.path.join(folder, name), None
    if is_given and "." in name:
        return os.path.join(folder, name), os.path.join(folder, name.split(".")[0] + "_extracted")
    return os.path.join(folder, name + "_archive"), os.path.join(folder, name)


def _is_there(path, file_hash, algorithm):
    if not os.path.exists(path):
        return False
    if file_hash is None or validate_file(path, file_hash, algorithm):
        return True
    print(f"{path} does not have the checksum {file_hash}: it is downloaded again")
    return False


def validate_file(path, file_hash, algorithm="auto"):
    """Does a file have this checksum, SHA-256 or MD5?"""
    if algorithm not in ("auto", "sha256", "md5"):
        raise ValueError(f"hash_algorithm is 'auto', 'sha256' or 'md5', but got {algorithm!r}")
    digest = (
        hashlib.sha256() if algorithm == "sha256" or (algorithm == "auto" and len(file_hash) == 64) else hashlib.md5()
    )
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(_BLOCK), b""):
            digest.update(block)
    return digest.hexdigest() == file_hash


def _obtain(origin, target, file_hash, algorithm):
    """Writes the file of an address to target, from BRIO_DATA or the network."""
    own = os.path.join(os.environ.get("BRIO_DATA") or os.devnull, os.path.basename(urllib.parse.urlsplit(origin).path))
    handle, aside = tempfile.mkstemp(dir=os.path.dirname(target), prefix=".download")
    os.close(handle)
    try:
        if os.path.isfile(own):
            shutil.copyfile(own, aside)
        else:
            _download(origin, aside, target)
        if file_hash is not None and not validate_file(aside, file_hash, algorithm):
            raise ValueError(
                f"{origin}: what came is not the file that was asked for, as its checksum is not {file_hash}; it was "
                "removed"
            )
        os.replace(aside, target)
    finally:
        if os.path.exists(aside):
            os.remove(aside)


def _download(origin, path, target):
    from brio.keras.utils import Progbar

    print(f"Downloading data from {origin}")
    try:
        with urllib.request.urlopen(origin) as answer, open(path, "wb") as file:
            size = answer.headers.get("Content-Length")
            bar, done = Progbar(int(size) if size else None, unit_name="byte"), 0
            for block in iter(lambda: answer.read(_BLOCK), b""):
                file.write(block)
                done += len(block)
                bar.update(done)
    except OSError as error:  # urllib's errors are OSErrors
        raise OSError(
            f"{origin} cannot be fetched ({error}); put the file there as {target}, or into a folder that BRIO_DATA "
            "names"
        ) from None
    if size and done != int(size):
        raise OSError(f"{origin}: {done} of {size} bytes came; call get_file() again")


def _extracted(path, folder, formats):
    """Extracts an archive; members that would land elsewhere are errors of tarfile and are left out by zipfile."""
    if formats is None:
        return False
    formats = ["tar", "zip"] if formats == "auto" else [formats] if isinstance(formats, str) else formats
    if "tar" in formats and tarfile.is_tarfile(path):
        with tarfile.open(path) as archive:
            if hasattr(tarfile, "data_filter"):
                archive.extractall(folder, filter="data")
            else:
                _check_members(archive, path, folder)
                archive.extractall(folder)
        return True
    if "zip" in formats and zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder)
        return True
    return False


def _check_members(archive, path, folder):
    root = os.path.realpath(folder)
    for member in archive.getmembers():
        inside = os.path.realpath(os.path.join(folder, member.name))
        if not (member.isfile() or member.isdir()) or os.path.commonpath([root, inside]) != root:
            raise ValueError(
                f"{path}: its member {member.name} is no plain file inside of the archive; it was not extracted"
            )
