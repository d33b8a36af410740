"""The unmodified torch_npu on the emulated CANN: memory, copies, streams, events, ordering, errors."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support import close, run, without_greeting

import tilewright.emulated as emulated


def test_what_the_device_says() -> None:
    import torch

    assert torch.npu.is_available()
    assert torch.npu.device_count() == 2
    properties = torch.npu.get_device_properties(0)
    assert properties.name == "Ascend910B4"
    assert properties.total_memory == 32 << 30
    assert properties.vector_core_num == 40


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int64", "bool"])
def test_copies(dtype: str) -> None:
    import torch

    x = torch.randint(0, 2, (7, 11)).to(getattr(torch, dtype))
    y = x.npu()
    assert torch.equal(y.cpu(), x)
    assert torch.equal(x.pin_memory().to("npu", non_blocking=True).cpu(), x)
    assert torch.equal(y.to("npu:1").cpu(), x)
    assert torch.equal(y[1:, ::2].cpu(), x[1:, ::2])
    assert torch.equal(y.t().contiguous().cpu(), x.t())
    saved = io.BytesIO()
    torch.save(y, saved)
    saved.seek(0)
    assert torch.equal(torch.load(saved).cpu(), x)


def test_new_memory_is_poisoned_so_that_reading_it_shows() -> None:
    import torch

    torch.npu.empty_cache()
    found = torch.empty(3 << 20, dtype=torch.uint8, device="npu").cpu()
    assert (found == 0xA5).all()


def test_out_of_memory_is_torchs_error() -> None:
    import torch

    with pytest.raises(torch.OutOfMemoryError):
        torch.empty(1 << 40, dtype=torch.uint8, device="npu")
    assert torch.ones(3).npu().cpu().sum() == 3


def test_events_have_times_and_streams_an_order() -> None:
    import torch

    start, end = (torch.npu.Event(enable_timing=True) for _ in range(2))
    side = torch.npu.Stream()
    x = torch.randn(100).npu()
    start.record()
    with torch.npu.stream(side):
        side.wait_event(start)
        y = torch.ops.tilewright.elu(x)
        end.record()
    end.synchronize()
    assert start.elapsed_time(end) >= 0
    torch.npu.current_stream().wait_stream(side)
    close(torch.ops.tilewright.elu(y), torch.nn.functional.elu(torch.nn.functional.elu(x.cpu().double())))


def test_ordinary_programs_run_on_the_hosts_operators() -> None:
    import torch

    x = torch.randn(5, 7)
    y = x.npu()
    close(torch.softmax(y @ y.t(), -1).sum(0), torch.softmax(x.double() @ x.double().t(), -1).sum(0))
    y[1:3] = 0
    y.mul_(2).clamp_(-1, 1)
    assert y[1:3].abs().sum().item() == 0
    assert repr(y[:1, :1]).endswith("device='npu:0')")
    assert torch.equal(torch.arange(7, device="npu")[y[1].argsort()].sort().values.cpu(), torch.arange(7))
    assert torch.cat([y, y]).view(-1).unsqueeze_(0).shape == (1, 70)
    out = torch.empty(0, device="npu")
    torch.add(y, 1, out=out)
    assert out.shape == (5, 7)


#: Work queued through torch_npu, then ours on its result, then torch_npu's on that; a slow host function in
#: front keeps everything waiting on the stream. torch_npu's queue is held up as well: the thread that empties
#: it sleeps in a signal handler, so a launch that does not wait for the queue overtakes what is in it.
ORDER = """
import ctypes, os, pathlib, signal, threading, time
import tilewright.torch
acl = emulated.library()
slow = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: time.sleep(0.15))
device = "npu:0"
x = torch.randn(100_003)
zero = torch.zeros(100_003, device=device)
torch.ops.tilewright.elu(zero)
torch.npu.synchronize()
pinned = x.pin_memory()
raw = torch_npu._C._npu_getCurrentRawStream(0)
acl.aclrtLaunchHostFunc(ctypes.c_void_p(raw), slow, None)
begin = time.perf_counter()
y = zero.clone()
y.copy_(pinned, non_blocking=True)
z = torch.ops.tilewright.elu(y)
enqueued = time.perf_counter() - begin
w = torch.empty_like(z)
w.copy_(z)
assert torch.allclose(w.cpu(), torch.nn.functional.elu(x), atol=1e-6), "wrong order"
total = time.perf_counter() - begin
assert total > 0.1, total

