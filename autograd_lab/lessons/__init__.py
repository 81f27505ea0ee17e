"""What a lesson notebook is written with: predict, then reveal; exercises that check themselves; hints; progress.

All of it works with numpy alone, in plain Python and in the browser; where widgets live, questions stand in the player.
"""

from autograd_lab.lessons.ask import check, hint, predict, task
from autograd_lab.lessons.figures import drag, figure, strip
from autograd_lab.lessons.overview import overview
from autograd_lab.lessons.quiz import quiz
from autograd_lab.lessons.reveal import reveal
from autograd_lab.lessons.spacing import review
from autograd_lab.lessons.world import world
from autograd_lab.recording.iterations.record import record

__all__ = [
    "check",
    "drag",
    "figure",
    "hint",
    "overview",
    "predict",
    "quiz",
    "record",
    "reveal",
    "review",
    "strip",
    "task",
    "world",
]
