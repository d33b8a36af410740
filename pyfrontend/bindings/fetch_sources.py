"""Fetch the sources of MLIR's Python bindings from the Debian source package of the installed MLIR.

Debian builds MLIR without its Python bindings, but its source package has them. The ``deb-src``
line is derived from the machine's own apt sources (the entry that serves ``libmlir-19-dev``) and
kept in a private apt configuration, so the machine's configuration is not touched and no root
rights are needed. apt checks signatures and hashes as always.

Usage: ``fetch_sources.py [--cache DIR]`` prints the folder that holds ``mlir/lib/Bindings/Python``
and ``mlir/python``. A second run with the same MLIR version prints it without any download.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

BINARY_PACKAGE = "libmlir-19-dev"
WANTED = ("mlir/lib/Bindings/Python", "mlir/python", "mlir/LICENSE.TXT")


class FetchError(Exception):
    """A reason to stop that is printed without a traceback."""


@dataclass(frozen=True)
class Origin:
    """One place of an apt repository: ``deb [options] uri suite components``."""

    uri: str
    suite: str
    components: str
    options: str = ""

    def deb_src(self) -> str:
        options = f"[{self.options}] " if self.options else ""
        return f"deb-src {options}{self.uri} {self.suite} {self.components}".rstrip()


def default_cache() -> Path:
    root = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(root) / "tilewright" / "mlir-python"


def run(command: list[str]) -> str:
    """Standard output of a command; its standard error in a FetchError when it fails."""
    try:
        done = subprocess.run(
            command, check=True, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}
        )
    except FileNotFoundError as error:
        raise FetchError(
            f"{command[0]} is not installed; it comes with Debian's package dpkg-dev or apt"
        ) from error
    except subprocess.CalledProcessError as error:
        tail = "\n".join(str(error.stderr).strip().splitlines()[-8:])
        raise FetchError(f"{' '.join(command[:2])} failed with status {error.returncode}:\n{tail}") from error
    return done.stdout


def installed_source() -> tuple[str, str]:
    """Name and version of the source package that the installed MLIR was built from."""
    try:
        output = run(["dpkg-query", "-W", "-f=${source:Package} ${source:Version}", BINARY_PACKAGE])
    except FetchError as error:
        raise FetchError(f"{BINARY_PACKAGE} is not installed (apt-get install {BINARY_PACKAGE})") from error
    name, version = output.split()
    return name, version


def parse_one_line(text: str) -> Iterable[Origin]:
    """Origins of a classic ``sources.list`` file."""
    for line in text.splitlines():
        match = re.match(r"\s*deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)\s*([^#]*)", line)
        if match:
            options, uri, suite, components = match.groups()
            yield Origin(uri, suite, components.strip(), (options or "").strip())


def parse_deb822(text: str, folder: Path) -> Iterable[Origin]:
    """Origins of a ``.sources`` file. An inline key is written to ``folder``."""
    for number, stanza in enumerate(re.split(r"\n\s*\n", text)):
        fields: dict[str, str] = {}
        key = ""
        for line in stanza.splitlines():
            if line.startswith("#"):
                continue
            if line[:1].isspace() and key:
                fields[key] += "\n" + line.strip()
            elif ":" in line:
                key, _, value = line.partition(":")
                key = key.strip().lower()
                fields[key] = value.strip()
        if fields.get("enabled", "yes").lower() == "no" or "deb" not in fields.get("types", "").split():
            continue
        options: list[str] = []
        signed_by = fields.get("signed-by", "")
        if "BEGIN PGP" in signed_by:
            key_file = folder / f"key-{number}.asc"
            lines = ["" if line == "." else line for line in signed_by.strip().splitlines()]
            key_file.write_text("\n".join(lines) + "\n")
            signed_by = str(key_file)
        if signed_by:
            options.append(f"signed-by={signed_by}")
        if "trusted" in fields:
            options.append(f"trusted={fields['trusted']}")
        for uri in fields.get("uris", "").split():
            for suite in fields.get("suites", "").split():
                yield Origin(uri, suite, " ".join(fields.get("components", "").split()), " ".join(options))


def machine_origins(folder: Path) -> list[Origin]:
    """Every enabled binary package origin of this machine."""
    etc = Path("/etc/apt")
    lists = [etc / "sources.list", *sorted((etc / "sources.list.d").glob("*"))]
    origins: list[Origin] = []
    for path in lists:
        if not path.is_file():
            continue
        text = path.read_text(errors="replace")
        if path.suffix == ".sources":
            origins += parse_deb822(text, folder)
        elif path.suffix == ".list":
            origins += parse_one_line(text)
    return origins


def serving_origins(origins: list[Origin]) -> list[Origin]:
    """Those origins that apt knows to serve the installed MLIR, or all when apt cannot tell."""
    policy = run(["apt-cache", "policy", BINARY_PACKAGE])
    served = re.findall(r"^\s*-?\d+\s+(\S+://\S+|\S+:/\S+)\s+(\S+)\s+\S+\s+Packages", policy, re.MULTILINE)
    wanted = {(uri.rstrip("/"), suite.split("/")[0]) for uri, suite in served}
    chosen = [o for o in origins if (o.uri.rstrip("/"), o.suite.rstrip("/").split("/")[0]) in wanted]
    return list(dict.fromkeys(chosen or origins))


def download(name: str, version: str, folder: Path) -> Path:
    """Download the source package with a private apt configuration; return its original tarball."""
    origins = serving_origins(machine_origins(folder))
    if not origins:
        raise FetchError("no apt source of binary packages found in /etc/apt")
    for part in ("lists/partial", "archives/partial", "download"):
        (folder / part).mkdir(parents=True)
    sources = folder / "sources.list"
    sources.write_text("".join(f"{origin.deb_src()}\n" for origin in origins))
    private = [
        f"Dir::Etc::sourcelist={sources}",
        "Dir::Etc::sourceparts=-",
        f"Dir::State::lists={folder}/lists",
        f"Dir::Cache={folder}",
        f"Dir::Cache::archives={folder}/archives",
        "Acquire::Languages=none",
        "Acquire::Retries=3",
        "APT::Get::List-Cleanup=0",
        "APT::Sandbox::User=",
        "Debug::NoLocking=1",
    ]
    options = [word for setting in private for word in ("-o", setting)]
    run(["apt-get", *options, "-qq", "update"])
    here = Path.cwd()
    os.chdir(folder / "download")
    try:
        run(["apt-get", *options, "-qq", "source", "--download-only", f"{name}={version}"])
    finally:
        os.chdir(here)
    tarballs = sorted((folder / "download").glob(f"{name}_*.orig.tar.*"))
    tarballs = [path for path in tarballs if not path.name.endswith(".asc")]
    if len(tarballs) != 1:
        raise FetchError(
            f"apt-get source {name}={version} brought {len(tarballs)} original tarballs, not one"
        )
    return tarballs[0]


def unpack(tarball: Path, target: Path) -> None:
    """Unpack the wanted folders, dropping the tarball's top folder."""
    target.mkdir()
    patterns = [f"*/{wanted}" for wanted in WANTED]
    command = ["tar", "-C", str(target), "--strip-components=1", "--wildcards", "--no-wildcards-match-slash"]
    # A pattern without a match is an error for tar; the check below says what is missing.
    subprocess.run([*command, "-xf", str(tarball), *patterns], check=False, stderr=subprocess.DEVNULL)
    for wanted in WANTED[:2]:
        if not (target / wanted).is_dir():
            raise FetchError(f"{tarball.name} has no {wanted}")


