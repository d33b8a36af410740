"""Handwritten Ascend C to kernel objects of the emulated device.

``compile_kernel`` compiles a kernel source with clang against our kernel_operator.h (emulator/ascendc) and
links an object of the same contract as those of our hivmc: ``tw_entry_NAME``, metadata, undefined tw_isa_*
and tw_core_* symbols. Run, check and time modes then work on it as on compiled operators. A real device's
binary of the same source is made by CANN (docs/ascendc.md).
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from tilewright import folders, native, settings
from tilewright.errors import CompileError, Location, UsageError

#: Flags of every compilation. Scalar arithmetic must not be re-associated or contracted: compensated sums. A
#: sibling call would leave its caller's caller as the place of an instruction.
FLAGS = (
    "-std=c++17", "-O1", "-gline-tables-only", "-fPIC", "-fno-exceptions", "-fno-rtti", "-ffp-contract=off",
    "-fno-math-errno", "-fno-optimize-sibling-calls", "-march=x86-64-v2", "-mavx", "-mf16c", "-Wall",
    "-Wextra", "-Wno-unused-parameter",
)  # fmt: skip
_LINK = (
    "-shared", "--gc-sections", "-Bsymbolic", "--hash-style=gnu", "--build-id=none", "-z", "noexecstack",
)  # fmt: skip

_SCALARS = {
    "uint64_t": ("i64", 8), "int64_t": ("i64", 8), "uint32_t": ("i32", 4), "int32_t": ("i32", 4),
    "int": ("i32", 4), "float": ("f32", 4), "half": ("f16", 2), "uint16_t": ("i16", 2), "int16_t": ("i16", 2),
    "uint8_t": ("i8", 1), "int8_t": ("i8", 1),
}  # fmt: skip
_ENTRY = re.compile(
    r"__global__\s+(?:__vector__\s+)?__aicore__\s+(?:__vector__\s+)?void\s+(\w+)\s*\(([^)]*)\)", re.S
)
_DIAGNOSTIC = re.compile(r"^(.+?):(\d+):\d+: (?:fatal )?error: (.+)$", re.M)


class Parameter(NamedTuple):
    """A parameter of a kernel entry: its kind in the metadata (pointer, workspace, scalar), type, place."""

    name: str
    kind: str
    role: str
    type: str
    offset: int
    size: int


def include_folder() -> Path:
    """The folder with our kernel_operator.h.

    Raises:
        CompileError: TW3201 if it is not installed.
    """
    installed = native.root() / "ascendc"
    source = Path(__file__).parents[3] / "emulator" / "ascendc"
    for folder in (source, installed):
        if (folder / "kernel_operator.h").is_file():
            return folder
    raise CompileError(
        "TW3201",
        "the Ascend C headers of tilewright are not installed",
        expected=f"kernel_operator.h in {installed}",
        hint="build and install the package again (./dev setup)",
    )


@lru_cache(maxsize=8)
def _tool(chosen: str | None, names: tuple[str, ...], package: str) -> str:
    for name in (chosen,) if chosen else names:
        found = shutil.which(name) if name else None
        if found:
            return found
    raise CompileError(
        "TW3201",
        f"{chosen or names[0]} is not on PATH",
        hint=f"install {package}" + (", or correct TILEWRIGHT_CLANG" if chosen else ""),
    )


def _clang() -> str:
    return _tool(settings.clang(), ("clang++-19", "clang++"), "clang-19")


def _linker() -> str:
    return _tool(settings.linker(), ("ld.lld-19", "ld.lld"), "lld-19")


def run_tool(command: Sequence[str], what: str) -> str:
    """Run a compiler; its output.

    Raises:
        CompileError: TW3200 with the first diagnostic and its place.
    """
    try:
        result = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=settings.timeout_seconds()
        )
    except subprocess.TimeoutExpired as error:
        raise CompileError(
            "TW3200", f"{what}: the compiler did not finish", hint="raise TILEWRIGHT_TIMEOUT"
        ) from error
    if result.returncode == 0:
        return result.stdout
    found = _DIAGNOSTIC.search(result.stderr)
    if found is None:
        text = result.stderr.strip() or f"exit status {result.returncode}"
        raise CompileError("TW3200", f"{what}: {text[-2000:]}")
    place = Location(found[1], int(found[2]))
    # In our headers the line of the kernel is what helps; clang names it in a note.
    for note in re.finditer(r"^(.+?):(\d+):\d+: note: in instantiation of", result.stderr, re.M):
        if Path(place.file).parent.name == "ascendc":
            place = Location(note[1], int(note[2]))
    count = result.stderr.count("error:")
    full = f"clang's {count} errors in full:\n{result.stderr.rstrip()}" if count > 1 else ""
    raise CompileError("TW3200", f"{what}: {found[3]}", location=place, hint=full)


def parameters(source: Path, entry: str | None = None) -> tuple[str, list[Parameter]]:
    """Name and parameters of the kernel entry in a source file.

    Raises:
        UsageError: TW5305 if there is none, or several and no name.
        CompileError: TW3202 for a parameter type that a launch cannot carry.
    """
    try:
        text = source.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError("TW5305", f"the kernel source {source} cannot be read: {error}") from error
    found = {match[1]: match for match in _ENTRY.finditer(text)}
    if entry is None and len(found) == 1:
        entry = next(iter(found))
    if entry is None or entry not in found:
        raise UsageError(
            "TW5305",
            f"{source} has {'no' if entry is None and not found else f'{len(found)}'} kernel entries"
            + (f", none of them {entry}" if entry else ""),
            expected='extern "C" __global__ __aicore__ void NAME(GM_ADDR ...)',
            hint=", ".join(sorted(found)),
        )
    match = found[entry]
    line = text.count("\n", 0, match.start()) + 1
    at, result = 0, list[Parameter]()
    for word in filter(None, (part.strip() for part in match[2].split(","))):
        type_, _, name = word.replace("*", "* ").rpartition(" ")
        bare = " ".join(w for w in type_.split() if w != "const")
        if bare == "GM_ADDR" or (bare.startswith("__gm__") and bare.endswith("*")):
            kind, kernel_type, size = ("workspace" if name == "workspace" else "pointer"), "ptr", 8
        elif bare in _SCALARS:
            kind, (kernel_type, size) = "scalar", _SCALARS[bare]
        else:
            raise CompileError(
                "TW3202",
                f"parameter {name} of kernel {entry} has the type {bare}",
                expected="GM_ADDR, a __gm__ pointer, or an integer or float type of fixed width",
                location=Location(str(source), line),
            )
        at = -(-at // size) * size
        role = {"tiling": "tiling_data", "workspace": "workspace"}.get(name, "")
        result.append(Parameter(name, kind, role, kernel_type, at, size))
        at += size
    return entry, result


def _wrapper(source: Path, entry: str, described: Sequence[Parameter]) -> str:
    size = -(-max((p.offset + p.size for p in described), default=0) // 8) * 8
    metadata = {
        "format": 1,
        "target": "",
        "kernels": [
            {
                "name": entry,
                "args": [
                    {"name": p.name, "kind": p.kind, "role": p.role, "type": p.type, "offset": p.offset,
                     "size": p.size}
                    for p in described
                ],
                "args_size": size,
            }
        ],
        "host_functions": [],
        "instructions": [],
        "ub_bytes": 0,
        "tool": "tilewright ascendc",
        "library_hash": "",
        "source_hash": "",
    }  # fmt: skip
    text = json.dumps(metadata, separators=(",", ":"))
    return f"""\
