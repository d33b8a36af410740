"""Parsing, dispatch, and errors of the command line.

Exit status: 0 done; 1 a comparison failed, ``check`` found a hazard, ``verify`` a wrong pass, or ``doctor``
something broken; 2 a coded error, on standard error, or with ``--json`` as a JSON object on standard output.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

import tilewright
from tilewright.errors import TilewrightError, UsageError, nearest

_COMMANDS = {
    "ops": "list the operators, or describe one",
    "run": "compile an operator, run it on the emulated device, compare with float64",
    "check": "run an operator in check mode: races, flags, bounds, unwritten bytes",
    "verify": "execute the IR after every pass and name the first wrong one",
    "plan": "cores, groups, tiles, traffic and buffers of a call, without running it",
    "trace": "model the time of a call on the device, optionally as a Chrome trace or a page",
    "ub": "the unified buffer of a call: buffers, what lives when, the peak",
    "calibrate": "replay published measurements through the timing model",
    "exec": "run a kernel of an object or a module file, whoever wrote it",
    "ascendc": "compile a handwritten Ascend C kernel to an object for `exec`",
    "validate": "an operator and its handwritten reference on the same inputs",
    "bench": "compiled kernels against handwritten ones and the stock compiler's schedules",
    "compile": "compile an operator to a folder, every stage on request",
    "export": "kernels, plans, a C header and a launcher for programs without Python",
    "emulate": "run a program with an emulated CANN: torch_npu works without a device",
    "doctor": "versions and health of everything; the instructions the emulator knows",
}


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are coded."""

    def error(self, message: str) -> NoReturn:
        raise UsageError("TW5005", message, expected=" ".join(self.format_usage().split()[1:]))


def _add_call_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("operator", metavar="OP", help="an operator's name, see `tilewright ops`")
    parser.add_argument("--shape", metavar="N,N,...", help='shape of the data; "" for a 0-dimensional tensor')
    parser.add_argument(
        "--shape-of", metavar="NAME=N,...", action="append", default=[], help="shape of one tensor"
    )
    parser.add_argument(
        "--dtype", default=None, help="f32, f16, bf16, or what the operator takes (default f32)"
    )
    parser.add_argument(
        "--dtype-of", metavar="NAME=TYPE", action="append", default=[], help="type of one tensor"
    )
    parser.add_argument("--with", dest="present", metavar="NAME", action="append", default=[],
                        help="give this optional input too")  # fmt: skip
    parser.add_argument(
        "--attr", metavar="NAME=VALUE", action="append", default=[], help="an attribute's value"
    )
    parser.add_argument(
        "--target", default=None, help="a target of `tilewright doctor` (default Ascend910B4)"
    )
    parser.add_argument(
        "--hivmc", default=None, help="ours, cann, or a path (default TILEWRIGHT_HIVMC or ours)"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")


def _add_tiling_options(parser: argparse.ArgumentParser) -> None:
    """The user's numbers instead of the planner's."""
    parser.add_argument("--cores", type=int, default=None, help="blocks to launch")
    parser.add_argument("--tile", type=int, default=None, help="elements of a tile (element-wise operators)")
    parser.add_argument(
        "--schedule", metavar="NAME", default=None,
        help="schedule of an operator over channels: rows, lanes or folded, with -resident or -resident2",
    )  # fmt: skip
    parser.add_argument("--group", type=int, default=None, help="channels of a group")
    parser.add_argument("--tile-rows", type=int, default=None, help="rows of a tile")
    parser.add_argument("--tile-cols", type=int, default=None, help="columns of a tile (schedule rows)")


def _add_run_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, default=0, help="seed of the random inputs (default 0)")
    parser.add_argument("--inputs", metavar="FILE.npz", help="inputs by name instead of random ones")
    _add_tiling_options(parser)
    parser.add_argument(
        "--threads", type=int, default=None, help="host threads of the emulation, 0 for all cores"
    )


