"""Stopping threads together."""

import contextlib
import sys
import threading
import time

from brio.compat.v1 import logging
from brio.errors import OutOfRangeError


class Coordinator:
    """Threads ask whether they should stop; the first error of one is raised where they are joined."""

    def __init__(self, clean_stop_exception_types=None):
        self._clean = (OutOfRangeError,) if clean_stop_exception_types is None else tuple(clean_stop_exception_types)
        self._stopped, self._error, self._threads, self._joined = threading.Event(), None, [], False

    def should_stop(self):
        """Was request_stop() called?"""
        return self._stopped.is_set()

    def request_stop(self, ex=None):
        """Asks threads to stop; join() raises the exception, unless it is one that ends inputs."""
        error = ex[1] if isinstance(ex, tuple) else ex
        if isinstance(error, self._clean):
            error = None
        if error is not None and self._joined:
            raise error
        if not self._stopped.is_set():
            self._error = error
            self._stopped.set()

    def clear_stop(self):
        """Takes request_stop() back."""
        self._joined, self._error = False, None
        self._stopped.clear()

    def wait_for_stop(self, timeout=None):
        """Waits until request_stop() is called; False where that takes too long."""
        return self._stopped.wait(timeout)

    def register_thread(self, thread):
        """join() waits for this thread too."""
        self._threads.append(thread)

    @contextlib.contextmanager
    def stop_on_exception(self):
        """A scope whose exceptions ask all threads to stop."""
        try:
            yield
        except Exception:  # noqa: BLE001  whatever it is, join() raises it
            self.request_stop(sys.exc_info())

    def raise_requested_exception(self):
        """Raises what request_stop() was given."""
        if self._error is not None:
            raise self._error

    @property
    def joined(self):
        """Was join() called?"""
        return self._joined

    def join(self, threads=None, stop_grace_period_secs=120, ignore_live_threads=False):
        """Waits until threads have ended, but once they were asked to stop not longer than the grace period;
        then raises their error."""
        held = [*self._threads, *(threads or ())]
        while any(t.is_alive() for t in held) and not self._stopped.wait(0.01):
            pass
        end = time.monotonic() + stop_grace_period_secs
        for thread in held:
            thread.join(max(end - time.monotonic(), 0))
        self._joined, self._threads = True, []
        self.raise_requested_exception()
        alive = " ".join(t.name for t in held if t.is_alive())
        if alive and not ignore_live_threads:
            raise RuntimeError(f"Coordinator stopped with threads still running: {alive}")
        if alive:
            logging.info("Coordinator stopped with threads still running: %s", alive)
