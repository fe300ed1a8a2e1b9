"""Pictures and what TensorFlow decodes them to: tests/golden/pictures_*.json.

Run by make_golden.py, or alone. Pillow (which matplotlib brings) writes what TensorFlow does not. A case names its
file, which is in hex in pictures_files_*.json, the options, and either the `pixels` or, of all but tiny ones, their
CRC-32 (`crc`).
"""

import io
import os
import pathlib
import struct
import zlib

import numpy as np
import PIL.Image
import tensorflow as tf

DATA = pathlib.Path(os.environ.get("BRIO_DATA", pathlib.Path(__file__).resolve().parents[2] / ".." / "shared" / "data"))


def scene(height, width, channels=3, bits=8):
    """Smooth colours with an edge: something of every frequency."""
    y, x = np.mgrid[0:height, 0:width]
    planes = [
        np.sin(x / (3 + c)) * 0.3 + np.cos(y / (2 + c)) * 0.2 + 0.5 + 0.25 * (((x + 2 * y) // 5) % 2 - 0.5)
        for c in range(channels)
    ]
    top = (1 << bits) - 1
    return np.clip(np.stack(planes, -1) * top, 0, top).astype(np.uint8 if bits == 8 else np.uint16)


def pillow(image, mode, format, **options):
    out = io.BytesIO()
    PIL.Image.fromarray(image, mode).save(out, format, **options)
    return out.getvalue()


def jpegs():
    """Name to file: every kind of JPEG that is decoded."""
    colour = scene(19, 21)
    with_exif = PIL.Image.Exif()
    with_exif[0x0112] = 6
    # A marker of Adobe's is what tells inverted inks; Pillow writes it, and without it the inks are plain.
    cmyk = pillow(scene(17, 18, 4), "CMYK", "JPEG", quality=90)
    adobe = cmyk.index(b"\xff\xee")
    plain_cmyk = cmyk[:adobe] + cmyk[adobe + 2 + int.from_bytes(cmyk[adobe + 2 : adobe + 4], "big") :]
    return {
        "444": pillow(colour, "RGB", "JPEG", quality=92, subsampling=0),
        "422": pillow(colour, "RGB", "JPEG", quality=92, subsampling=1),
        "420": pillow(colour, "RGB", "JPEG", quality=92, subsampling=2),
        "420_large": pillow(scene(40, 50), "RGB", "JPEG", quality=40, subsampling=2),
        "progressive": pillow(colour, "RGB", "JPEG", quality=80, progressive=True),
        "grey": pillow(scene(13, 10, 1)[..., 0], "L", "JPEG", quality=92),
        "cmyk": cmyk,
        "cmyk_without_adobe": plain_cmyk,
        "rgb": pillow(colour, "RGB", "JPEG", quality=92, keep_rgb=True),
        "one_pixel": pillow(scene(1, 1), "RGB", "JPEG"),
        "restart": pillow(colour, "RGB", "JPEG", quality=70, restart_marker_blocks=1),
        "exif": pillow(colour, "RGB", "JPEG", quality=60, exif=with_exif),
    }


def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png(samples, bits, colour_type, interlaced=False, chunks=()):
    """A PNG by hand: samples (height, width, values of a pixel) at any depth, each row with another filter type 0."""
    height, width, _ = samples.shape

    def rows(part):
        out = b""
        for row in part:
            if bits == 16:
                out += b"\0" + row.astype(">u2").tobytes()
            else:
                digits = "".join(format(int(v), f"0{bits}b") for v in row.ravel())
                digits += "0" * (-len(digits) % 8)
                out += b"\0" + int(digits, 2).to_bytes(len(digits) // 8, "big")
        return out

    if interlaced:
        passes = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)]
        parts = [samples[y::dy, x::dx] for y, x, dy, dx in passes]
        data = b"".join(rows(p) for p in parts if p.size)
    else:
        data = rows(samples)
    header = struct.pack(">IIBBBBB", width, height, bits, colour_type, 0, 0, int(interlaced))
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + b"".join(chunk(k, c) for k, c in chunks)
        + chunk(b"IDAT", zlib.compress(data, 9))
        + chunk(b"IEND", b"")
    )