def _add_trace_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-o", "--output", metavar="FILE.json", help="write a Chrome trace there")
    parser.add_argument(
        "--html",
        metavar="FILE.html",
        help="write a page of pipes and UB over time there; needs no network",
    )
    parser.add_argument(
        "--trace-cores", type=int, default=4, help="cores in the Chrome trace, the first ones (default 4)"
    )
    parser.add_argument(
        "--trace-events", type=int, default=100_000, help="most events of the Chrome trace (default 100000)"
    )
    parser.add_argument(
        "--cache", choices=("cold", "warm"), default="cold", help="where the data is in the Chrome trace"
    )
    parser.add_argument(
        "--samples", type=int, default=24, help="sets of constants for the interval (default 24)"
    )
    parser.add_argument("--profile", metavar="FILE.json", help="constants instead of the target's own")
    parser.add_argument(
        "--constant", metavar="NAME=VALUE", action="append", default=[], help="fix a constant of the model"
    )


def _add_exec_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", metavar="FILE", help="kernel object, final module, or module for bishengir-compile"
    )
    parser.add_argument("--args", metavar="NAME=VALUE", nargs="*", default=[],
                        help="the kernel's arguments in order: NAME=@KEY (of --inputs), "
                        "NAME=zeros|ones|random:TYPE:SHAPE, NAME=NUMBER:TYPE")  # fmt: skip
    parser.add_argument("--inputs", metavar="FILE.npz", help="arrays for @KEY")
    parser.add_argument("--output", metavar="FILE.npz", help="write every array there after the launch")
    parser.add_argument(
        "--grid", metavar="X[,Y[,Z]]", help="blocks (default what the kernel was compiled for, or 1)"
    )
    parser.add_argument("--kernel", metavar="NAME", help="which kernel, if the file has several")
    parser.add_argument(
        "--flags", metavar="WORDS", help="options of bishengir-compile instead of those chosen"
    )
    parser.add_argument(
        "--mode", choices=("fast", "check", "time"), default="fast",
        help="values, hazards (docs/check.md), or modelled time (docs/timing.md)",
    )  # fmt: skip
    parser.add_argument("--check", metavar="NAME=VALUE", action="append", default=[],
                        help="an option of check mode")  # fmt: skip
    parser.add_argument("--trace", metavar="FILE.json", help="with --mode time: write a Chrome trace there")
    parser.add_argument("--html", metavar="FILE.html", help="with --mode time: write a page there")
    parser.add_argument("--accept-defects", action="store_true",
                        help="run modules that the stock compiler is known to get wrong")  # fmt: skip
    parser.add_argument("--workspace", metavar="BYTES", type=int, default=None,
                        help="workspace of all blocks instead of what the kernel asks for")  # fmt: skip
    parser.add_argument("--seed", type=int, default=0, help="seed of random arrays (default 0)")
    parser.add_argument(
        "--threads", type=int, default=None, help="host threads of the emulation, 0 for all cores"
    )
    parser.add_argument(
        "--target", default=None, help="a target of `tilewright doctor` (default Ascend910B4)"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")


def _add_export_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("operators", metavar="OP", nargs="+", help="operators, see `tilewright ops`")
    parser.add_argument("-o", "--output", metavar="DIR", required=True, help="folder to write")
    parser.add_argument("--shape", dest="shapes", metavar="N,N,...", action="append", default=[],
                        help="shape of the data, once for each plan")  # fmt: skip
    parser.add_argument(
        "--shape-of", metavar="NAME=N,...", action="append", default=[], help="shape of one tensor"
    )
    parser.add_argument("--dtype", default=None, help="types, separated by commas (default f32)")
    parser.add_argument(
        "--dtype-of", metavar="NAME=TYPE", action="append", default=[], help="type of one tensor"
    )
    parser.add_argument("--with", dest="present", metavar="NAME", action="append", default=[],
                        help="give this optional input too")  # fmt: skip
    parser.add_argument(
        "--attr", metavar="NAME=VALUE", action="append", default=[], help="an attribute's value"
    )
    parser.add_argument("--target", default=None, help="targets, separated by commas (default Ascend910B4)")
    parser.add_argument("--hivmc", default=None, help="ours, cann, or a path")
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")


def _add_emulate_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--devices", type=int, default=None, help="emulated devices, 1 to 8 (default 1)")
    parser.add_argument("--target", default=None, help="the part that programs see (default Ascend910B4)")
    parser.add_argument(
        "--memory", default=None, help="bytes of a device, with K, M or G (default the part's)"
    )
    parser.add_argument(
        "--strict", action="store_true", default=None, help="host code cannot touch device memory"
    )
    parser.add_argument(
        "--poison", action="store_true", default=None, help="fill new device memory with 0xA5"
    )
    parser.add_argument(
        "--check", action="store_true", default=None, help="run kernels in check mode; a hazard is an error"
    )
    parser.add_argument("--no-fallback", action="store_true", help="no host implementation of aten operators")
    parser.add_argument("program", metavar="PROGRAM", nargs=argparse.REMAINDER, help="-- PROGRAM ARGUMENT...")


def _add_ascendc_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE.cpp", help="the op_kernel source with the entry")
    parser.add_argument("-o", "--output", metavar="FILE.o", help="where to put the object")
    parser.add_argument("--entry", metavar="NAME", help="which kernel, if the file has several")
    parser.add_argument(
        "-D", "--define", metavar="NAME=VALUE", action="append", default=[], help="a macro (DTYPE_X=half)"
    )
    parser.add_argument(
        "-I", "--include", metavar="FOLDER", action="append", default=[], help="a folder of headers"
    )
    parser.add_argument("--tiling-key", type=int, default=0, help="value for TILING_KEY_IS (default 0)")
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")


def _add_bench_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=("contest",), help="contest: see docs/contest.md")
    parser.add_argument(
        "--suite", choices=("small", "full"), default="small", help="rows to run (default small)"
    )
    parser.add_argument(
        "--target", default=None, help="a target of `tilewright doctor` (default Ascend910B4)"
    )
    parser.add_argument(
        "--markdown", metavar="FILE.md", help="write the table there; between its marks, if the file has them"
    )
    parser.add_argument("--picture", metavar="FILE.svg", help="write a picture of the ratios there")
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")


