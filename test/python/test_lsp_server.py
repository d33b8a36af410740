"""tw-lsp-server speaks the language server protocol and knows the project's dialects."""

from __future__ import annotations

import json
import subprocess
from typing import Any

from tilewright import native


def message(content: dict[str, Any]) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", **content}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def replies(output: bytes) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    while b"\r\n\r\n" in output:
        header, _, rest = output.partition(b"\r\n\r\n")
        length = int(header.split(b"Content-Length:")[1].split(b"\r\n")[0])
        found.append(json.loads(rest[:length]))
        output = rest[length:]
    return found


def diagnostics(text: str) -> list[str]:
    """Messages the server publishes for a file with this text."""
    document = {"uri": "file:///example.mlir", "languageId": "mlir", "version": 1, "text": text}
    session = b"".join(
        [
            message(
                {
                    "id": 1,
                    "method": "initialize",
                    "params": {"processId": None, "rootUri": None, "capabilities": {}},
                }
            ),
            message({"method": "initialized", "params": {}}),
            message({"method": "textDocument/didOpen", "params": {"textDocument": document}}),
            message({"id": 2, "method": "shutdown"}),
            message({"method": "exit"}),
        ]
    )
    done = subprocess.run(
        [str(native.path("bin/tw-lsp-server"))], input=session, capture_output=True, timeout=60
    )
    answers = replies(done.stdout)
    assert any("capabilities" in answer.get("result", {}) for answer in answers if answer.get("id") == 1)
    published = [a for a in answers if a.get("method") == "textDocument/publishDiagnostics"]
    return [entry["message"] for answer in published for entry in answer["params"]["diagnostics"]]


def test_own_dialects_are_known() -> None:
    text = """
    func.func @f(%a: memref<64xf32>, %b: memref<64xf32>) attributes {tw.iteration = #tw.iteration<[A]>} {
      hivm.hir.vexp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
      return
    }"""
    assert diagnostics(text) == []


def test_mistakes_are_published() -> None:
    assert diagnostics("func.func @f() { hivm.hir.nothing }") != []
