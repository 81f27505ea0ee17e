"""Infinities and NaNs are results, as in PyTorch: of those in this engine nobody is warned, by whatever filters.

numpy would warn of them, and `np.errstate` costs more than most ops. A filter of warnings costs next to nothing, as
long as it is the first one: a program may put its own in front any time, by `warnings.simplefilter("error")`, say.
"""

import warnings

warnings.filterwarnings(
    "ignore", category=RuntimeWarning, module=r"autograd_lab\.(engine|autograd|nn|optim|linalg|distributions|func)"
)
QUIET = warnings.filters[0]
"""What is to be the first filter. Ops look themselves whether it is, since a call would take them longer."""


def quieten() -> None:
    """Have Python ask this filter before any of the program's."""
    filters: list[object] = warnings.filters  # type: ignore[assignment]  # for readers it is any sequence
    filters[:] = QUIET, *(each for each in filters if each is not QUIET)


def be_quiet() -> None:
    """Have it asked first where it is not, before numbers are made that may be infinite; for what is no op."""
    if (warnings.filters or (None,))[0] is not QUIET:
        quieten()