def _parser() -> _Parser:
    parser = _Parser(prog="tilewright", description="Ascend NPU operators from Python to an emulated 910B.")
    parser.add_argument("--version", action="version", version=f"tilewright {tilewright.__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    for name, help_ in _COMMANDS.items():
        commands.add_parser(name, help=help_, description=help_)
    ops, run, check, verify, plan, trace, ub, calibrate, exec_, ascendc, validate, bench = (
        commands.choices[name] for name in list(_COMMANDS)[:12]
    )
    compile_, export, emulate, doctor = (commands.choices[name] for name in list(_COMMANDS)[12:])

    ops.add_argument("operator", metavar="OP", nargs="?", help="describe this operator")
    ops.add_argument("--json", action="store_true", help="one JSON object on standard output")

    _add_export_options(export)
    _add_emulate_options(emulate)

    _add_call_options(run)
    _add_run_options(run)
    run.add_argument("--outputs", metavar="FILE.npz", help="write the results there")

    _add_call_options(check)
    _add_run_options(check)
    check.add_argument(
        "--check", metavar="NAME=VALUE", action="append", default=[],
        help="an option of check mode, see docs/check.md",
    )  # fmt: skip

    _add_call_options(verify)
    _add_run_options(verify)

    _add_call_options(plan)
    _add_tiling_options(plan)

    _add_call_options(trace)
    _add_run_options(trace)
    _add_trace_options(trace)

    _add_call_options(ub)
    _add_run_options(ub)

    calibrate.add_argument("--data", metavar="FOLDER", help="other figures of the same form")
    calibrate.add_argument("--profile", metavar="FILE.json", help="other constants than A2-calibration")
    calibrate.add_argument("--json", action="store_true", help="one JSON object on standard output")

    _add_exec_options(exec_)
    _add_ascendc_options(ascendc)

    _add_call_options(validate)
    _add_run_options(validate)
    validate.add_argument(
        "--rule", choices=("tight", "gate"), default="tight", help="tolerances (default tight)"
    )
    validate.add_argument("--no-time", action="store_true", help="do not model the time of the two")

    _add_bench_options(bench)

    _add_call_options(compile_)
    compile_.add_argument("-o", "--output", metavar="DIR", required=True, help="folder for the results")
    compile_.add_argument(
        "--schedule", metavar="NAME", default=None,
        help="schedule of an operator over channels (default what --shape needs)",
    )  # fmt: skip
    compile_.add_argument(
        "--save-stages", action="store_true", help="also write the IR of every stage, numbered"
    )

    doctor.add_argument("--isa", action="store_true", help="the device instructions of the emulator")
    doctor.add_argument("--json", action="store_true", help="one JSON object on standard output")
    return parser


def _check_command(arguments: Sequence[str]) -> None:
    # argparse's own message lists all choices; the nearest names help more.
    first = next((word for word in arguments if not word.startswith("-")), None)
    if first is not None and first not in _COMMANDS:
        raise UsageError("TW5005", f"unknown command {first!r}", hint=nearest(first, _COMMANDS))


def _dispatch(options: argparse.Namespace) -> int:
    # Imported when used: `doctor` has to work where an import of another command fails.
    if options.command == "ops":
        from tilewright.cli import ops

        return ops.main(options)
    if options.command == "run":
        from tilewright.cli import run

        return run.main(options)
    if options.command == "check":
        from tilewright.cli import check

        return check.main(options)
    if options.command == "verify":
        from tilewright.cli import verify

        return verify.main(options)
    if options.command == "plan":
        from tilewright.cli import plan

        return plan.main(options)
    if options.command == "trace":
        from tilewright.cli import trace

        return trace.main(options)
    if options.command == "ub":
        from tilewright.cli import ub

        return ub.main(options)
    if options.command == "calibrate":
        from tilewright.cli import calibrate

        return calibrate.main(options)
    if options.command == "exec":
        from tilewright.cli import exec

        return exec.main(options)
    if options.command == "ascendc":
        from tilewright.cli import ascendc

        return ascendc.main(options)
    if options.command == "validate":
        from tilewright.cli import validate

        return validate.main(options)
    if options.command == "bench":
        from tilewright.cli import bench

        return bench.main(options)
    if options.command == "compile":
        from tilewright.cli import compile

        return compile.main(options)
    if options.command == "export":
        from tilewright.cli import export

        return export.main(options)
    if options.command == "emulate":
        from tilewright.cli import emulate

        return emulate.main(options)
    from tilewright.cli import doctor

    return doctor.main(options)


def emit(data: object) -> None:
    """Print one JSON object. Numbers that JSON lacks become the strings "nan", "inf", "-inf"."""
    print(json.dumps(_finite(data), indent=2))


def _finite(data: object) -> object:
    if isinstance(data, float) and (data != data or data in (float("inf"), float("-inf"))):
        return str(data)
    if isinstance(data, dict):
        return {str(key): _finite(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [_finite(value) for value in data]
    return data


def _refuse(error: TilewrightError, as_json: bool) -> int:
    if as_json:
        emit(error.as_dict())
    else:
        print(error, file=sys.stderr)
    return 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    as_json = "--json" in words
    try:
        _check_command(words)
        parser = _parser()
        options = parser.parse_args(words)
        if options.command is None:
            parser.print_help()
            return 0
        return _dispatch(options)
    except TilewrightError as error:
        return _refuse(error, as_json)
    except MemoryError as error:
        what = f"this machine has not enough memory{': ' if str(error) else ''}{error}"
        return _refuse(UsageError("TW5009", what, hint="give a smaller --shape"), as_json)
    except BrokenPipeError:
        # The reader (for example `head`) has gone; Python would complain again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