def hold_up_the_queue():
    tasks = pathlib.Path("/proc/self/task").iterdir()
    consumer = min((int(t.name) for t in tasks if (t / "comm").read_text() == "acl_thread\\n"), default=None)
    if consumer is None:
        return False
    libc = ctypes.CDLL(None)
    libc.signal.argtypes = [ctypes.c_int, ctypes.c_void_p]
    libc.signal(signal.SIGHUP, ctypes.cast(libc.sleep, ctypes.c_void_p))  # called with the number, 1
    tgkill = 234  # x86-64
    assert libc.syscall(tgkill, os.getpid(), consumer, int(signal.SIGHUP)) == 0
    time.sleep(0.05)
    return True
# Events are recorded and waited for through the queue.
early, late, done = torch.npu.Stream(), torch.npu.Stream(), torch.npu.Event()
acl.aclrtLaunchHostFunc(ctypes.c_void_p(early.npu_stream), slow, None)
with torch.npu.stream(early):
    made = torch.ops.tilewright.elu(y)
assert hold_up_the_queue() == (os.environ["TASK_QUEUE_ENABLE"] != "0")
done.record(early)
late.wait_event(done)
with torch.npu.stream(late):
    used = torch.ops.tilewright.elu(made)
torch.npu.synchronize()
assert torch.equal(used.cpu(), torch.ops.tilewright.elu(made).cpu()), "wrong order of streams"

# Two streams overlap: each opens what the other one waits for.
first, second = torch.npu.Stream(), torch.npu.Stream()
gate = threading.Event()
opened = []
wait = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: opened.append(gate.wait(20)))
go = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: gate.set())
with torch.npu.stream(first):
    acl.aclrtLaunchHostFunc(ctypes.c_void_p(first.npu_stream), wait, None)
    a = torch.ops.tilewright.elu(y)
with torch.npu.stream(second):
    b = torch.ops.tilewright.elu(y)
    acl.aclrtLaunchHostFunc(ctypes.c_void_p(second.npu_stream), go, None)
torch.npu.synchronize()
assert opened == [True], "one stream waited for the other"
assert torch.equal(a.cpu(), b.cpu())
print("in order", emulated.launches("elu"))
"""


@pytest.mark.parametrize("queue", ["0", "1", "2"])
def test_order_with_torch_npus_queue(queue: str) -> None:
    done = run(ORDER, TASK_QUEUE_ENABLE=queue)
    assert done.stdout == "in order 7\n", done.stderr[-2000:]


def test_a_launch_that_does_not_wait_for_the_queue_would_be_noticed() -> None:
    """The test above sees what it should see: with torch_npu's stream that does not wait, it fails."""
    careless = (
        "from tilewright.torch import device as ours\n"
        "ours.stream = lambda d: int(torch_npu._C._npu_getCurrentRawStreamNoWait(d))\n"
    )
    done = run(careless + ORDER, TASK_QUEUE_ENABLE="1")
    assert "AssertionError: wrong order of streams" in done.stderr, done.stdout + done.stderr[-2000:]


FAILURE = """
import ctypes
import tilewright.torch
from tilewright.torch import plans
acl = emulated.library()
x = torch.randn(1003).npu()
torch.ops.tilewright.elu(x)
torch.npu.synchronize()
# A launcher's mistake: a kernel that is given a freed address.
gone = ctypes.c_void_p()
acl.aclrtMalloc(ctypes.byref(gone), ctypes.c_size_t(4096), 0)
acl.aclrtFree(gone)
side = torch.npu.Stream()
kernel = tilewright.compile(tilewright.ops.elu)
described = kernel.described(kernel.signature({"self": (1003,)}, {"self": "f32"}))
block = bytearray(plans._pack(described, 0))
for field in described.fields:
    if field.kind == "pointer":
        block[field.offset:field.offset + 8] = gone.value.to_bytes(8, "little")
from tilewright.torch import device
entry = device.entry(described.binary.path, described.binary.name, 0)
size, none = ctypes.c_size_t(len(block)), ctypes.c_size_t(0)
function, stream = ctypes.c_void_p(entry.handle), ctypes.c_void_p(side.npu_stream)
code = acl.aclrtLaunchKernelWithHostArgs(function, 1, stream, None, bytes(block), size, None, none)
assert code == 0
try:
    side.synchronize()
except RuntimeError as error:
    print("507035" in str(error), "elu" in str(error), "not memory of device 0" in str(error))
    assert torch.equal(torch.ops.tilewright.elu(x).cpu(), torch.ops.tilewright.elu(x.cpu()))
    print("the default stream goes on")
"""


