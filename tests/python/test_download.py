"""keras.utils.get_file and keras.datasets, against an HTTP server on this machine and files that are there already."""

import hashlib
import http.server
import io
import pickle
import tarfile
import threading
import zipfile

import numpy as np
import pytest

import brio as tf

get_file = tf.keras.utils.get_file


@pytest.fixture
def server(tmp_path):
    """(address, folder, requests) of a server of one folder."""
    folder = tmp_path / "served"
    folder.mkdir()
    seen = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, directory=str(folder), **kwargs)

        def do_GET(self):
            seen.append(self.path)
            super().do_GET()

        def log_message(self, *args):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_address[1]}", folder, seen
        running.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("KERAS_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("BRIO_DATA", raising=False)
    return tmp_path / "home"


def test_a_file_is_downloaded_once(server, home, capsys):
    address, folder, seen = server
    (folder / "words.txt").write_bytes(b"some words" * 100_000)
    path = get_file("words.txt", f"{address}/words.txt")
    assert path == str(home / "datasets" / "words.txt")
    assert open(path, "rb").read() == b"some words" * 100_000
    assert "1000000/1000000" in capsys.readouterr().out  # the bar came to its end
    assert get_file("words.txt", f"{address}/words.txt") == path
    assert len(seen) == 1
    get_file("words.txt", f"{address}/words.txt", force_download=True)
    assert len(seen) == 2
    assert [p.name for p in (home / "datasets").iterdir()] == ["words.txt"]  # nothing is left beside it


def test_checksums(server, home):
    address, folder, seen = server
    (folder / "a.bin").write_bytes(b"abc")
    good = hashlib.sha256(b"abc").hexdigest()
    assert get_file(origin=f"{address}/a.bin", file_hash=good).endswith("datasets/a.bin")
    (home / "datasets" / "a.bin").write_bytes(b"damaged")
    path = get_file(origin=f"{address}/a.bin", md5_hash=hashlib.md5(b"abc").hexdigest())
    assert open(path, "rb").read() == b"abc" and len(seen) == 2
    with pytest.raises(ValueError, match="checksum"):
        get_file("b.bin", origin=f"{address}/a.bin", file_hash="0" * 64)
    assert not (home / "datasets" / "b.bin").exists()


@pytest.mark.parametrize("kind", ["tar.gz", "zip"])
def test_archives(server, home, kind):
    address, folder, _ = server
    path = folder / f"pictures.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("pictures/cats/1.txt", "meow")
    else:
        with tarfile.open(path, "w:gz") as archive:
            info = tarfile.TarInfo("pictures/cats/1.txt")
            info.size = 4
            archive.addfile(info, io.BytesIO(b"meow"))
    made = get_file(f"pictures.{kind}", f"{address}/pictures.{kind}", extract=True)
    assert made == str(home / "datasets" / "pictures_extracted")
    assert open(f"{made}/pictures/cats/1.txt").read() == "meow"
    assert get_file(origin=f"{address}/pictures.{kind}", extract=True, cache_subdir="others") == str(
        home / "others" / f"pictures.{kind}"
    )


def test_an_archive_writes_nowhere_else(server, home):
    address, folder, _ = server
    with tarfile.open(folder / "bad.tar", "w") as archive:
        info = tarfile.TarInfo("../../outside.txt")
        info.size = 1
        archive.addfile(info, io.BytesIO(b"x"))
    with pytest.raises(Exception, match="outside"):
        get_file("bad.tar", f"{address}/bad.tar", extract=True)
    assert not (home / "outside.txt").exists() and not (home.parent / "outside.txt").exists()


def test_what_cannot_be_reached_is_named(home):
    with pytest.raises(
        OSError, match=r"put the file there as .*datasets/gone.txt, or into a folder that BRIO_DATA names"
    ):
        get_file("gone.txt", "http://127.0.0.1:9/gone.txt")
    assert list((home / "datasets").iterdir()) == []


def test_files_that_are_there_already(home, tmp_path, monkeypatch):
    own = tmp_path / "own"
    own.mkdir()
    (own / "table.csv").write_text("1,2\n")
    monkeypatch.setenv("BRIO_DATA", str(own))
    assert open(get_file("t.csv", "http://127.0.0.1:9/table.csv")).read() == "1,2\n"


@pytest.mark.parametrize("wrong", [{"fname": "a/b", "origin": "http://x/y"}, {"fname": "a"}, {"origin": "http://x"}])
def test_bad_arguments(wrong):
    with pytest.raises(ValueError):
        get_file(**wrong)


# ---- datasets, from files of their form


def put(home, name, write):
    path = home / "datasets" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    write(path)
    return path


@pytest.fixture
def any_checksum(monkeypatch):
    """Files of the tests are not the real ones."""
    from brio.keras import _download

    monkeypatch.setattr(_download, "validate_file", lambda *args: True)


def test_mnist(home, any_checksum):
    arrays = {
        "x_train": np.zeros((120, 28, 28), "uint8"),
        "y_train": np.arange(120, dtype="uint8"),
        "x_test": np.ones((7, 28, 28), "uint8"),
        "y_test": np.zeros(7, "uint8"),
    }
    put(home, "mnist.npz", lambda path: np.savez(path, **arrays))
    (x, y), (u, v) = tf.keras.datasets.mnist.load_data()
    assert x.shape == (120, 28, 28) and y[119] == 119 and u.sum() == 7 * 28 * 28 and v.dtype == np.uint8


def test_cifar(home, any_checksum):
    def batch(labels):
        return pickle.dumps(
            {b"data": np.arange(200 * 3072, dtype="int64").astype("uint8").reshape(200, 3072), labels: list(range(200))}
        )

    for i in (*(f"data_batch_{i}" for i in range(1, 6)), "test_batch"):
        put(
            home, f"cifar-10-batches-py-target/cifar-10-batches-py/{i}", lambda path: path.write_bytes(batch(b"labels"))
        )
    put(home, "cifar-10-batches-py-target_archive", lambda path: tarfile.open(path, "w").close())
    (x, y), (u, v) = tf.keras.datasets.cifar10.load_data()
    assert x.shape == (1000, 32, 32, 3) and y.shape == (1000, 1) and y[-1] == 199 and u.shape == (200, 32, 32, 3)
    assert x[0, 0, 1].tolist() == [1, 1, 1]  # a channel after the other in the file, side by side here


def test_imdb(home, any_checksum):
    texts = np.empty(150, dtype=object)
    texts[:] = [[1, 5, 900 + i] for i in range(150)]
    put(
        home,
        "imdb.npz",
        lambda path: np.savez(
            path, x_train=texts, y_train=np.arange(150) % 2, x_test=texts[:3], y_test=np.zeros(3, int)
        ),
    )
    (x, y), (u, v) = tf.keras.datasets.imdb.load_data(num_words=1000)
    assert len(x) == 150 and x[0][0] == 1 and x[0][1:3] == [4, 8]
    assert max(max(text) for text in x) < 1000 and any(2 in text for text in x)
    (x, _), _ = tf.keras.datasets.imdb.load_data(start_char=None, index_from=0)
    assert sorted(text[-1] for text in x)[-1] <= 1049


def test_a_pickle_runs_no_code(home, any_checksum):
    class Bad:
        def __reduce__(self):
            return print, ("run",)

    bad = np.empty(1, dtype=object)
    bad[0] = Bad()
    put(home, "reuters.npz", lambda path: np.savez(path, x=bad, y=np.zeros(1)))
    with pytest.raises(pickle.UnpicklingError, match="builtins.print"):
        tf.keras.datasets.reuters.load_data()


def test_houses(home, any_checksum):
    put(
        home,
        "boston_housing.npz",
        lambda path: np.savez(path, x=np.arange(506 * 13.0).reshape(506, 13), y=np.arange(506.0)),
    )
    (x, y), (u, v) = tf.keras.datasets.boston_housing.load_data()
    assert x.shape == (404, 13) and u.shape == (102, 13) and sorted([*y, *v]) == list(range(506))
