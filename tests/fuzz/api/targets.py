"""What is called: every public function, class and method of the package, found by walking it."""

import inspect
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "scripts" / "api"))
import signatures  # beside the scripts that make the API pages
import surface
import values

# They end the process, print past sys.stdout, loop for as long as they are told to, set what nothing puts back (see
# settings.py), or make networks of hundreds of millions of weights, which takes the time and the memory that they need.
LEFT_OUT = {
    "tf.compat.v1.app.run",
    "tf.test.main",
    "tf.print",
    "tf.while_loop",
    "keras.ops.while_loop",
    "tf.compat.v1.while_loop",
    "tf.experimental.numpy.experimental_enable_numpy_behavior",
    *(
        f"keras.applications.{place}{name}"
        for place, names in (
            (
                "",
                (
                    "ConvNeXtBase ConvNeXtLarge ConvNeXtXLarge ConvNeXtSmall EfficientNetV2L EfficientNetV2M "
                    "EfficientNetB7 EfficientNetB6 VGG16 VGG19 ResNet152 ResNet152V2"
                ),
            ),
            ("convnext.", ("ConvNeXtBase ConvNeXtLarge ConvNeXtXLarge ConvNeXtSmall")),
            ("efficientnet_v2.", "EfficientNetV2L EfficientNetV2M"),
            ("efficientnet.", "EfficientNetB7 EfficientNetB6"),
            ("vgg16.", "VGG16"),
            ("vgg19.", "VGG19"),
            ("resnet.", "ResNet152"),
            ("resnet_v2.", "ResNet152V2"),
        )
        for name in names.split()
    ),
}


class Target:
    """Something to call: the text before the parentheses, and the names of its parameters."""

    def __init__(self, text, parameters):
        self.text = text
        self.positional = parameters[0]
        self.keywords = parameters[1]


def parameters_of(value, method=False):
    """Names that can be given by position, and all names."""
    signature = signatures.of("f", value, "brio", "C" if method else None)
    if signature is None:
        return [""] * 3, []
    found = list(signature.parameters.values())
    if method and found and found[0].name in ("self", "cls"):
        found = found[1:]
    positional = [p.name for p in found if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if any(p.kind == p.VAR_POSITIONAL for p in found):
        positional += [""] * 3
    return positional, [p.name for p in found if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]


def functions():
    """Functions and constructors of every public module."""
    names = [
        (f"{surface.tensorflow_name(module)}.{name}", value)
        for module in surface.public_modules()
        for name, value in surface.names(module).items()
    ]
    found, seen = [], {id(value) for text, value in names if text in LEFT_OUT}
    for text, value in names:
        if not callable(value) or inspect.ismodule(value) or id(value) in seen:
            continue
        if inspect.isclass(value) and issubclass(value, BaseException):
            continue
        seen.add(id(value))
        found.append(Target(text, parameters_of(value)))
    return found


def methods(evaluate):
    """Methods of the receivers, operators among them."""
    found, seen = [], set()
    for receiver in values.RECEIVERS:
        cls = type(evaluate(receiver))
        for name in dir(cls):
            public = not name.startswith("_") or name in OPERATORS
            function = inspect.getattr_static(cls, name, None)
            if not public or not callable(getattr(cls, name, None)) or inspect.isclass(function) or (cls, name) in seen:
                continue
            seen.add((cls, name))
            found.append(Target(f"({receiver}).{name}", parameters_of(getattr(cls, name), method=True)))
    return found


OPERATORS = {
    f"__{name}__"
    for name in (
        "add radd sub rsub mul rmul truediv rtruediv floordiv mod pow rpow matmul rmatmul and or xor invert neg abs lt "
        "le gt ge eq ne getitem setitem len iter bool int float index contains call array format"
    ).split()
}