def test_an_error_in_a_kernel_surfaces_at_synchronise() -> None:
    done = run("import tilewright, tilewright.ops\n" + FAILURE)
    assert done.stdout == "True True True\nthe default stream goes on\n", done.stderr[-2000:]


STRICT = """
import tilewright.torch
x = torch.randn(4, 6, 3)
rest = (None, None, None, None, True, 0.1, 1e-5)
z = (torch.ops.tilewright.batch_norm(x.npu(), *rest)[0] + 1).sum(0).cpu()
print(torch.allclose(z, (torch.ops.tilewright.batch_norm(x, *rest)[0] + 1).sum(0)))
"""


def test_nothing_but_kernels_and_copies_touches_device_memory() -> None:
    done = run(STRICT, TILEWRIGHT_ACL_STRICT="1", TILEWRIGHT_ACL_POISON="1")
    assert done.stdout == "True\n", done.stderr[-2000:]


def test_check_mode_under_torch() -> None:
    done = run(STRICT, TILEWRIGHT_ACL_CHECK="1")
    assert done.stdout == "True\n", done.stderr[-2000:]


WARM = """
import ctypes, resource, sys, threading
import tilewright.torch
from tilewright.compiler import statistics
o = torch.ops.tilewright
x, g = torch.randn(1003, requires_grad=True), torch.randn(1003)
xn, gn = x.detach().npu().requires_grad_(), g.npu()
def step():
    o.elu(x, 0.5).backward(g)
    o.elu(xn, 0.5).backward(gn)
step()
torch.npu.synchronize()
seen = []
def note(event, arguments):
    if event in ("open", "subprocess.Popen", "ctypes.dlopen", "import") or event.startswith("os."):
        seen.append((event, arguments))
sys.addaudithook(note)
# Whatever opens a file, in C++ too, fails from here on.
allowed = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (0, allowed[1]))
before, compilations = emulated.launches(), statistics.compilations
for _ in range(20):
    step()
print("warm:", len(seen), seen[:3], statistics.compilations - compilations)
torch.npu.synchronize()
print("launched:", emulated.launches() - before)
# The same net catches a call that is not warm.
try:
    o.softmax(torch.randn(5, 1003).npu())
    print("cold: nothing failed")
except RuntimeError:
    print("cold:", len(seen) > 0)
resource.setrlimit(resource.RLIMIT_NOFILE, allowed)
# A call returns while the stream is still held up by what was queued before.
acl = emulated.library()
gate = threading.Event()
hold = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: gate.wait(60) and None)
acl.aclrtLaunchHostFunc(ctypes.c_void_p(torch_npu._C._npu_getCurrentRawStream(0)), hold, None)
before = emulated.launches()
grad = torch.autograd.grad(o.elu(xn, 0.5), xn, gn)  # adding it to xn.grad would be the host's operator
print("held:", emulated.launches() - before)
gate.set()
torch.npu.synchronize()
print("ran:", emulated.launches() - before)
"""


def test_a_warm_call_opens_no_file_compiles_nothing_and_waits_for_nothing() -> None:
    done = run(WARM)
    expected = ["warm: 0 [] 0", "launched: 40", "cold: True", "held: 0", "ran: 2"]
    assert done.stdout.splitlines() == expected, done.stdout + done.stderr[-2000:]


def test_the_command_line() -> None:
    script = "import torch; print(torch.npu.device_count(), (torch.ones(3, device='npu') + 1).sum().item())"
    command = [
        sys.executable,
        "-m",
        "tilewright",
        "emulate",
        "--devices",
        "3",
        "--",
        sys.executable,
        "-c",
        script,
    ]
    clean = {k: v for k, v in os.environ.items() if k not in ("TORCH_DEVICE_BACKEND_AUTOLOAD",)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env=clean)
    assert without_greeting(done.stdout) == "3 6.0\n", done.stderr[-2000:]


def test_the_command_line_refuses_what_it_cannot_run(capsys: pytest.CaptureFixture[str]) -> None:
    from tilewright.cli import main

    assert main(["emulate", "--", "no-such-program"]) == 2
    assert "TW5403" in capsys.readouterr().err
    assert main(["emulate"]) == 2
    assert "TW5005" in capsys.readouterr().err
    assert main(["emulate", "--target", "Ascend950", "--", "true"]) == 2
    assert "TW5003" in capsys.readouterr().err


