"""Writes python/brio/keras/_signatures.py from Keras 3.15: python tests/python/make_signatures.py. Order and defaults
of arguments are facts about Keras that the C++ options, which have names only, do not hold."""

import inspect
import os
import pathlib
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras

# Arguments that Brio has no use for; they are taken and ignored where they have their default value.
KINDS = {
    "LAYERS": keras.layers,
    "LOSSES": keras.losses,
    "METRICS": keras.metrics,
    "OPTIMIZERS": keras.optimizers,
    "SCHEDULES": keras.optimizers.schedules,
    "INITIALIZERS": keras.initializers,
    "REGULARIZERS": keras.regularizers,
    "CONSTRAINTS": keras.constraints,
}


def signature(cls):
    parts = []
    for name, p in list(inspect.signature(cls.__init__).parameters.items())[1:]:
        if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL):
            parts.append(name if p.default is p.empty else f"{name}={p.default!r}")
    return ", ".join(parts)


def wanted(kind, have):
    return {
        name: signature(cls) for name, cls in sorted(vars(KINDS[kind]).items()) if inspect.isclass(cls) and name in have
    }


def main():
    have = dict(line.split(":") for line in sys.stdin.read().split())
    out = [
        '"""Arguments of Keras\' classes, in order, with their defaults. Made by tests/python/make_signatures.py."""',
        "",
    ]
    for kind in KINDS:
        out.append(f"{kind} = {{")
        for name, text in wanted(kind, have[kind].split(",")).items():
            out.append(f'    "{name}": "{text}",')
        out += ["}", ""]
    path = pathlib.Path(__file__).parents[2] / "python/brio/keras/_signatures.py"
    path.write_text("\n".join(out[:-1]).replace("  # fmt: skip", "") + "\n")


main()