#include "{source}"

// The packed arguments of a launch, read with the parameter types of the kernel itself.
template <class T> static T tw_read(const char *from) {{
  if constexpr (std::is_pointer_v<T>)
    return (T)*reinterpret_cast<const uint64_t *>(from);
  else
    return *reinterpret_cast<const T *>(from);
}}
template <class... A, size_t... I>
static void tw_call(void (*kernel)(A...), const char *args, const uint64_t *at,
                    std::index_sequence<I...>) {{
  kernel(tw_read<A>(args + at[I])...);
}}
template <class... A> static void tw_unpack(void (*kernel)(A...), const void *args, const uint64_t *at) {{
  tw_call(kernel, static_cast<const char *>(args), at, std::index_sequence_for<A...>());
}}
extern "C" __attribute__((visibility("default"))) void tw_entry_{entry}(const void *args) {{
  static constexpr uint64_t at[] = {{{", ".join(str(p.offset) for p in described)}}};
  tw_unpack({entry}, args, at);
}}
extern "C" __attribute__((visibility("default"), used, section(".tilewright")))
const char tw_kernel_metadata[] = R"json({text})json";
"""


def cache_folder() -> Path:
    """Where compiled kernels and host libraries are kept. Raises UsageError TW5001 if it cannot be made."""
    if not settings.cache_enabled():
        return _private_folder()
    folder = settings.cache_dir() / "ascendc"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            "TW5001",
            f"the cache folder {folder} cannot be written: {error.strerror or error}",
            hint="set TILEWRIGHT_CACHE_DIR to a folder you may write, or TILEWRIGHT_CACHE=off",
        ) from error
    return folder


@lru_cache(maxsize=1)
def _private_folder() -> Path:
    import atexit

    folder = folders.work_folder()
    atexit.register(folders.remove, folder)
    return folder


@lru_cache(maxsize=4)
def _digest(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def build(source_text: str, flags: Sequence[str], what: str, *, suffix: str, exports: bool) -> Path:
    """Compile and link one translation unit into the cache; the same contents are compiled once.

    Args:
        source_text: the unit.
        flags: flags of clang, include folders among them.
        what: for messages.
        suffix: of the file.
        exports: keep default visibility (host libraries).

    Raises:
        CompileError: TW3200, TW3201.
    """
    clang, linker = _clang(), _linker()
    work = folders.work_folder()
    try:
        unit = work / "unit.cpp"
        unit.write_text(source_text, encoding="utf-8")
        chosen = [*flags] if exports else ["-fvisibility=hidden", *flags]
        # The preprocessed text holds everything the object depends on; its line markers keep debug places.
        expanded = run_tool([clang, *chosen, "-E", "-o", "-", str(unit)], what)
        expanded = expanded.replace(str(work), "")
        tools = [clang] if exports else [clang, _digest(str(native.path(native.HIVMC)))]
        key = hashlib.sha256("\0".join([*tools, *chosen, *_LINK, expanded]).encode()).hexdigest()
        result = cache_folder() / f"{key}{suffix}"
        if result.exists():
            return result
        if settings.compile_forbidden():
            raise CompileError("TW3040", f"{what} is not in the cache and TILEWRIGHT_FORBID_COMPILE is set")
        if exports:
            run_tool([clang, *chosen, "-c", "-o", str(work / "unit.o"), str(unit)], what)
        else:
            # hivmc adds the form that tells of scalar code, as it does for compiled kernels.
            run_tool([clang, *chosen, "-emit-llvm", "-c", "-o", str(work / "unit.bc"), str(unit)], what)
            hivmc = str(native.path(native.HIVMC))
            run_tool([hivmc, "--tw-observe", str(work / "unit.bc"), "-o", str(work / "unit.o")], what)
        run_tool([linker, *_LINK, "-o", str(work / "linked"), str(work / "unit.o")], f"{what} (link)")
        (work / "linked").chmod(0o755)
        partial = result.with_name(f"{result.name}.{os.getpid()}.tmp")
        shutil.copyfile(work / "linked", partial)
        partial.replace(result)
        return result
    finally:
        folders.remove(work)


def compile_kernel(
    source: str | Path,
    *,
    entry: str | None = None,
    defines: Mapping[str, str | int] | None = None,
    includes: Sequence[str | Path] = (),
    tiling_key: int = 0,
) -> tuple[Path, str]:
    """Compile an Ascend C kernel for the emulated device.

    Args:
        source: the op_kernel file with the entry.
        entry: name of the kernel; None for the only one.
        defines: macros, for instance ``{"DTYPE_X": "half"}``.
        includes: more include folders.
        tiling_key: value for ``TILING_KEY_IS``.

    Returns:
        The object's path and the entry's name.

    Raises:
        UsageError: TW5305 if the source has no such entry; TW5001.
        CompileError: TW3200 (clang's first error, with its place), TW3201 (no clang, no headers), TW3202.
    """
    path = Path(source).absolute()
    name, described = parameters(path, entry)
    macros = {**(defines or {}), "TILING_KEY_VAR": tiling_key}
    flags = [*FLAGS, *(f"-D{key}={value}" for key, value in macros.items())]
    flags += [f"-I{folder}" for folder in (include_folder(), *includes)]
    made = build(
        "#include <type_traits>\n#include <utility>\n" + _wrapper(path, name, described),
        flags, f"kernel {name}", suffix=".o", exports=False,
    )  # fmt: skip
    return made, name
