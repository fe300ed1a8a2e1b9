"""tf.audio: WAV files of 16 bits."""

from brio import _core, _missing
from brio.errors import InvalidArgumentError as _InvalidArgumentError

__getattr__ = _missing.attribute_error_of(__name__)


def decode_wav(contents, desired_channels=-1, desired_samples=-1, name=None):
    """The samples of a WAV file's bytes, (samples, channels) in [-1, 1), and how many there are in a second."""
    from collections import namedtuple

    import numpy as np

    made = namedtuple("DecodeWav", ["audio", "sample_rate"])
    contents = _core.convert_to_tensor(contents)
    if _core._journalling():  # one step of what Dataset.map writes down
        return made(*_core._journal_call(lambda x: list(decode_wav(x, desired_channels, desired_samples)), [contents]))
    data = contents.numpy()
    if len(data) < 12 or data[:4] != b"RIFF" or data[8:12] != b"WAVE":
        raise _InvalidArgumentError("[decode_wav] the contents are no WAV file: they do not begin with RIFF and WAVE")
    at, form, samples = 12, None, None
    while at + 8 <= len(data):
        kind, size = data[at : at + 4], int.from_bytes(data[at + 4 : at + 8], "little")
        body = data[at + 8 : at + 8 + size]
        if kind == b"fmt " and len(body) >= 16:
            form = [int.from_bytes(body[a:b], "little") for a, b in ((0, 2), (2, 4), (4, 8), (14, 16))]
        elif kind == b"data":
            if len(body) < size:
                raise _InvalidArgumentError(
                    f"[decode_wav] the contents are no whole WAV file: they say {size} bytes of samples, but hold "
                    f"{len(body)}"
                )
            samples = body
        at += 8 + size + size % 2
    if 0 < len(data) - at < 8:
        raise _InvalidArgumentError(
            f"[decode_wav] the contents are no whole WAV file: they end within the head of a part, {len(data) - at} "
            "bytes long"
        )
    if form is None or samples is None:
        raise _InvalidArgumentError(
            "[decode_wav] the contents are no whole WAV file: the format or the samples are missing"
        )
    tag, channels, rate, bits = form
    if tag != 1 or bits != 16 or channels == 0:
        raise _InvalidArgumentError(
            f"[decode_wav] takes PCM of 16 bits, but the file has format {tag}, {channels} channels and {bits} bits"
        )
    whole = len(samples) // (2 * channels)
    if len(samples) % (2 * channels):
        raise _InvalidArgumentError(
            f"[decode_wav] {len(samples)} bytes of samples are no whole number of {channels} channels of 16 bits"
        )
    audio = np.frombuffer(samples, "<i2").reshape(whole, channels).astype(np.float32) / 32768.0
    if desired_channels not in (-1, channels):
        audio = np.repeat(audio, desired_channels, 1) if channels == 1 else audio[:, :desired_channels]
    if desired_samples != -1:
        audio = np.pad(audio[:desired_samples], [[0, max(0, desired_samples - len(audio))], [0, 0]])
    return made(_core.constant(audio), _core.constant(rate))


def encode_wav(audio, sample_rate, name=None):
    """The bytes of a WAV file of these samples, (samples, channels) in [-1, 1]."""
    import numpy as np

    audio = _core.convert_to_tensor(audio).numpy()
    if audio.ndim != 2:
        raise _InvalidArgumentError(f"[encode_wav] takes (samples, channels), but got shape {audio.shape}")
    body = np.clip(np.rint(audio.astype(np.float64) * 32768), -32768, 32767).astype("<i2").tobytes()
    channels, rate = audio.shape[1], int(sample_rate)

    def number(n, size):
        return n.to_bytes(size, "little")

    form = (
        number(1, 2)
        + number(channels, 2)
        + number(rate, 4)
        + number(rate * channels * 2, 4)
        + number(channels * 2, 2)
        + number(16, 2)
    )
    head = b"RIFF" + number(36 + len(body), 4) + b"WAVEfmt " + number(16, 4) + form + b"data" + number(len(body), 4)
    return _core.constant(head + body)
