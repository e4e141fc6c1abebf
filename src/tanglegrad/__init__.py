"""A scalar automatic-differentiation engine, built in a book.

The chapters that explain this code are also where it comes from.
"""

from .numeric import derivative as derivative
from .numeric import gradient as gradient
from .numeric import gradcheck as gradcheck
from . import numeric
from .engine import Value as Value
from .engine import dot as dot
from .engine import total as total
from .nn import Module as Module
from .nn import Neuron as Neuron
from .nn import Layer as Layer
from .nn import MLP as MLP
from .optim import SGD as SGD
from .optim import Adam as Adam
from .optim import Optimizer as Optimizer
from .nn import cross_entropy as cross_entropy
from .nn import softmax as softmax
from .replay import Replay as Replay
from .replay import record as record

numeric.leaf = Value
