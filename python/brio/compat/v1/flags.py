"""tf.compat.v1.flags: values that the command line sets, by name."""

import argparse
import sys

from brio import _missing

__getattr__ = _missing.attribute_error_of(__name__)


class Error(Exception):
    """What is wrong with flags."""


class IllegalFlagValueError(Error):
    """A flag has a value that it may not have."""


class UnrecognizedFlagError(Error):
    """There is no such flag."""


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        raise IllegalFlagValueError(message)


class _Flag:
    """A flag: what it is for, how its text is read, and what may be said of its value."""

    def __init__(self, name, default, help, read, short_name=None, is_bool=False):
        self.name, self.default, self.help, self.read, self.short_name, self.is_bool = (
            name,
            default,
            help,
            read,
            short_name,
            is_bool,
        )
        self.checks = []  # pairs of a function of the value and what is said where it is false

    def check(self, value):
        """Throws where the value may not be."""
        for holds, told in self.checks:
            if not holds(value):
                raise IllegalFlagValueError(f"flag --{self.name}={value}: {told}")

    def add_to(self, parser):
        """The option of the command line; what is not there stays as it is."""
        names = [f"--{self.name}", *([f"-{self.short_name}"] if self.short_name else [])]
        how = {"nargs": "?", "const": True} if self.is_bool else {}
        parser.add_argument(
            *names,
            dest=self.name,
            default=argparse.SUPPRESS,
            type=self.read,
            help=(self.help or "").replace("%", "%%"),
            **how,
        )
        if self.is_bool:
            parser.add_argument(f"--no{self.name}", dest=self.name, action="store_false", default=argparse.SUPPRESS)


class _Flags:
    """The values: FLAGS.name. The command line is read when the first is asked for."""

    def __init__(self):
        self.__dict__.update(_known={}, _values={}, _parsed=False)

    def _define(self, flag):
        if flag.default is not None:
            flag.check(flag.default)
        self._known[flag.name] = flag
        self._values.setdefault(flag.name, flag.default)
        self.__dict__["_parsed"] = False

    def __call__(self, argv=None, known_only=False):
        """Reads the command line; returns what is left of it."""
        argv = sys.argv if argv is None else list(argv)
        parser = _Parser(allow_abbrev=False)
        for flag in self._known.values():
            flag.add_to(parser)
        found, rest = parser.parse_known_args(argv[1:])
        unknown = [text for text in rest if text.startswith("-") and text.strip("-")]
        if unknown and not known_only:
            raise UnrecognizedFlagError(f"Unknown command line flag '{unknown[0].lstrip('-').partition('=')[0]}'")
        values = {**self._values, **vars(found)}
        for flag in self._known.values():
            flag.check(values[flag.name])
        self._values.update(values)
        self.__dict__["_parsed"] = True
        return argv[:1] + rest

    def _name(self, name):
        """The name of a flag by its name or its short one."""
        if name not in self._known:
            name = next((flag.name for flag in self._known.values() if flag.short_name == name), None) or name
        if name not in self._known:
            raise AttributeError(f"no flag '{name}' is defined")
        return name

    def __getattr__(self, name):
        name = self._name(name)
        if not self._parsed:
            self(known_only=True)
        return self._values[name]

    def __setattr__(self, name, value):
        name = self._name(name)
        self._known[name].check(value)
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
    if str(text).lower() in ("true", "t", "1"):
        return True
    if str(text).lower() in ("false", "f", "0"):
        return False
    raise argparse.ArgumentTypeError(f"Non-boolean argument to boolean flag: {text!r}")


def _one_of(enum_values, case_sensitive):
    def read(text):
        for value in enum_values:
            if text == value or not case_sensitive and text.lower() == value.lower():
                return value
        raise argparse.ArgumentTypeError(f"value should be one of <{'|'.join(enum_values)}>, but is {text!r}")

    return read


