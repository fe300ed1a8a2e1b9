"""tf.errors. Each is also the Python exception that people expect: a mistake in an argument is a ValueError too."""


class OpError(Exception):
    """Something went wrong in an operation."""

    @property
    def message(self):
        """What went wrong."""
        return str(self)


class InvalidArgumentError(OpError, ValueError):
    """A shape, dtype, name or value that cannot work."""


class _UnknownSizeError(InvalidArgumentError):
    """A size is None, while a function is traced, where its number is needed:
    the function is traced for each size then."""


class _UnknownValueError(InvalidArgumentError):
    """The data of a tensor is asked for that has none yet: a function is traced."""


class ConversionError(TypeError, ValueError):
    """A value that cannot become a tensor."""


class ResourceExhaustedError(OpError, MemoryError):
    """The machine could not give what was asked for."""


class DataLossError(OpError, OSError):
    """A file is broken: the message says where."""


class NotFoundError(OpError, FileNotFoundError):
    """No such file."""


class OutOfRangeError(OpError, StopIteration):
    """There is nothing left to read."""


class FailedPreconditionError(OpError, RuntimeError):
    """Something has to be done first."""


class UnimplementedError(OpError, NotImplementedError):
    """Brio does not do this."""


class InternalError(OpError, RuntimeError):
    """A bug in Brio; please report it."""


class CancelledError(OpError):
    """Somebody stopped it."""


class OperatorNotAllowedInGraphError(TypeError):
    """A tensor of a graph was used where a value is needed."""


class AbortedError(OpError):
    """It was broken off, as another did the same at once."""


class AlreadyExistsError(OpError, FileExistsError):
    """What is to be made is there."""


class DeadlineExceededError(OpError, TimeoutError):
    """The time was over."""


class PermissionDeniedError(OpError, PermissionError):
    """Whoever asks may not do it."""


class UnauthenticatedError(OpError):
    """Nobody knows who asks."""


class UnavailableError(OpError, ConnectionError):
    """It cannot be reached now."""


class UnknownError(OpError):
    """Something else."""


# The numbers that protocols have for them.
_CODES = """OK CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED
            RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS
            UNAUTHENTICATED"""
globals().update({name: number for number, name in enumerate(_CODES.split())})
