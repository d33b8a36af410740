"""kernel_operator.h and its driver: what calls lower to, conversions, refusals, and the commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilewright import runtime
from tilewright.ascendc import AscendKernel, compile_kernel
from tilewright.cli import main
from tilewright.errors import CompileError, TilewrightError, UsageError

_HEAD = """\
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void probe(GM_ADDR x, GM_ADDR y) {
  TPipe pipe;
  GlobalTensor<float> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ float *)x, 512);
  yGm.SetGlobalBuffer((__gm__ float *)y, 512);
  TBuf<TPosition::VECCALC> aBuf, bBuf, cBuf;
  pipe.InitBuffer(aBuf, 2048);
  pipe.InitBuffer(bBuf, 2048);
  pipe.InitBuffer(cBuf, 2048);
  LocalTensor<float> a = aBuf.Get<float>(), b = bBuf.Get<float>(), c = cBuf.Get<float>();
"""


def probe(folder: Path, body: str) -> AscendKernel:
    source = folder / "probe.cpp"
    source.write_text(_HEAD + body + "\n}\n")
    return AscendKernel(source)


def instructions(folder: Path, body: str) -> list[dict[str, Any]]:
    x, y = (np.zeros(512, np.float32) for _ in range(2))
    report = probe(folder, body).observe(1, {"x": x, "y": y}, ["y"], runtime.LOG)
    found: list[dict[str, Any]] = report["instructions"]
    assert found[-1]["name"] == "BARRIER"  # of ~TPipe, which waits for everything
    return found[:-1]


def names(folder: Path, body: str) -> list[str]:
    return [i["name"] for i in instructions(folder, body)]


_COUNT = ["GET.CTRL", "SBITSET1", "SET.CTRL"]
_NORM = ["GET.CTRL", "SBITSET0", "SET.CTRL"]
_MASK = ["MOVEMASK", "MOVEMASK"]


@pytest.mark.parametrize(
    ("call", "instruction"),
    [
        ("Add(c, a, b, 100);", "VADD.f32"),
        ("Muls(c, a, 2.0f, 100);", "VMULS.f32"),
        ("Exp(c, a, 100);", "VEXP.f32"),
        ("Duplicate(c, 1.0f, 100);", "MOVEV.f32"),
        ("Axpy(c, a, 2.0f, 100);", "VAXPY.f32"),
        ("Cast(c.ReinterpretCast<half>(), a, RoundMode::CAST_RINT, 100);", "VCONV.f322f16r.v220"),
        ("Cast(c, a.ReinterpretCast<bfloat16_t>(), RoundMode::CAST_NONE, 100);", "VCONV.bf162f32.v220"),
        ("CompareScalar(c.ReinterpretCast<uint8_t>(), a, 0.0f, CMPMODE::LE, 128u);", "VCMPVS.LE.f32"),
    ],
)
def test_counted_calls(call: str, instruction: str, tmp_path: Path) -> None:
    """Counter mode, the count, one instruction, normal mode, full mask."""
    found = instructions(tmp_path, call)
    assert [i["name"] for i in found] == [*_COUNT, *_MASK, instruction, *_NORM, *_MASK]
    count = 128 if "Compare" in call else 100
    assert [i["immediate"][:2] for i in found if i["name"] == "MOVEMASK"] == [
        [1, 0], [0, count], [1, 2**64 - 1], [0, 2**64 - 1],
    ]  # fmt: skip
    assert found[5]["elements"] == count


def test_calls_with_mask_and_repeats(tmp_path: Path) -> None:
    found = instructions(tmp_path, "Add(c, a, b, 40ull, 3, BinaryRepeatParams(1, 1, 1, 8, 16, 0));")
    assert [i["name"] for i in found] == [*_MASK, "VADD.f32"]
    assert found[1]["immediate"][:2] == [0, 2**40 - 1]
    assert found[2]["repeats"] == 3
    writes = [x for x in found[2]["access"] if x["write"]]
    reads = [x for x in found[2]["access"] if not x["write"]]
    assert writes[0]["outer_stride"] == 256
    assert {x["outer_stride"] for x in reads} == {512, 0}


def test_select_with_walking_mask(tmp_path: Path) -> None:
    body = "Select(c, a.ReinterpretCast<uint8_t>(), a, b, SELMODE::VSEL_TENSOR_TENSOR_MODE, 100);"
    found = instructions(tmp_path, body)
    assert [i["name"] for i in found] == [
        *_COUNT, *_MASK, "MOVEV.u32", "BARRIER", "SET.CMPMASK", "BARRIER", *_MASK, "VSEL.f32.1",
        *_NORM, *_MASK,
    ]  # fmt: skip
    table = found[5]["access"]
    assert min(x["begin"] for x in table) == 184 << 10
    assert sum(x["run"] * x["inner"] * x["outer"] for x in table) == 128


def test_reduce_sum(tmp_path: Path) -> None:
    found = instructions(tmp_path, "ReduceSum(c, a, b, 300);")
    assert [i["name"] for i in found] == [
        *_COUNT, *_MASK, "VCADD.f32.order", "SET.FLAG.IMM", "WAIT.FLAG.IMM", "GET.ACC.VAL",
        "scalar store", "SET.FLAG.IMM", "WAIT.FLAG.IMM", "SET.FLAG.IMM", "WAIT.FLAG.IMM", *_NORM, *_MASK,
    ]  # fmt: skip
    flags = [tuple(i["immediate"][:2]) for i in found if i["name"] == "SET.FLAG.IMM"]
    assert flags == [(1, 0), (0, 1), (0, 5)]


def test_queue_flags(tmp_path: Path) -> None:
    body = """
  TQue<TPosition::VECIN, 1> in;
  TQue<TPosition::VECOUT, 1> out;
  pipe.InitBuffer(in, 1, 256);
  pipe.InitBuffer(out, 1, 256);
  for (int i = 0; i < 2; ++i) {
    LocalTensor<float> t = in.AllocTensor<float>();
    DataCopy(t, xGm, 64);
    in.EnQue(t);
    t = in.DeQue<float>();
    LocalTensor<float> o = out.AllocTensor<float>();
    Abs(o, t, 64);
    out.EnQue(o);
    in.FreeTensor(t);
    o = out.DeQue<float>();
    DataCopy(yGm, o, 64);
    out.FreeTensor(o);
  }"""
    pipes = {0: "S", 1: "V", 4: "MTE2", 5: "MTE3"}
    stream = list[str]()
    for i in instructions(tmp_path, body):
        if i["name"] in ("SET.FLAG.IMM", "WAIT.FLAG.IMM"):
            stream.append(f"{i['name'][:4].lower()} {pipes[i['immediate'][0]]} {pipes[i['immediate'][1]]}")
        elif i["name"].startswith(("MOV.", "VABS")):
            stream.append(i["name"])
    first = ["MOV.OUT.TO.UB", "set. MTE2 V", "wait MTE2 V", "VABS.f32", "set. V MTE3", "set. V MTE2",
             "wait V MTE3", "MOV.UB.TO.OUT", "set. MTE3 V"]  # fmt: skip
    second = ["wait V MTE2", *first[:3], "wait MTE3 V", *first[3:]]
    assert stream == [*first, *second, "wait V MTE2", "wait MTE3 V"]


def test_scalar_conversion_rounds_to_odd(tmp_path: Path) -> None:
    body = """
  for (uint32_t i = 0; i < 512; ++i) {
    const half h = ScalarCast<float, half, RoundMode::CAST_ODD>(xGm.GetValue(i));
    yGm.SetValue(i, static_cast<float>(h));
    DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(yGm[i]);
  }"""
    rng = np.random.default_rng(3)
    x = (rng.standard_normal(512) * 10.0 ** rng.integers(-9, 6, 512)).astype(np.float32)
    x[:6] = [0.0, -0.0, np.inf, 1.0, 65504.0, 1e-10]
    y = np.zeros(512, np.float32)
    kernel = probe(tmp_path, body)
    kernel.launch(1, {"x": x, "y": y}, ["y"])
    with np.errstate(over="ignore"):
        down = np.where(np.abs(x.astype(np.float16).astype(np.float32)) > np.abs(x),
                        np.nextafter(x.astype(np.float16), np.float16(0)), x.astype(np.float16))  # fmt: skip
    exact = down.astype(np.float32) == x
    expected = np.where(exact, down.view(np.uint16), down.view(np.uint16) | 1).astype(np.uint16)
    assert (y == expected.view(np.float16).astype(np.float32)).all()
    assert not kernel.check(1, {"x": x, "y": y}, ["y"]).hazards


def refused(folder: Path, body: str) -> CompileError:
    with pytest.raises(CompileError) as caught:
        probe(folder, body)
    return caught.value


def test_compiler_errors_name_the_line(tmp_path: Path) -> None:
    error = refused(tmp_path, "  Add(c, a);")
    assert error.code == "TW3200"
    assert "no matching function" in error.what
    assert error.location is not None
    assert error.location.line == _HEAD.count("\n") + 1


def test_missing_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_CLANG", "no-such-clang")
    error = refused(tmp_path, "")
    assert error.code == "TW3201"


@pytest.mark.parametrize(
    ("text", "kind", "code"),
    [
        ("int f();\n", UsageError, "TW5305"),
        ('extern "C" __global__ __aicore__ void k(size_t n) {}\n', CompileError, "TW3202"),
    ],
)
def test_entries(text: str, kind: type[TilewrightError], code: str, tmp_path: Path) -> None:
    source = tmp_path / "k.cpp"
    source.write_text(text)
    with pytest.raises(kind) as caught:
        compile_kernel(source)
    assert caught.value.code == code


def test_several_entries_need_a_name(tmp_path: Path) -> None:
    entry = 'extern "C" __global__ __aicore__ void {}(GM_ADDR x, float s, uint64_t n) {{}}\n'
    source = tmp_path / "k.cpp"
    source.write_text('#include "kernel_operator.h"\n' + entry.format("one") + entry.format("two"))
    with pytest.raises(UsageError, match="2 kernel entries"):
        compile_kernel(source)
    kernel = AscendKernel(source, entry="two")
    assert [(a.type, a.offset) for a in kernel.loaded.arguments] == [("ptr", 0), ("f32", 8), ("i64", 16)]
    with pytest.raises(UsageError) as caught:
        kernel.launch(1, {"x": np.zeros(1), "n": 1}, [])
    assert caught.value.code == "TW5302"


def test_ascendc_command_and_exec(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, made = tmp_path / "probe.cpp", tmp_path / "probe.o"
    source.write_text(
        _HEAD + "DataCopy(a, xGm, 512); SetFlag<HardEvent::MTE2_V>(0); WaitFlag<HardEvent::MTE2_V>(0);"
        "Muls(b, a, FACTOR, 512); SetFlag<HardEvent::V_MTE3>(0); WaitFlag<HardEvent::V_MTE3>(0);"
        "DataCopy(yGm, b, 512);\n}\n"
    )
    assert main(["ascendc", str(source), "-D", "FACTOR=3.0f", "-o", str(made), "--json"]) == 0
    assert [a["name"] for a in json.loads(capsys.readouterr().out)["arguments"]] == ["x", "y"]
    np.savez(tmp_path / "in.npz", x=np.arange(512, dtype=np.float32))
    files = ["--inputs", str(tmp_path / "in.npz"), "--output", str(tmp_path / "out.npz")]
    status = main(["exec", str(made), "--args", "x=@x", "y=zeros:f32:512", *files, "--json"])
    assert status == 0
    with np.load(tmp_path / "out.npz") as results:
        assert (results["y"] == np.arange(512) * 3).all()


def validated(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    capsys.readouterr()
    status = main(["validate", *words, "--json"])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return status, found


def test_validate(capsys: pytest.CaptureFixture[str]) -> None:
    status, found = validated(capsys, "elu_backward", "--shape", "3,1001", "--dtype", "f16")
    assert status == 0
    assert found["passed"]
    assert found["reference"] == "elu_grad_v2"
    assert found["results"][0]["difference"] < 1e-3
    assert found["theirs"]["modelled_us"] > 0
    assert found["hazards"] == 0


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("elu", "--shape", "8"), "TW5306"),
        (("binary_cross_entropy_with_logits_backward", "--shape", "8", "--with", "pos_weight"), "TW2403"),
    ],
)
def test_validate_refuses(words: tuple[str, ...], code: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, found = validated(capsys, *words)
    assert status == 2
    assert found["code"] == code


def test_scalar_code_is_priced(tmp_path: Path) -> None:
    """The kernel's own scalar arithmetic takes time; that of the headers does not."""
    from tilewright import targets
    from tilewright.timing import profile
    from tilewright.timing.model import options

    copy = "DataCopy(a, xGm, 512); SetFlag<HardEvent::MTE2_S>(0); WaitFlag<HardEvent::MTE2_S>(0);"
    loop = "uint32_t s = GetBlockIdx(); for (int i = 0; i < 15000; ++i) s = s * 1664525u + (s >> 7);"
    x, y = (np.zeros(512, np.float32) for _ in range(2))
    times = list[float]()
    for name, body in (("plain", copy), ("loop", copy + loop + "if (s == 1) a.SetValue(0, 1.0f);")):
        folder = tmp_path / name
        folder.mkdir()
        kernel = probe(folder, body)
        report = kernel.observe(
            1, {"x": x, "y": y}, ["y"], runtime.TIME, options(profile(targets.get("Ascend910B4")), samples=0)
        )
        times.append(report["cold"]["slowest_core_us"])
    # At least three instructions a turn, one cycle each, 1500 MHz.
    assert times[1] - times[0] > 3 * 15000 / 1500


def test_observe_refuses_other_files(tmp_path: Path) -> None:
    import subprocess

    from tilewright import native

    (tmp_path / "x.bc").write_text("no IR")
    done = subprocess.run(
        [native.path(native.HIVMC), "--tw-observe", str(tmp_path / "x.bc"), "-o", str(tmp_path / "x.o")],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode
    assert "is no LLVM IR" in done.stderr
    assert not (tmp_path / "x.o").exists()