def fetch(cache: Path) -> Path:
    """The folder of the sources that belong to the installed MLIR, fetched when it is not there."""
    name, version = installed_source()
    ready = cache / re.sub(r"[^A-Za-z0-9.+~-]", "_", f"{name}-{version}")
    if ready.is_dir():
        return ready
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if ready.is_dir():
            return ready
        print(
            f"fetching the sources of MLIR's Python bindings ({name} {version}, about 165 MB)",
            file=sys.stderr,
        )
        with tempfile.TemporaryDirectory(prefix="fetch-", dir=cache) as temporary:
            folder = Path(temporary)
            unpack(download(name, version, folder), folder / "unpacked")
            (folder / "unpacked").rename(ready)
    return ready


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cache", type=Path, default=default_cache(), help="default: %(default)s")
    arguments = parser.parse_args()
    try:
        print(fetch(arguments.cache))
    except (FetchError, OSError) as error:
        print(f"{Path(__file__).name}: {error}", file=sys.stderr)
        print("  This step needs a network and an apt source that also has source packages.", file=sys.stderr)
        return 1
    finally:
        for leftover in arguments.cache.glob("fetch-*") if arguments.cache.is_dir() else ():
            if leftover.stat().st_uid == os.getuid() and not any(leftover.iterdir()):
                shutil.rmtree(leftover, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
