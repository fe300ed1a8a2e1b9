"""Makes small files of the form of well-known downloads, by their names: make(path)."""

import fnmatch
import io
import json
import pathlib
import tarfile
import tempfile
import zipfile

import numpy as np

WORDS = [
    a + b
    for a in ("ba", "ce", "di", "fo", "gu", "ly", "ma", "ne", "pi", "ro")
    for b in ("", "k", "l", "m", "n", "r", "s", "t", "v", "z")
]
_numbers = np.random.default_rng(0)


def make(path):
    """Writes a file for this name; False where none is known."""
    for pattern, maker in _MAKERS.items():
        if fnmatch.fnmatch(path.name.lower(), pattern):
            maker(path)
            return True
    return False


def sentence(words=12):
    """Random words."""
    return " ".join(_numbers.choice(WORDS, words))


def picture(path, size=(96, 128)):
    """A random picture of large blocks, in the format of its name."""
    from PIL import Image

    blocks = _numbers.integers(0, 256, (8, 8, 3), dtype=np.uint8)
    Image.fromarray(blocks).resize(size[::-1]).save(path)


# ---- tables


def _table(columns, rows=400, header=True, sep=","):
    """columns: name → a function of the number of rows."""

    def write(path):
        lists = [list(make_column(rows)) for make_column in columns.values()]
        lines = [sep.join(columns)] if header else []
        lines += [sep.join(str(v) for v in row) for row in zip(*lists)]
        path.write_text("\n".join(lines) + "\n")

    return write


def _real(low=0.0, high=1.0):
    return lambda n: np.round(_numbers.uniform(low, high, n), 4)


def _whole(low, high):
    return lambda n: _numbers.integers(low, high, n)


def _one_of(*choices):
    return lambda n: _numbers.choice(choices, n)


_TITANIC = {
    "survived": _whole(0, 2), "sex": _one_of("male", "female"), "age": _real(1, 80), "n_siblings_spouses": _whole(0, 5),
    "parch": _whole(0, 4), "fare": _real(5, 200), "class": _one_of("First", "Second", "Third"),
    "deck": _one_of("A", "B", "C", "unknown"), "embark_town": _one_of("Southampton", "Cherbourg", "Queenstown"),
    "alone": _one_of("y", "n"),
}  # fmt: skip
_HEART = {
    "age": _whole(30, 77), "sex": _whole(0, 2), "cp": _whole(0, 5), "trestbps": _whole(94, 200),
    "chol": _whole(126, 564), "fbs": _whole(0, 2), "restecg": _whole(0, 3), "thalach": _whole(71, 202),
    "exang": _whole(0, 2), "oldpeak": _real(0, 6), "slope": _whole(1, 4), "ca": _whole(0, 4),
    "thal": _one_of("fixed", "normal", "reversible"), "target": _whole(0, 2),
}  # fmt: skip
_ABALONE = {
    n: _real()
    for n in ("Length", "Diameter", "Height", "Whole weight", "Shucked weight", "Viscera weight", "Shell weight")
} | {"Age": _whole(1, 30)}
_IRIS = {n: _real(0, 8) for n in ("sepal_length", "sepal_width", "petal_length", "petal_width")} | {
    "species": _whole(0, 3)
}
_MPG = {
    "a": _real(9, 46),
    "b": _whole(3, 9),
    "c": _real(70, 455),
    "d": _real(46, 230),
    "e": _real(1600, 5140),
    "f": _real(8, 25),
    "g": _whole(70, 83),
    "h": lambda n: [f'{i}\t"car"' for i in _numbers.integers(1, 4, n)],
}
_CREDIT = (
    {"Time": _real(0, 172000)}
    | {f"V{i}": _real(-3, 3) for i in range(1, 29)}
    | {"Amount": _real(0, 500), "Class": lambda n: np.arange(n) % 7 == 0}
)
_CREDIT["Class"] = lambda n: (np.arange(n) % 7 == 0).astype(int)
_PETS = {
    "Type": _one_of("Cat", "Dog"), "Age": _whole(0, 60), "Breed1": _one_of("Tabby", "Mixed Breed", "Siamese"),
    "Gender": _one_of("Male", "Female"), "Color1": _one_of("Black", "White"), "Color2": _one_of("Brown", "No Color"),
    "MaturitySize": _one_of("Small", "Medium", "Large"), "FurLength": _one_of("Short", "Long"),
    "Vaccinated": _one_of("Yes", "No"), "Sterilized": _one_of("Yes", "No"),
    "Health": _one_of("Healthy", "Minor Injury"), "Fee": _whole(0, 300),
    "Description": lambda n: [sentence() for _ in range(n)], "PhotoAmt": _whole(0, 10), "AdoptionSpeed": _whole(0, 5),
}  # fmt: skip
_ADULT = {
    "age": _whole(17, 90), "workclass": _one_of(" Private", " State-gov"), "fnlwgt": _whole(12285, 1484705),
    "education": _one_of(" Bachelors", " HS-grad", " 11th"), "education_num": _whole(1, 16),
    "marital": _one_of(" Divorced", " Never-married"), "occupation": _one_of(" Sales", " Tech-support"),
    "relationship": _one_of(" Husband", " Unmarried"), "race": _one_of(" White", " Black"),
    "gender": _one_of(" Male", " Female"), "gain": _whole(0, 9999), "loss": _whole(0, 4000), "hours": _whole(1, 99),
    "country": _one_of(" United-States", " Cuba"), "income": _one_of(" <=50K", " >50K"),
}  # fmt: skip
_CLIMATE_COLUMNS = [
    "p (mbar)",
    "T (degC)",
    "Tpot (K)",
    "Tdew (degC)",
    "rh (%)",
    "VPmax (mbar)",
    "VPact (mbar)",
    "VPdef (mbar)",
    "sh (g/kg)",
    "H2OC (mmol/mol)",
    "rho (g/m**3)",
    "wv (m/s)",
    "max. wv (m/s)",
    "wd (deg)",
]


