"""Text of errors, warnings and other objects, made safe to store and display."""

from typing import Any


def plain_text(value: Any) -> str:
    """Any object as UTF-8 text, even if its own ``str`` fails.

    Examples
    --------
    >>> plain_text("half a pair: \\ud800")
    'half a pair: \\\\ud800'
    """
    try:
        text = value if type(value) is str else str(value)
    except BaseException:  # __str__ of a third-party class may raise anything
        text = f"<{type(value).__name__} that has no text>"
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def error_text(error: BaseException) -> str:
    """Type and message of an error.

    Examples
    --------
    >>> error_text(ValueError("not today"))
    'ValueError: not today'
    """
    message = plain_text(error)
    return f"{type(error).__name__}: {message}" if message else type(error).__name__
