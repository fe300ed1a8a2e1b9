"""What the doctor needs of Python, in a program that runs under BRIO_DOCTOR and its kin: to be told when it ends."""

import atexit
import os

from brio import _core


def _exit_told(status):
    """os._exit, which runs nothing else: the report is written first."""
    _core._doctor_at_end()
    _os_exit(status)


_os_exit = os._exit
os._exit = _exit_told
atexit.register(_core._doctor_at_end)