def _climate(path):
    import datetime

    start = datetime.datetime(2009, 1, 1)
    times = lambda n: [(start + datetime.timedelta(minutes=10 * i)).strftime("%d.%m.%Y %H:%M:%S") for i in range(n)]
    _table({"Date Time": times} | {name: _real(0, 30) for name in _CLIMATE_COLUMNS}, rows=6000)(path)


# ---- archives: a function that fills a folder


def _archive(fill, *members):
    def write(path):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            fill(root)
            if path.suffix == ".zip":
                with zipfile.ZipFile(path, "w") as archive:
                    for file in sorted(root.rglob("*")):
                        archive.write(file, file.relative_to(root))
            else:
                with tarfile.open(path, "w:gz") as archive:
                    for top in sorted(root.iterdir()):
                        archive.add(top, top.name)

    return write


def _files(folder, count, write, suffix):
    folder.mkdir(parents=True, exist_ok=True)
    for i in range(count):
        write(folder / f"{i:03}{suffix}")


def _classes_of(root, classes, count, write, suffix):
    def fill(folder):
        for name in classes:
            _files(folder / root / name, count, write, suffix)

    return fill


def _text(path):
    path.write_text(sentence(40))


def _sound(path):
    import wave

    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16000)
        file.writeframes(_numbers.integers(-9000, 9000, 16000, dtype=np.int16).tobytes())


def _imdb(folder):
    for part in ("train", "test"):
        for name in ("pos", "neg", "unsup") if part == "train" else ("pos", "neg"):
            _files(folder / "aclImdb" / part / name, 60, _text, ".txt")


def _cats_and_dogs(folder):
    for part in ("train", "validation"):
        for name in ("cats", "dogs"):
            _files(folder / "cats_and_dogs_filtered" / part / name, 40, picture, ".jpg")


def _one_member(name, write):
    return lambda folder: (folder / name).parent.mkdir(parents=True, exist_ok=True) or write(folder / name)


def _facades(folder):
    for part in ("train", "test", "val"):
        _files(folder / "facades" / part, 12, lambda path: picture(path, (256, 512)), ".jpg")


def _movies(folder):
    root = folder / "ml-latest-small"
    root.mkdir()
    _table(
        {
            "userId": _whole(1, 80),
            "movieId": _whole(1, 60),
            "rating": _one_of(0.5, 1.0, 3.0, 4.5, 5.0),
            "timestamp": _whole(1, 10**9),
        },
        rows=3000,
    )(root / "ratings.csv")
    _table(
        {
            "movieId": lambda n: range(1, n + 1),
            "title": lambda n: [f"{sentence(2)} (1995)" for _ in range(n)],
            "genres": _one_of("Drama", "Comedy|Drama"),
        },
        rows=60,
    )(root / "movies.csv")


def _movies_1m(folder):
    root = folder / "ml-1m"
    root.mkdir()
    _table(
        {"user": _whole(1, 80), "movie": _whole(1, 60), "rating": _whole(1, 6), "time": _whole(1, 10**9)},
        3000,
        False,
        "::",
    )(root / "ratings.dat")
    _table(
        {
            "movie": lambda n: range(1, n + 1),
            "title": lambda n: [sentence(2) for _ in range(n)],
            "genres": _one_of("Drama", "Comedy|Drama"),
        },
        60,
        False,
        "::",
    )(root / "movies.dat")
    _table(
        {
            "user": lambda n: range(1, n + 1),
            "sex": _one_of("M", "F"),
            "age": _one_of(1, 18, 25),
            "job": _whole(0, 21),
            "zip": _whole(10000, 99999),
        },
        80,
        False,
        "::",
    )(root / "users.dat")


