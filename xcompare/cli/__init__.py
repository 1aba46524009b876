"""The command line: each command parses its arguments, calls one public function and prints the result.

Exit statuses are in `xcompare.cli.console`. Slow imports are inside the commands, so that ``xcompare --help``
is fast.
"""

import errno
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Annotated, Any, NoReturn

import typer

from xcompare.cli.benchmarking import BENCH_EXAMPLES, bench
from xcompare.cli.choosing import CHOOSE_K_EXAMPLES, choose_k
from xcompare.cli.comparing import COMPARE_EXAMPLES, compare
from xcompare.cli.console import Status, complain, remark
from xcompare.cli.diagnosing import doctor
from xcompare.cli.explaining import EXPLAIN_EXAMPLES, explain
from xcompare.cli.inspecting import INSPECT_EXAMPLES, inspect
from xcompare.cli.listing import datasets, methods
from xcompare.cli.option_groups import expanded
from xcompare.cli.reporting import REPORT_EXAMPLES, report
from xcompare.cli.reproducing import REPRODUCE_EXAMPLES, reproduce
from xcompare.cli.sweeping import SWEEP_EXAMPLES, sweep
from xcompare.cli.validating import VALIDATE_EXAMPLES, validate
from xcompare.core.errors import XCompareError
from xcompare.version import __version__

# Base class of usage errors; typer only exports a subclass.
UsageError: type[Any] = typer.BadParameter.__bases__[0]

NOT_ALLOWED = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENAMETOOLONG)
OUT_OF_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)

app = typer.Typer(
    name="xcompare",
    help="Which features define the clusters? Compare feature importance methods in Python and R.",
    epilog="Start with: xcompare compare wine. Help on a command: xcompare compare --help.",
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode="rich",
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command(epilog=INSPECT_EXAMPLES)(expanded(inspect))
app.command(epilog=COMPARE_EXAMPLES)(expanded(compare))
app.command(epilog=SWEEP_EXAMPLES)(expanded(sweep))
app.command(epilog=EXPLAIN_EXAMPLES)(expanded(explain))
app.command("choose-k", epilog=CHOOSE_K_EXAMPLES)(expanded(choose_k))
app.command(epilog=VALIDATE_EXAMPLES)(validate)
app.command(epilog=REPORT_EXAMPLES)(report)
app.command(epilog=REPRODUCE_EXAMPLES)(expanded(reproduce))
app.command(epilog=BENCH_EXAMPLES)(expanded(bench))
app.command()(datasets)
app.command()(methods)
app.command()(doctor)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Entry point of the ``xcompare`` script."""
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    os.environ.setdefault("MPLBACKEND", "Agg")  # figures go to files
    if sys.stdout is None:  # closed, as by >&-
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  open until exit
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_, **__: remark(f"note: {message}")
            given = sys.argv[1:] if arguments is None else list(arguments)
            status = app(given, prog_name="xcompare", standalone_mode=False, obj=given)
        sys.stdout.flush()
        return Status(status or Status.OK)
    except UsageError as error:
        complain(error.format_message().replace("Value error, ", ""))  # a prefix of pydantic's
    except XCompareError as error:
        complain(str(error))
    except KeyboardInterrupt:
        return Status.INTERRUPTED
    except BrokenPipeError:
        raise  # the reader closed the pipe
    except OSError as error:
        if error.errno in NOT_ALLOWED and error.filename is not None:
            complain(f"cannot use {error.filename}: {error.strerror}")
        elif error.errno in OUT_OF_ROOM:
            _discard_output()
            complain(f"cannot write to standard output: {error.strerror}")
        else:
            raise
    return Status.REFUSED


def _discard_output() -> None:
    """Discard buffered output, so that the flush at exit does not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"xcompare {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _start(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())
