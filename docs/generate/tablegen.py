"""docs/reference: passes and dialects from their TableGen files, written by mlir-tblgen."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

FOLDER = Path("docs/reference")

_PASSES = """\
# Passes

{marker}

From `passes/Passes.td`. `tw-opt` runs each of them alone or all in this order:

```sh
tw-opt test/passes/Inputs/elu.mlir -tw-normalize-iteration -tw-partition-channels -tw-tile-to-ub \\
  -tw-convert-to-hivm -tw-double-buffer
```

`tw-opt` is in `pyfrontend/tilewright/_native/bin` after `./dev build`. Tests: `test/passes`. How the forms
follow from each other: [architecture](../architecture.md).

"""


def _tblgen(root: Path, arguments: list[str], source: str) -> str:
    bin_folder = Path(os.environ.get("TILEWRIGHT_LLVM_BIN", "/usr/lib/llvm-19/bin"))
    command = [
        str(bin_folder / "mlir-tblgen"),
        *arguments,
        f"-I{root}",
        f"-I{bin_folder.parent / 'include'}",
        "-",
    ]
    done = subprocess.run(command, input=source, capture_output=True, text=True, check=False, cwd=root)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr}")
    # The first line is mlir-tblgen's own marker; a table of contents macro means nothing to Markdown.
    body = done.stdout.partition("\n")[2].replace("[TOC]\n\n", "")
    return "\n".join(line.rstrip() for line in body.splitlines()).strip("\n") + "\n"


def _order(text: str, root: Path) -> str:
    """The passes in the order of the pipeline instead of the alphabet."""
    parts = re.split(r"(?m)^(?=### `-)", text)
    stated = re.findall(
        r"(?m)^def \w+ : Pass<\"([\w-]+)\"", (root / "passes/Passes.td").read_text(encoding="utf-8")
    )
    named = {part.split("`")[1].lstrip("-"): part.rstrip("\n") for part in parts if part.startswith("###")}
    return "\n\n".join(re.sub(r"^###", "##", named[name]) for name in stated) + "\n"


def dialects(root: Path) -> list[str]:
    """Names of the dialects: the folders of dialect/ that define one."""
    return sorted(
        folder.name
        for folder in (root / "dialect").iterdir()
        if any("Dialect {" in td.read_text(encoding="utf-8") for td in folder.glob("*.td"))
    )


def pages(marker: str, root: Path) -> dict[Path, str]:
    """Path in the repository -> text."""
    passes = _tblgen(root, ["-gen-pass-doc"], 'include "passes/Passes.td"\n')
    found = {FOLDER / "passes.md": _PASSES.format(marker=marker) + _order(passes, root)}
    for name in dialects(root):
        files = sorted((root / "dialect" / name).glob("*.td"))
        source = "".join(f'include "dialect/{name}/{td.name}"\n' for td in files)
        text = _tblgen(root, ["-gen-dialect-doc", f"-dialect={name}"], source)
        title, _, rest = text.partition("\n")
        found[FOLDER / "dialects" / f"{name}.md"] = f"{title}\n\n{marker}\n\n{rest.lstrip()}"
    index = [
        f"# Dialects\n\n{marker}\n",
        "What they are and how they differ from AscendNPU-IR's: [dialect.md](../../dialect.md).\n",
    ]
    index += [f"* [{name}]({name}.md)" for name in dialects(root)]
    found[FOLDER / "dialects" / "README.md"] = "\n".join(index) + "\n"
    return found
