"""Whether the program records: what can be seen of its modes, and what must be asked."""

from __future__ import annotations

import torch

from autograd_lab.recording.settings import Settings


class GradMode:
    """Whether the program has recording `enabled`, and whether inference mode is on.

    `is_due` is whether the mode may have been switched without being told of.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.enabled = self._told = torch.is_grad_enabled()
        self._inference = torch.is_inference_mode_enabled()
        self.is_due = False

    def has_news(self) -> bool:
        """Whether there may be something to tell."""
        return self.is_due or torch.is_inference_mode_enabled() != self._inference

    def look(self) -> None:
        """Tell of the mode if that was switched by what is not told, or by what cannot be seen: inference mode."""
        if torch.is_inference_mode_enabled() != self._inference:
            self._inference = not self._inference
            self.enabled = torch.is_grad_enabled()
        elif not self.is_due:
            return
        self.is_due = False
        if self.enabled != self._told:
            self.tell(self.enabled)

    def tell(self, enabled: bool) -> None:
        """The program has switched the mode."""
        self._told = enabled
        self._settings.grad_mode_changed(enabled)
