"""The faults that a person can mend, for everything in labeling.

Adds to the faults of metrics those that need people, roles and stored things.
"""

from metrics.errors import AssayError, InputError, InputErrors, MeasureError

__all__ = [
    "AssayError",
    "Conflict",
    "InputError",
    "InputErrors",
    "MeasureError",
    "NotAllowed",
    "NotFound",
    "StorageError",
]


class NotAllowed(AssayError):
    """The person's role does not permit this."""


class NotFound(AssayError):
    """No such project, pair, rater or file."""


class Conflict(AssayError):
    """Something changed in between, or a name is taken."""


class StorageError(AssayError):
    """The database cannot be reached, read or written now; the same may work later."""
