"""Ctrl-C, SIGTERM and SIGHUP as a request: what is under way is brought to a point from which it can go on."""

import signal
import threading
from types import FrameType
from typing import Any, Self

_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class Stopping:
    """While entered, the first signal is taken note of; the second stops at once."""

    def __init__(self) -> None:
        self.by: int | None = None  # the signal that asked to stop
        self._before: dict[int, Any] = {}

    @property
    def exit_code(self) -> int:
        """As a shell has it: 130 after Ctrl-C, 143 after SIGTERM."""
        return 128 + (signal.SIGINT if self.by is None else self.by)

    def _asked(self, number: int, frame: FrameType | None) -> None:
        if self.by is not None:
            raise KeyboardInterrupt
        self.by = number

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():  # nobody else hears signals
            heard = (number for number in _SIGNALS if signal.getsignal(number) != signal.SIG_IGN)  # nohup, and others
            self._before = {number: signal.signal(number, self._asked) for number in heard}
        return self

    def __exit__(self, *problem: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