def pngs():
    files = {}
    palette = bytes(range(48))
    for bits in (1, 2, 4, 8, 16):
        values = scene(5, 6, 1, 16).astype(np.uint32) >> (16 - bits)
        files[f"grey{bits}"] = png(values, bits, 0)
        key = struct.pack(">H", int(values[0, 0, 0]))
        files[f"grey{bits}_transparent"] = png(values, bits, 0, chunks=[(b"tRNS", key)])
        if bits < 16:
            indices = np.minimum(values, 15)
            files[f"palette{bits}"] = png(indices, bits, 3, chunks=[(b"PLTE", palette[: 3 * min(16, 1 << bits)])])
            files[f"palette{bits}_transparent"] = png(
                indices, bits, 3, chunks=[(b"PLTE", palette[: 3 * min(16, 1 << bits)]), (b"tRNS", b"\x40\x80")]
            )
    for bits in (8, 16):
        for name, kind, channels in (("rgb", 2, 3), ("grey_alpha", 4, 2), ("rgba", 6, 4)):
            values = scene(5, 6, channels, bits)
            files[f"{name}{bits}"] = png(values, bits, kind)
        files[f"rgb{bits}_interlaced"] = png(scene(11, 9, 3, bits), bits, 2, interlaced=True)
    values = scene(5, 6, 3)
    files["rgb8_transparent"] = png(values, 8, 2, chunks=[(b"tRNS", struct.pack(">HHH", *map(int, values[2, 3])))])
    files["rgb8_gamma"] = png(values, 8, 2, chunks=[(b"gAMA", struct.pack(">I", 45455))])
    files["grey1_interlaced"] = png(scene(9, 10, 1, 16).astype(np.uint32) >> 15, 1, 0, interlaced=True)
    return files


def bmp(image, top_down=False):
    height, width, channels = image.shape
    order = {1: [0], 3: [2, 1, 0], 4: [2, 1, 0, 3]}[channels]
    rows = [r[:, order].tobytes() for r in (image if top_down else image[::-1])]
    data = b"".join(r + b"\0" * (-len(r) % 4) for r in rows)
    # Grey levels as the palette, as every writer has them.
    palette = b"".join(bytes((i, i, i, 0)) for i in range(256)) if channels == 1 else b""
    start = 54 + len(palette)
    header = struct.pack(
        "<2sIHHIIiiHHIIiiII",
        b"BM",
        start + len(data),
        0,
        0,
        start,
        40,
        width,
        -height if top_down else height,
        1,
        8 * channels,
        0,
        len(data),
        2835,
        2835,
        0,
        0,
    )
    return header + palette + data


def bmps():
    return {
        f"{name}{'_top_down' if down else ''}": bmp(scene(5, 7, channels), down)
        for name, channels in (("grey", 1), ("rgb", 3), ("rgba", 4))
        for down in (False, True)
    }


def outcome(decode):
    """The pixels, or none where TensorFlow refuses."""
    try:
        return decode().numpy()
    except tf.errors.InvalidArgumentError:
        return None