def _default(name, default, read):
    """A default that may be given as the text of the command line."""
    if not isinstance(default, str):
        return default
    try:
        return read(default)
    except (argparse.ArgumentTypeError, ValueError) as error:
        raise IllegalFlagValueError(f"flag --{name}={default}: {error}") from None


def _define(flag, flag_values, required):
    if flag_values is not None and flag_values is not FLAGS:
        raise NotImplementedError(
            f"[flags] flag_values of '{flag.name}' is not supported: all flags are in FLAGS; leave it out"
        )
    if required and flag.default is not None:
        raise ValueError(f"If required is True, a default value is not allowed, but '{flag.name}' has {flag.default!r}")
    FLAGS._define(flag)
    if required:
        mark_flag_as_required(flag.name)


# Where a flag was defined and how it is written are of no use here: module_name and serializer.


def DEFINE_string(
    name, default, help="", flag_values=None, required=False, short_name=None, module_name=None, serializer=None
):
    """A flag that is text."""
    _define(_Flag(name, default, help, str, short_name), flag_values, required)


def _define_number(kind, name, default, help, lower, upper, flag_values, required, short_name):
    flag = _Flag(name, _default(name, default, kind), help, kind, short_name)
    between = f"it must be in [{'-inf' if lower is None else lower}, {'inf' if upper is None else upper}]"
    flag.checks.append(
        (lambda x: x is None or (lower is None or x >= lower) and (upper is None or x <= upper), between)
    )
    _define(flag, flag_values, required)


def DEFINE_integer(name, default, help="", lower_bound=None, upper_bound=None, flag_values=None, required=False,
                   short_name=None, module_name=None, serializer=None):  # fmt: skip
    """A flag that is an integer, between bounds."""
    _define_number(int, name, default, help, lower_bound, upper_bound, flag_values, required, short_name)


def DEFINE_float(name, default, help="", lower_bound=None, upper_bound=None, flag_values=None, required=False,
                 short_name=None, module_name=None, serializer=None):  # fmt: skip
    """A flag that is a number, between bounds."""
    _define_number(float, name, default, help, lower_bound, upper_bound, flag_values, required, short_name)


def DEFINE_boolean(
    name, default, help="", flag_values=None, module_name=None, required=False, short_name=None, serializer=None
):
    """A flag that is true or false."""
    default = _default(name, default if default is None else str(default), _truth)
    _define(_Flag(name, default, help, _truth, short_name, is_bool=True), flag_values, required)


DEFINE_bool = DEFINE_boolean


def DEFINE_enum(name, default, enum_values, help="", flag_values=None, module_name=None, required=False,
                short_name=None, case_sensitive=True, serializer=None):  # fmt: skip
    """A flag that is one of several texts."""
    read = _one_of(list(enum_values), case_sensitive)
    _define(_Flag(name, _default(name, default, read), help, read, short_name), flag_values, required)


def DEFINE_list(
    name, default, help="", flag_values=None, required=False, short_name=None, module_name=None, serializer=None
):
    """A flag that is a list of texts, with commas between them."""
    read = lambda text: [part.strip() for part in text.split(",")] if text else []
    _define(_Flag(name, _default(name, default, read), help, read, short_name), flag_values, required)


def mark_flag_as_required(flag_name, flag_values=None):
    """The command line must give this flag a value."""
    register_validator(
        flag_name,
        lambda value: value is not None,
        f"Flag --{flag_name} must have a value other than None.",
        flag_values,
    )


def mark_flags_as_required(flag_names, flag_values=None):
    """The command line must give these flags values."""
    for name in flag_names:
        mark_flag_as_required(name, flag_values)


def register_validator(flag_name, checker, message="Flag validation failed", flag_values=None):
    """A function that a flag's value must satisfy, when the command line was read and when it is set."""
    known = (FLAGS if flag_values is None else flag_values)._known
    if flag_name not in known:
        raise AttributeError(f"no flag '{flag_name}' is defined")
    known[flag_name].checks.append((checker, message))
