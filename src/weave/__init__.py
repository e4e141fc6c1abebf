"""How the book is made: tangling, weaving, and the checks."""


class WeaveError(Exception):
    """The book cannot be made as it stands; the message says why."""
