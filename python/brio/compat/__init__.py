"""tf.compat."""

from brio.compat import v1


def as_bytes(text, encoding="utf-8"):
    """Text as bytes."""
    return text if isinstance(text, bytes) else text.encode(encoding)


def as_text(text, encoding="utf-8"):
    """Bytes as text."""
    return text.decode(encoding) if isinstance(text, bytes) else text


as_str = as_text