def _pairs(path):
    path.write_text("".join(f"{sentence(4)}.\t¿{sentence(5)}?\n" for _ in range(600)), encoding="utf-8")


def _pairs_with_sources(path):
    path.write_text("".join(f"{sentence(2)}.\t{sentence(3)} !\tby somebody\n" for _ in range(600)), encoding="utf-8")


def _pets(folder):
    _files(folder / "images", 40, picture, ".jpg")


def _trimaps(folder):
    from PIL import Image

    def trimap(path):
        Image.fromarray(_numbers.integers(1, 4, (96, 128), dtype=np.uint8)).save(path)

    _files(folder / "annotations" / "trimaps", 40, trimap, ".png")


def _captchas(folder):
    root = folder / "captcha_images_v2"
    root.mkdir()
    for _ in range(60):
        picture(root / ("".join(_numbers.choice(list("2345678bcdefgmnpwxy"), 5)) + ".png"), (50, 200))


def _photos(folder):
    for part in ("train", "val", "test"):
        _files(folder / "BSR/BSDS500/data/images" / part, 20, lambda path: picture(path, (321, 481)), ".jpg")


def _nerf(path):
    images = _numbers.uniform(size=(16, 100, 100, 3)).astype("float32")
    poses = np.tile(np.eye(4, dtype="float32"), (16, 1, 1)) + _numbers.normal(size=(16, 4, 4)).astype("float32") * 0.01
    np.savez(path, images=images, poses=poses, focal=np.array(138.88))


def _covers(path):
    import gzip

    with gzip.open(path, "wt") as file:
        for _ in range(1500):
            row = [
                *_numbers.integers(0, 3000, 10),
                *np.eye(4, dtype=int)[_numbers.integers(4)],
                *np.eye(40, dtype=int)[_numbers.integers(40)],
                _numbers.integers(1, 8),
            ]
            file.write(",".join(map(str, row)) + "\n")


def _newsgroups(folder):
    for name in ("alt.atheism", "comp.graphics", "rec.autos", "sci.space"):
        _files(
            folder / "20_newsgroup" / name,
            40,
            lambda path: path.write_text("\n".join(["header"] * 12 + [sentence(60)])),
            "",
        )


def _dialogs(folder):
    root = folder / "cornell movie-dialogs corpus"
    root.mkdir()
    lines = [f"L{i} +++$+++ u0 +++$+++ m0 +++$+++ BIANCA +++$+++ {sentence(6)}" for i in range(600)]
    (root / "movie_lines.txt").write_text("\n".join(lines), encoding="utf-8")
    talks = [f"u0 +++$+++ u2 +++$+++ m0 +++$+++ ['L{i}', 'L{i + 1}', 'L{i + 2}']" for i in range(0, 597, 3)]
    (root / "movie_conversations.txt").write_text("\n".join(talks), encoding="utf-8")


def _cora(folder):
    root = folder / "cora"
    root.mkdir()
    subjects = [
        "Case_Based",
        "Genetic_Algorithms",
        "Neural_Networks",
        "Probabilistic_Methods",
        "Reinforcement_Learning",
        "Rule_Learning",
        "Theory",
    ]
    words = [_whole(0, 2)(1433) for _ in range(300)]
    (root / "cora.content").write_text(
        "".join(f"{1000 + i}\t" + "\t".join(map(str, w)) + f"\t{subjects[i % 7]}\n" for i, w in enumerate(words))
    )
    (root / "cora.cites").write_text(
        "".join(f"{1000 + a}\t{1000 + b}\n" for a, b in _numbers.integers(0, 300, (900, 2)))
    )


def _stack_overflow(folder):
    for part in ("train", "test"):
        for name in ("csharp", "java", "javascript", "python"):
            _files(folder / part / name, 60, _text, ".txt")


def _npz(path):
    part = lambda n: (_numbers.integers(0, 256, (n, 28, 28), dtype=np.uint8), (np.arange(n) % 10).astype("uint8"))
    (x, y), (u, v) = part(1000), part(500)
    buffer = io.BytesIO()
    np.savez(buffer, x_train=x, y_train=y, x_test=u, y_test=v)
    path.write_bytes(buffer.getvalue())


def _gzip_numbers(path):
    import gzip

    with gzip.open(path, "wt") as file:
        for i in range(12000):
            file.write(",".join([str(i % 2), *(f"{x:.4f}" for x in _numbers.normal(size=28))]) + "\n")


def _ecg(path):
    _table({str(i): _real() for i in range(140)} | {"label": _whole(0, 2)}, 800, header=False)(path)


