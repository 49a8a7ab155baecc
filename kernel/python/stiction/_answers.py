"""What answers have in common, wherever they are."""

from functools import cached_property

import numpy as np

from . import _native

_STATUS = np.array(_native.STATUS_WORDS)
_REASON = np.array(_native.REASON_WORDS)
_METHOD = np.array(_native.METHOD_WORDS)
STATE = np.array(_native.STATE_WORDS)
#: Words of statuses below this one are those of problems that were solved; itself, of those that were rejected.
SOLVED = len(_native.STATUS_WORDS) - 2


class Answers:
    """What all answers have. Arrays of words are made when they are asked for."""

    errors: dict

    def _codes(self, name):
        raise NotImplementedError

    @cached_property
    def status(self):
        """Why each solve ended: "converged", "sweep_limit", "deadline", or "rejected"."""
        return _STATUS[self._codes("status")]

    @cached_property
    def reason(self):
        """The same in more words: "guarded" and "bounce_dropped" beside "sweep_limit"."""
        return _REASON[self._codes("status")]

    @cached_property
    def method(self):
        """How each problem was solved; "" for one that was not."""
        is_solved = self._codes("status") < SOLVED
        return np.where(is_solved, _METHOD[np.where(is_solved, self._codes("method"), 0)], "")

    def __len__(self):
        return len(self._codes("status"))

    def __repr__(self):
        words, counts = np.unique(self.status, return_counts=True)
        listed = ", ".join(f"{count} {word}" for word, count in zip(words, counts))
        return f"<{type(self).__name__}: {listed or 'no problems'}>"
