"""GIF files: the frames of pictures that move, as tf.io.decode_gif gives them."""

import numpy as np

from brio.errors import InvalidArgumentError


def _broken(what):
    return InvalidArgumentError(f"[decode_gif] the bytes are no whole GIF file: {what}")


def _unpacked(data, least, count):
    """The numbers that LZW codes stand for; codes begin with least + 1 bits."""
    clear, stop = 1 << least, (1 << least) + 1
    basic = [bytes([i]) for i in range(clear)] + [b"", b""]
    table, out, made = list(basic), [], 0
    bits, limit = least + 1, 1 << (least + 1)
    held = kept = 0  # bits that were read and not used, and how many
    before = None
    for byte in data:
        held |= byte << kept
        kept += 8
        while kept >= bits:
            code = held & (limit - 1)
            held >>= bits
            kept -= bits
            if code == clear:
                table, bits, limit, before = list(basic), least + 1, 1 << (least + 1), None
                continue
            if code == stop or made >= count:
                return b"".join(out)
            if code < len(table):
                text = table[code]
                if before is not None and len(table) < 4096:
                    table.append(before + text[:1])
            elif before is not None and code == len(table) < 4096:
                text = before + before[:1]
                table.append(text)
            else:
                raise _broken("a code has no meaning")
            out.append(text)
            made += len(text)
            before = text
            if len(table) == limit and bits < 12:
                bits += 1
                limit <<= 1
    return b"".join(out)


class _Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, n):
        if self.at + n > len(self.data):
            raise _broken("it ends too soon")
        part = self.data[self.at : self.at + n]
        self.at += n
        return part

    def blocks(self):
        parts = []
        while size := self.take(1)[0]:
            parts.append(self.take(size))
        return b"".join(parts)

    def colors(self, flags):
        return np.frombuffer(self.take(3 << ((flags & 7) + 1)), np.uint8).reshape(-1, 3) if flags & 0x80 else None


def frames(data):
    """All frames as (frames, height, width, 3); each is drawn over the one before."""
    reader = _Reader(data)
    if reader.take(6) not in (b"GIF87a", b"GIF89a"):
        raise _broken("it does not begin with GIF87a or GIF89a")
    width, height, flags = (
        int.from_bytes(reader.take(2), "little"),
        int.from_bytes(reader.take(2), "little"),
        reader.take(3)[0],
    )
    if width * height > 2**28:
        raise _broken(f"{width} by {height} pixels are too many")
    shared = reader.colors(flags)
    canvas, made, transparent = np.zeros((height, width, 3), np.uint8), [], None
    while (kind := reader.take(1)[0]) != 0x3B:
        if kind == 0x21:
            if reader.take(1)[0] == 0xF9:
                block = reader.blocks()
                transparent = block[3] if len(block) >= 4 and block[0] & 1 else None
            else:
                reader.blocks()
        elif kind == 0x2C:
            left, top, columns, rows = (int.from_bytes(reader.take(2), "little") for _ in range(4))
            flags = reader.take(1)[0]
            colors = reader.colors(flags)
            colors = shared if colors is None else colors
            if colors is None:
                raise _broken("a frame has no colors")
            least = reader.take(1)[0]
            if not 2 <= least <= 8:
                raise _broken(f"codes begin with {least} bits")
            numbers = np.frombuffer(_unpacked(reader.blocks(), least, rows * columns), np.uint8)[: rows * columns]
            if len(numbers) < rows * columns or numbers.max(initial=0) >= len(colors):
                raise _broken("a frame has too few pixels, or colors that are not there")
            numbers = numbers.reshape(rows, columns)
            if flags & 0x40:  # rows in four passes
                order = np.concatenate([np.arange(a, rows, b) for a, b in ((0, 8), (4, 8), (2, 4), (1, 2))])
                numbers = numbers[np.argsort(order)]
            canvas = canvas.copy()
            rows, columns = min(rows, max(height - top, 0)), min(columns, max(width - left, 0))
            part, numbers = canvas[top : top + rows, left : left + columns], numbers[:rows, :columns]
            seen = numbers != transparent if transparent is not None else np.ones(numbers.shape, bool)
            part[seen] = colors[numbers[seen]]
            made.append(canvas)
            transparent = None
        else:
            raise _broken(f"a part begins with {kind}")
    if not made:
        raise _broken("there are no frames")
    return np.stack(made)