PLAIN: list[tuple[str, str, str]] = [
    ("import tilewright does not import torch", "import tilewright, tilewright.ops, sys\n"
     "import tilewright.emulated; print('torch' in sys.modules)", "False"),
    ("no torch", "import sys; sys.modules['torch'] = None\ntry: import tilewright.torch\n"
     "except ImportError as e: print(str(e).splitlines()[0])\n"
     "import tilewright, numpy; print(tilewright.compile(tilewright.ops.elu)(numpy.ones(3, 'float32')))",
     "TW5404: torch is not installed or cannot be imported"),
    ("torch without torch_npu", "import torch, tilewright.torch as t\n"
     "print(torch.ops.tilewright.elu(torch.ones(2)))\n"
     "try: t.override_aten()\nexcept ImportError as e: print(e)",
     "TW5405: override_aten needs torch_npu"),
    ("not active", "import tilewright.emulated as e\ntry: e.launches()\n"
     "except ValueError as x: print(x)", "TW5401"),
    ("too late", "import sys, types; sys.modules['torch_npu'] = types.ModuleType('torch_npu')\n"
     "import tilewright.emulated as e\ntry: e.activate()\nexcept ValueError as x: print(x)", "TW5402"),
]  # fmt: skip


@pytest.mark.parametrize(("what", "script", "words"), PLAIN, ids=[p[0] for p in PLAIN])
def test_what_is_missing_is_said(what: str, script: str, words: str) -> None:
    done = run(script, plain=True, TORCH_DEVICE_BACKEND_AUTOLOAD="0")
    assert done.returncode == 0, done.stderr[-2000:]
    assert words in done.stdout


def test_an_unusable_torch_npu() -> None:
    """Installed, but without CANN and without the emulated one: torch itself fails, and we say why."""
    script = "try: import tilewright.torch\nexcept ImportError as e: print(e)\n"
    done = run(script, plain=True, TORCH_DEVICE_BACKEND_AUTOLOAD="1")
    assert "TW5404" in done.stdout, done.stderr[-2000:]
    assert "emulated.activate()" in done.stdout


def test_a_launch_that_acl_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch
    from tilewright.torch import device, library

    x = torch.randn(1013).npu()
    library.load().twt_forget_plans()
    monkeypatch.setattr(device, "entry", lambda *_: device.Entry(device.ACL, 0))
    with pytest.raises(RuntimeError, match=r"TW4201.*npu:0.*107017.*not a kernel function"):
        torch.ops.tilewright.elu(x)
    monkeypatch.undo()
    library.load().twt_forget_plans()
    close(torch.ops.tilewright.elu(x), torch.nn.functional.elu(x.cpu().double()))


def test_a_binary_that_acl_refuses(tmp_path: Path) -> None:
    from tilewright.errors import ExecutionError
    from tilewright.torch import device

    path = tmp_path / "kernel.o"
    path.write_bytes(b"no object")
    with pytest.raises(ExecutionError, match=r"TW4202.*TW4001"):
        device.entry(path, "elu", 0)


def test_launches_by_the_older_interface(monkeypatch: pytest.MonkeyPatch) -> None:
    """What happens on CANN releases that cannot load a binary from memory through acl."""
    import torch
    from tilewright.torch import device, library

    class Old:
        """The library without the newer functions."""

        def __getattr__(self, name: str) -> Any:
            if name.startswith(("aclrtBinary", "aclrtLaunch", "aclrtGetHardware")):
                raise AttributeError(name)
            return getattr(real, name)

    real = device.acl()
    x = torch.randn(1019).npu()
    library.load().twt_forget_plans()
    device.entry.cache_clear()
    monkeypatch.setattr(device, "acl", lambda: Old())
    before = emulated.launches("elu")
    close(torch.ops.tilewright.elu(x), torch.nn.functional.elu(x.cpu().double()))
    assert emulated.launches("elu") == before + 1
    assert device.entry(*_last_entry(), 0).way == device.RT
    monkeypatch.undo()
    library.load().twt_forget_plans()
    device.entry.cache_clear()


def _last_entry() -> tuple[Path, str]:
    import tilewright as tw
    from tilewright.ops import elu

    kernel = tw.compile(elu)
    binary = kernel.described(kernel.signature({"self": (1019,)}, {"self": "f32"})).binary
    return binary.path, binary.name
