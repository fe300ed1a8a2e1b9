"""tf.compat.v1.flags: values that the command line sets, by name."""

import argparse
import sys

from brio import _missing

__getattr__ = _missing.attribute_error_of(__name__)


class _Flags:
    """The values: FLAGS.name. The command line is read when the first is asked for."""

    def __init__(self):
        self.__dict__.update(_known={}, _values={}, _parsed=False)

    def _define(self, name, default, help, kind):
        self._known[name] = (default, help, kind)
        self._values.setdefault(name, default)
        self.__dict__["_parsed"] = False

    def __call__(self, argv=None, known_only=True):
        """Reads the command line; returns what is left of it."""
        argv = sys.argv if argv is None else list(argv)
        parser = argparse.ArgumentParser(allow_abbrev=False)
        for name, (default, help_, kind) in self._known.items():
            if kind is bool:
                parser.add_argument(f"--{name}", nargs="?", const=True, default=self._values[name], type=_truth, help=help_)
                parser.add_argument(f"--no{name}", dest=name, action="store_false", default=argparse.SUPPRESS)
            elif isinstance(kind, list):
                parser.add_argument(f"--{name}", default=self._values[name], choices=kind, help=help_)
            else:
                parser.add_argument(f"--{name}", default=self._values[name], type=kind, help=help_)
        found, rest = parser.parse_known_args(argv[1:])
        self._values.update(vars(found))
        self.__dict__["_parsed"] = True
        return argv[:1] + rest

    def __getattr__(self, name):
        if name not in self._known:
            raise AttributeError(f"no flag '{name}' is defined")
        if not self._parsed:
            self()
        return self._values[name]

    def __setattr__(self, name, value):
        if name not in self._known:
            raise AttributeError(f"no flag '{name}' is defined")
        self._values[name] = value

    def __contains__(self, name):
        return name in self._known

    def __iter__(self):
        return iter(self._known)

    def flag_values_dict(self):
        """All values by name."""
        return {name: getattr(self, name) for name in self._known}

    def mark_as_parsed(self):
        """Leaves the command line alone."""
        self.__dict__["_parsed"] = True

    def __delattr__(self, name):
        self._known.pop(name)
        self._values.pop(name)


FLAGS = _Flags()


def _truth(text):
    return str(text).lower() in ("true", "t", "1", "yes", "y")


def DEFINE_string(name, default, help="", **kwargs):  # noqa: N802
    """A flag that is text."""
    FLAGS._define(name, default, help, str)


def DEFINE_integer(name, default, help="", lower_bound=None, upper_bound=None, **kwargs):  # noqa: N802
    """A flag that is an integer."""
    FLAGS._define(name, default, help, int)


def DEFINE_float(name, default, help="", lower_bound=None, upper_bound=None, **kwargs):  # noqa: N802
    """A flag that is a number."""
    FLAGS._define(name, default, help, float)


def DEFINE_boolean(name, default, help="", **kwargs):  # noqa: N802
    """A flag that is true or false."""
    FLAGS._define(name, default, help, bool)


DEFINE_bool = DEFINE_boolean


def DEFINE_enum(name, default, enum_values, help="", **kwargs):  # noqa: N802
    """A flag that is one of several texts."""
    FLAGS._define(name, default, help, list(enum_values))


def DEFINE_list(name, default, help="", **kwargs):  # noqa: N802
    """A flag that is a list of texts, with commas between them."""
    FLAGS._define(name, default if default is None or isinstance(default, list) else default.split(","), help, lambda s: s.split(",") if s else [])


def mark_flag_as_required(flag_name, flag_values=None):
    """Taken: a flag without a value is None."""