def _ford(path):
    rows = [[int(i % 2) * 2 - 1, *np.round(_numbers.normal(size=500), 3)] for i in range(300)]
    path.write_text("".join("\t".join(map(str, row)) + "\n" for row in rows))


def _anomalies(path):
    times = lambda n: [f"2014-04-{1 + i // 288:02} {i % 288 // 12:02}:{i % 12 * 5:02}:00" for i in range(n)]
    _table({"timestamp": times, "value": _real(18, 22)}, 4032)(path)


_MAKERS = {
    "train.csv": _table(_TITANIC, 627),
    "eval.csv": _table(_TITANIC, 264),
    "heart.csv": _table(_HEART, 303),
    "abalone_train.csv": _table(_ABALONE, 600, header=False),
    "abalone_test.csv": _table(_ABALONE, 200, header=False),
    "iris_*.csv": _table(_IRIS, 120),
    "auto-mpg.data": _table(_MPG, 398, header=False, sep=" "),
    "creditcard.csv": _table(_CREDIT, 4000),
    "creditcard.zip": _archive(_one_member("creditcard.csv", _table(_CREDIT, 4000))),
    "petfinder-mini.zip": _archive(_one_member("petfinder-mini/petfinder-mini.csv", _table(_PETS, 500))),
    "petfinder_mini.zip": _archive(_one_member("petfinder-mini/petfinder-mini.csv", _table(_PETS, 500))),
    "adult.data": _table(_ADULT, 500, header=False),
    "adult.test": _table(_ADULT, 300),
    "jena_climate*.zip": _archive(_one_member("jena_climate_2009_2016.csv", _climate)),
    "higgs.csv.gz": _gzip_numbers,
    "ecg.csv": _ecg,
    "forda_*.tsv": _ford,
    "art_daily*.csv": _anomalies,
    "mnist.npz": _npz,
    "shakespeare.txt": lambda path: path.write_text("\n".join(f"{sentence(1)}:\n{sentence(8)}." for _ in range(1500))),
    "nietzsche.txt": lambda path: path.write_text("\n".join(f"{sentence(9)}." for _ in range(300))),
    **{
        name: (lambda path: path.write_text("\n".join(sentence(9) for _ in range(400))))
        for name in ("cowper.txt", "derby.txt", "butler.txt")
    },
    "imagenetlabels.txt": lambda path: path.write_text("\n".join(["background", *(f"thing {i}" for i in range(1000))])),
    "spa-eng.zip": _archive(_one_member("spa-eng/spa.txt", _pairs)),
    "fra-eng.zip": _archive(_one_member("fra.txt", _pairs_with_sources)),
    "flower_photos.tgz": _archive(
        _classes_of(
            "flower_photos",
            ["daisy", "dandelion", "roses", "sunflowers", "tulips"],
            20,
            lambda path: picture(path, (240, 320)),
            ".jpg",
        )
    ),
    "aclimdb*.tar.gz": _archive(_imdb),
    "stack_overflow_16k.tar.gz": _archive(_stack_overflow),
    "cats_and_dogs_filtered.zip": _archive(_cats_and_dogs),
    "mini_speech_commands.zip": _archive(
        _classes_of(
            "mini_speech_commands", ["down", "go", "left", "no", "right", "stop", "up", "yes"], 16, _sound, ".wav"
        )
    ),
    "facades.tar.gz": _archive(_facades),
    "ml-latest-small.zip": _archive(_movies),
    "ml-1m.zip": _archive(_movies_1m),
    "cora.tgz": _archive(_cora),
    "imagenet_class_index.json": lambda path: path.write_text(
        json.dumps({str(i): [f"n{i:08}", f"thing_{i}"] for i in range(1000)})
    ),
    "images.tar.gz": _archive(_pets),
    "annotations.tar.gz": _archive(_trimaps),
    "captcha_images_v2.zip": _archive(_captchas),
    "bsr_bsds500.tgz": _archive(_photos),
    "kagglecatsanddogs*.zip": _archive(
        _classes_of("PetImages", ["Cat", "Dog"], 40, lambda path: picture(path, (200, 180)), ".jpg")
    ),
    "tiny_nerf_data.npz": _nerf,
    "covtype.data.gz": _covers,
    "news20.tar.gz": _archive(_newsgroups),
    "cornell_movie_dialogs_corpus.zip": _archive(_dialogs),
    "mnist_test_seq.npy": lambda path: np.save(path, _numbers.integers(0, 256, (20, 60, 64, 64), dtype=np.uint8)),
    "wdbc.data": _table(
        {"id": _whole(1, 10**6), "diagnosis": _one_of("M", "B")} | {f"f{i}": _real(0, 30) for i in range(30)},
        569,
        header=False,
    ),
    "*.jpg": picture,
    "*.jpeg": picture,
    "*.png": picture,
}
