"""A scalar automatic-differentiation engine, built in a book.

The chapters that explain this code are also where it comes from.
"""

from .numeric import derivative as derivative
from .numeric import gradient as gradient
from .numeric import gradcheck as gradcheck
