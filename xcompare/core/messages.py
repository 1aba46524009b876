"""Texts from elsewhere made fit to be stored and shown: of errors, warnings and whatever methods print."""

from typing import Any


def plain_text(value: Any) -> str:
    """Any object as text that can be written as UTF-8, also where its own ``str`` fails.

    Examples
    --------
    >>> plain_text("half a pair: \\ud800")
    'half a pair: \\\\ud800'
    """
    try:
        text = value if type(value) is str else str(value)
    except BaseException:  # code of a stranger: it may raise anything
        text = f"<{type(value).__name__} that has no text>"
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def error_text(error: BaseException) -> str:
    """Kind and message of an error.

    Examples
    --------
    >>> error_text(ValueError("not today"))
    'ValueError: not today'
    """
    message = plain_text(error)
    return f"{type(error).__name__}: {message}" if message else type(error).__name__
