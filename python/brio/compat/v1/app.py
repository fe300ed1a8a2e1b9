"""tf.compat.v1.app: flags, and a function that calls the program's main()."""

import sys

from brio import _missing
from brio.compat.v1 import flags

__getattr__ = _missing.attribute_error_of(__name__)


def run(main=None, argv=None):
    """Reads the flags, calls main(argv) and ends the program with what it returns."""
    try:
        rest = flags.FLAGS(sys.argv if argv is None else argv, known_only=True)
    except flags.Error as error:
        sys.exit(f"FATAL Flags parsing error: {error}")
    main = main or sys.modules["__main__"].main
    sys.exit(main(rest))
