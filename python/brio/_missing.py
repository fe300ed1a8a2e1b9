"""What to say of a name that Brio does not have."""

import difflib
import importlib


def explain(module, name):
    """ "brio has no tf.foo; did you mean tf.bar?" """
    shown = "tf" + module[len("brio") :]
    near = difflib.get_close_matches(name, [n for n in dir(importlib.import_module(module)) if not n.startswith("_")], n=1)
    return f"brio has no {shown}.{name}" + (f"; did you mean {shown}.{near[0]}?" if near else "")