def files(case):
    held = {}

    def decoded(name, kind, file, decode, options):
        held[f"{kind}/{name}"] = file
        pixels = outcome(lambda: decode(file, **options))
        params = {"kind": kind, "file": f"{kind}/{name}", **{k: v for k, v in options.items() if k != "dtype"}}
        if "dtype" in options:
            params["dtype"] = options["dtype"].name
        name = "/".join([kind, name, *(f"{k}={getattr(v, 'name', v)}" for k, v in options.items())])
        if pixels is None:
            return case(name, {}, params | {"refused": True}, {})
        if pixels.size > 100:
            return case(name, {"shape": np.int32(pixels.shape)}, params | {"crc": zlib.crc32(pixels.tobytes())}, {})
        return case(name, {}, params, {"pixels": pixels})

    def jpeg_cases():
        for name, file in jpegs().items():
            for channels in (0, 1, 3):
                yield decoded(name, "jpeg", file, tf.io.decode_jpeg, {"channels": channels})
            for ratio in (2, 4, 8):
                yield decoded(name, "jpeg", file, tf.io.decode_jpeg, {"channels": 0, "ratio": ratio})

    def jpeg_option_cases():
        some = jpegs()
        for name in ("420", "420_large", "422", "progressive", "cmyk"):
            yield decoded(name, "jpeg", some[name], tf.io.decode_jpeg, {"fancy_upscaling": False})
            yield decoded(name, "jpeg", some[name], tf.io.decode_jpeg, {"dct_method": "INTEGER_ACCURATE"})
            for cut in (2, 60, 100):
                short = some[name][:-cut]
                yield decoded(f"{name}_cut_{cut}", "jpeg", short, tf.io.decode_jpeg, {})
                yield decoded(f"{name}_cut_{cut}", "jpeg", short, tf.io.decode_jpeg, {"try_recover_truncated": True})

    def png_cases(dtype):
        for name, file in pngs().items():
            for channels in (0, 1, 3, 4):
                yield decoded(name, "png", file, tf.io.decode_png, {"channels": channels, "dtype": dtype})

    def bmp_cases():
        for name, file in bmps().items():
            for channels in (0, 3, 4):
                yield decoded(name, "bmp", file, tf.io.decode_bmp, {"channels": channels})

    def encode_cases():
        for channels in (1, 3):
            image = scene(10, 12, channels)
            for options in (
                {},
                {"quality": 30},
                {"progressive": True},
                {"optimize_size": True},
                {"chroma_downsampling": False},
                {"density_unit": "cm", "x_density": 7, "y_density": 8},
            ):
                file = tf.io.encode_jpeg(image, **options).numpy()
                name = "/".join(["jpeg", str(channels), *(f"{k}={v}" for k, v in options.items())])
                yield case(name, {"image": image}, {"kind": "jpeg", "file": file.hex(), **options}, {})
        for channels in (1, 2, 3, 4):
            for bits in (8, 16):
                image = scene(6, 5, channels, bits)
                for level in (-1, 0, 9):
                    file = tf.io.encode_png(image, compression=level).numpy()
                    yield case(
                        f"png/{channels}/{bits}/{level}",
                        {"image": image},
                        {"kind": "png", "file": file.hex(), "bits": bits, "compression": level},
                        {},
                    )

    def photo_cases():
        folder = DATA / "clothing" / "validation"
        photos = [DATA / "sklearn-toy" / "china.jpg", DATA / "sklearn-toy" / "flower.jpg"]
        photos += [sorted(kind.glob("*.jpg"))[0] for kind in sorted(folder.iterdir()) if kind.is_dir()]
        for photo in photos:
            for options in ({}, {"channels": 1}, {"ratio": 2}, {"ratio": 8}, {"dct_method": "INTEGER_ACCURATE"}):
                pixels = tf.io.decode_jpeg(photo.read_bytes(), **options).numpy()
                path = photo.relative_to(DATA).as_posix()
                yield case(
                    "/".join([path, *(f"{k}={v}" for k, v in options.items())]),
                    {"shape": np.int32(pixels.shape)},
                    {"path": path, "crc": zlib.crc32(pixels.tobytes()), **options},
                    {},
                )

    def in_files(stem, cases):
        """As many files as the limit of 50 kB asks for."""
        part, size, number = [], 0, 1
        for c in cases:
            length = len(str(c))
            if part and size + length > 40_000:
                yield f"{stem}_{number}.json", part
                part, size, number = [], 0, number + 1
            part.append(c)
            size += length
        yield f"{stem}_{number}.json", part

    yield from in_files("pictures_jpeg", jpeg_cases())
    yield from in_files("pictures_jpeg_options", jpeg_option_cases())
    yield from in_files("pictures_png", png_cases(tf.uint8))
    yield from in_files("pictures_png16", png_cases(tf.uint16))
    yield from in_files("pictures_bmp", bmp_cases())
    yield from in_files("pictures_encode", encode_cases())
    yield from in_files("pictures_photos", photo_cases())
    yield from in_files("pictures_files", (case(name, {}, {"hex": file.hex()}, {}) for name, file in held.items()))


if __name__ == "__main__":
    import make_golden

    for file, cases in files(make_golden.case):
        make_golden.write(file, cases)
