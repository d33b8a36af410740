"""From a final module, as ``bishengir-compile --save-temps`` leaves it, to a kernel object of our hivmc."""

from __future__ import annotations

import shutil

from tilewright import folders, settings, wheel
from tilewright.toolchain import FINAL_MODULE, bundle, hivmc, process
from tilewright.toolchain.failure import coded_error, tool_error


def is_final(text: str) -> bool:
    """Whether ``text`` is a final module: library calls instead of vector operations, placed buffers."""
    return "hivm.aiv_bitcode" in text or ("llvm.emit_c_interface" in text and "hivm.hir.pointer_cast" in text)


def translate(text: str, *, hivmc_choice: str | None = None, timeout: float | None = None) -> bytes:
    """The kernel object of a final module.

    The template library is the one of the installed wheel: a module that was made elsewhere names a path of
    that machine.

    Raises:
        CompileError: TW3001..TW3004 for missing parts, TW3010..TW3014, TW31nn for what hivmc refuses.
        UsageError: TW5001 if there is no temporary folder.
    """
    tools = wheel.locate()
    chosen = hivmc.choose(hivmc_choice)
    work = folders.work_folder()
    try:
        source, output = work / FINAL_MODULE, work / "kernel.o"
        source.write_text(text, encoding="utf-8")
        options = (f"--tw-library={tools.vector_library}",) if chosen.emulated else ()
        run = process.run(
            [chosen.path, source, *options, "-o", output],
            timeout=settings.timeout_seconds() if timeout is None else timeout,
            cwd=work,
        )
        if run.ok and output.is_file() and output.stat().st_size > 0:
            return output.read_bytes()
        evidence = bundle.Evidence(
            stage="hivmc",
            stages={FINAL_MODULE: text},
            input_name=FINAL_MODULE,
            run=run,
            arguments=(str(chosen.path), "{input}", *options, "-o", "{output}"),
            versions={"ascendnpu-ir": tools.version, "hivmc": f"{chosen.kind} {chosen.path}"},
        )
        if not run.ok:
            raise tool_error("hivmc", run, evidence)
        raise coded_error("TW3014", "hivmc returned 0 and left no kernel object", evidence)
    finally:
        shutil.rmtree(work, ignore_errors=True)
