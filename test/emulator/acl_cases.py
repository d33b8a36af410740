"""The emulated CANN runtime by its C interface: memory, streams, events, launches, and what it refuses.

Run by test_acl.py in a process of its own: the machine is described once for a process, and other tests want
another one.
"""

from __future__ import annotations

import ctypes
import threading
from pathlib import Path

import numpy as np
import pytest
from acl_runtime import (
    D2D,
    D2H,
    DEVICES,
    H2D,
    HOST_FUNCTION,
    INFERRED,
    MEMORY,
    Acl,
    AclError,
    Kernel,
    data,
    pointer,
)

BAD_PARAMETER, BAD_DEVICE, NO_CONTEXT, BAD_STREAM, BAD_MEMORY = 107000, 107001, 107002, 107003, 107016
BAD_HANDLE, NO_SYMBOL, UNSUPPORTED, OUT_OF_MEMORY, CORE_EXCEPTION = 107017, 107042, 207000, 207001, 507035


@pytest.fixture(scope="module")
def acl() -> Acl:
    acl = Acl()
    acl.aclrtSetDevice(0)
    return acl


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20260101)


def refused(code: int, words: str, function: object, *arguments: object) -> None:
    with pytest.raises(AclError) as error:
        function(*arguments)  # type: ignore[operator]
    assert error.value.code == code
    assert words in error.value.text


# -- process and devices ---------------------------------------------------------------------------------


def test_device_table_is_that_of_the_package(acl: Acl) -> None:
    from tilewright import targets

    found = []
    for index in range(acl.library.tw_acl_part(2**31, None, None, None, None, None)):
        name, vector, cube = ctypes.c_char_p(), ctypes.c_uint32(), ctypes.c_uint32()
        l2, memory = ctypes.c_uint64(), ctypes.c_uint64()
        where = [ctypes.byref(x) for x in (name, vector, cube, l2, memory)]
        acl.library.tw_acl_part(index, *where)
        assert name.value is not None
        found.append((name.value.decode(), vector.value, cube.value, l2.value, memory.value))
    assert found == [(t.name, t.vector_cores, t.cube_cores, t.l2_bytes, t.hbm_bytes) for t in targets.TABLE]


def test_devices(acl: Acl) -> None:
    assert acl.out("aclrtGetDeviceCount", type=ctypes.c_uint32) == DEVICES
    refused(BAD_DEVICE, "there is no device 7", acl.aclrtSetDevice, 7)
    refused(BAD_DEVICE, "there is no device -1", acl.aclrtSetDevice, ctypes.c_int(-1))
    assert acl.out("aclrtGetDevice", type=ctypes.c_int32) == 0
    value = ctypes.c_int64()
    acl.aclrtGetDeviceInfo(0, 201, ctypes.byref(value))
    assert value.value == 40
    refused(UNSUPPORTED, "attribute 999", acl.aclrtGetDeviceInfo, 0, 999, ctypes.byref(value))


def test_a_new_thread_has_no_device(acl: Acl) -> None:
    codes: list[int] = []

    def look() -> None:
        try:
            acl.out("aclrtGetDevice", type=ctypes.c_int32)
        except AclError as error:
            codes.append(error.code)

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert codes == [NO_CONTEXT]


@pytest.mark.parametrize(
    "name",
    ["aclmdlInitDump", "aclrtMallocPhysical", "aclrtMapMem", "aclrtLaunchCallback", "aclrtGetFunctionAddr"],
)
def test_what_is_not_emulated_fails_with_its_name(acl: Acl, name: str) -> None:
    refused(UNSUPPORTED, name, getattr(acl, name))


def test_operators_of_cann_fail_with_their_name(acl: Acl) -> None:
    arguments = (b"MatMulV2", 0, None, None, 0, None, None, None, 0, 0, None, None)
    refused(UNSUPPORTED, "MatMulV2", acl.aclopCompileAndExecute, *arguments)


def test_message_is_given_once(acl: Acl) -> None:
    with pytest.raises(AclError):
        acl.aclrtSetDevice(7)
    assert acl.library.aclGetRecentErrMsg() == b""


# -- memory ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 511, 512, 513, 4097, 1 << 20])
def test_copies_there_and_back(acl: Acl, rng: np.random.Generator, size: int) -> None:
    sent = rng.integers(0, 256, size, np.uint8)
    address = acl.upload(sent)
    assert address % 512 == 0
    other = acl.malloc(size)
    acl.aclrtMemcpy(pointer(other), size, pointer(address), size, D2D)
    np.testing.assert_array_equal(acl.download(other, sent), sent)
    acl.aclrtFree(pointer(address))
    acl.aclrtFree(pointer(other))


def test_copies_are_checked(acl: Acl) -> None:
    host, address = np.zeros(64, np.uint8), acl.malloc(64)
    at, here = pointer(address), data(host)
    refused(BAD_PARAMETER, "room for 32", acl.aclrtMemcpy, at, 32, here, 64, H2D)
    refused(BAD_PARAMETER, "of an allocation of 64 bytes", acl.aclrtMemcpy, at, 65, here, 65, H2D)
    refused(BAD_MEMORY, "device memory is expected", acl.aclrtMemcpy, here, 64, here, 64, H2D)
    refused(BAD_MEMORY, "host memory is expected", acl.aclrtMemcpy, at, 64, at, 64, H2D)
    refused(BAD_MEMORY, "host memory is expected", acl.aclrtMemcpy, at, 64, here, 64, D2H)
    refused(BAD_PARAMETER, "is not a kind", acl.aclrtMemcpy, at, 64, here, 64, 99)
    refused(BAD_PARAMETER, "null pointer", acl.aclrtMemcpy, None, 64, here, 64, INFERRED)
    acl.aclrtMemcpy(at, 64, here, 64, INFERRED)
    acl.aclrtFree(at)
    refused(BAD_PARAMETER, "not inside an allocation", acl.aclrtMemcpy, at, 64, here, 64, H2D)
    refused(BAD_PARAMETER, "not the start of an allocation", acl.aclrtFree, at)
    refused(BAD_PARAMETER, "not the start of an allocation", acl.aclrtFree, here)


def test_memory_is_limited_and_comes_back(acl: Acl) -> None:
    size = ctypes.c_size_t
    free, total = size(), size()
    acl.aclrtGetMemInfo(1, ctypes.byref(free), ctypes.byref(total))
    assert total.value == MEMORY
    refused(OUT_OF_MEMORY, "is out of memory", acl.malloc, free.value + 1)
    everything = acl.malloc(free.value)
    refused(OUT_OF_MEMORY, "0 of 67108864 free", acl.malloc, 1)
    acl.aclrtFree(pointer(everything))
    acl.aclrtFree(pointer(acl.malloc(free.value)))


def test_freed_ranges_join(acl: Acl) -> None:
    pieces = [acl.malloc(7 << 20) for _ in range(7)]
    for i in (1, 3, 5, 0, 4, 2, 6):
        acl.aclrtFree(pointer(pieces[i]))
    acl.aclrtFree(pointer(acl.malloc(48 << 20)))


def test_new_memory_is_poisoned(acl: Acl) -> None:
    address = acl.upload(np.zeros(4096, np.uint8))
    acl.aclrtFree(pointer(address))
    address = acl.malloc(4096)
    np.testing.assert_array_equal(acl.download(address, np.empty(4096, np.uint8)), 0xA5)
    acl.aclrtMemset(pointer(address), 4096, 7, 100)
    found = acl.download(address, np.empty(4096, np.uint8))
    assert (found[:100] == 7).all()
    assert (found[100:] == 0xA5).all()
    acl.aclrtFree(pointer(address))


def test_pinned_memory_and_pointer_attributes(acl: Acl) -> None:
    class Attributes(ctypes.Structure):
        _fields_ = (
            ("id", ctypes.c_uint32),
            ("type", ctypes.c_int),
            ("page", ctypes.c_uint32),
            ("r", ctypes.c_uint32 * 4),
        )

    def kind(address: int) -> tuple[int, int]:
        found = Attributes()
        acl.aclrtPointerGetAttributes(pointer(address), ctypes.byref(found))
        return found.type, found.id

    pinned = acl.out("aclrtMallocHost", 100)
    acl.aclrtSetDevice(2)
    address = acl.malloc(100)
    acl.aclrtSetDevice(0)
    assert kind(pinned) == (0, 0)
    assert kind(address + 99) == (1, 2)
    assert kind(np.zeros(4).ctypes.data)[0] == 2
    refused(BAD_PARAMETER, "of device memory", acl.aclrtFree, pointer(pinned))
    acl.aclrtFreeHost(pointer(pinned))
    acl.aclrtFree(pointer(address))


# -- streams and events ----------------------------------------------------------------------------------


def test_a_stream_keeps_its_order_and_streams_overlap(acl: Acl) -> None:
    first, second, seen = acl.stream(), acl.stream(), list[str]()
    gate = threading.Event()
    wait = HOST_FUNCTION(lambda _: (gate.wait(20), seen.append("waited"))[0] and None)
    note = HOST_FUNCTION(lambda _: seen.append("noted"))
    open_gate = HOST_FUNCTION(lambda _: (seen.append("opened"), gate.set())[1])
    acl.aclrtLaunchHostFunc(pointer(first), wait, None)
    acl.aclrtLaunchHostFunc(pointer(first), note, None)
    assert acl.library.aclrtSynchronizeStreamWithTimeout(pointer(first), 20) == 507046
    # If the streams shared a thread, the gate would never open.
    acl.aclrtLaunchHostFunc(pointer(second), open_gate, None)
    acl.aclrtSynchronizeDevice()
    assert seen == ["opened", "waited", "noted"]


def test_events_order_streams(acl: Acl) -> None:
    first, second, seen = acl.stream(), acl.stream(), list[int]()
    event, gate = acl.event(), threading.Event()
    blocked = HOST_FUNCTION(lambda _: (gate.wait(20), seen.append(1))[1])
    after = HOST_FUNCTION(lambda _: seen.append(2))
    acl.aclrtLaunchHostFunc(pointer(first), blocked, None)
    acl.aclrtRecordEvent(pointer(event), pointer(first))
    acl.aclrtStreamWaitEvent(pointer(second), pointer(event))
    acl.aclrtLaunchHostFunc(pointer(second), after, None)
    status = ctypes.c_int()
    acl.aclrtQueryEventStatus(pointer(event), ctypes.byref(status))
    assert status.value == 0
    acl.aclrtDestroyEvent(pointer(event))  # the queued wait keeps it
    gate.set()
    acl.aclrtSynchronizeStream(pointer(second))
    assert seen == [1, 2]
    refused(BAD_HANDLE, "is not an event", acl.aclrtSynchronizeEvent, pointer(event))


def test_a_wait_means_the_recording_before_it(acl: Acl) -> None:
    first, second, gate = acl.stream(), acl.stream(), threading.Event()
    event = acl.event()
    acl.aclrtRecordEvent(pointer(event), pointer(first))
    acl.aclrtStreamWaitEvent(pointer(second), pointer(event))
    blocked = HOST_FUNCTION(lambda _: gate.wait(20) and None)
    acl.aclrtLaunchHostFunc(pointer(first), blocked, None)
    acl.aclrtRecordEvent(pointer(event), pointer(first))
    acl.aclrtSynchronizeStream(pointer(second))  # would wait for ever if it meant the second recording
    gate.set()
    acl.aclrtSynchronizeEvent(pointer(event))


def test_event_times(acl: Acl) -> None:
    stream, start, end = acl.stream(), acl.event(8), acl.event(8)
    milliseconds = ctypes.c_float()
    elapsed = (ctypes.byref(milliseconds), pointer(start), pointer(end))
    refused(107006, "not recorded", acl.aclrtEventElapsedTime, *elapsed)
    acl.aclrtRecordEvent(pointer(start), pointer(stream))
    acl.aclrtRecordEvent(pointer(end), pointer(stream))
    acl.aclrtSynchronizeEvent(pointer(end))
    acl.aclrtEventElapsedTime(*elapsed)
    assert milliseconds.value >= 0
    untimed = acl.event(1)
    acl.aclrtRecordEvent(pointer(untimed), pointer(stream))
    acl.aclrtSynchronizeEvent(pointer(untimed))
    refused(107006, "keeps no time", acl.aclrtEventElapsedTime, elapsed[0], pointer(start), pointer(untimed))


def test_destroyed_streams_are_refused(acl: Acl) -> None:
    stream = acl.stream()
    acl.aclrtDestroyStream(pointer(stream))
    refused(BAD_STREAM, "was destroyed", acl.aclrtSynchronizeStream, pointer(stream))
    refused(BAD_STREAM, "was destroyed", acl.aclrtDestroyStream, pointer(stream))


# -- kernels ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def arrays() -> tuple[np.ndarray, np.ndarray]:  # type: ignore[type-arg]
    rng = np.random.default_rng(7)
    return tuple(rng.standard_normal(10007).astype(np.float32) for _ in range(2))  # type: ignore[return-value]


@pytest.fixture(scope="module")
def kernel(acl: Acl, arrays: tuple[np.ndarray, np.ndarray]) -> Kernel:  # type: ignore[type-arg]
    return Kernel(acl, *arrays)


def test_launch_by_host_arguments(acl: Acl, kernel: Kernel, arrays: tuple[np.ndarray, ...]) -> None:  # type: ignore[type-arg]
    addresses = [acl.upload(a) for a in (*arrays, np.zeros_like(arrays[0]))]
    stream, before = acl.stream(), acl.launches(kernel.name)
    kernel.launch(kernel.block(*addresses), stream)
    acl.aclrtSynchronizeStream(pointer(stream))
    np.testing.assert_array_equal(acl.download(addresses[2], arrays[0]), kernel.expected)
    assert acl.launches(kernel.name) == before + 1


def test_launch_by_device_arguments(acl: Acl, kernel: Kernel, arrays: tuple[np.ndarray, ...]) -> None:  # type: ignore[type-arg]
    addresses = [acl.upload(a) for a in (*arrays, np.zeros_like(arrays[0]))]
    block = np.frombuffer(kernel.block(*addresses), np.uint8)
    cores = kernel.described.plan.cores
    launch = acl.aclrtLaunchKernel
    refused(BAD_PARAMETER, "is host memory", launch, kernel.function, cores, data(block), block.nbytes, None)
    there = acl.upload(block)
    refused(BAD_PARAMETER, "bytes of arguments", launch, kernel.function, cores, pointer(there), 8, None)
    launch(kernel.function, cores, pointer(there), block.nbytes, None)
    acl.aclrtSynchronizeStream(None)
    np.testing.assert_array_equal(acl.download(addresses[2], arrays[0]), kernel.expected)


def test_launch_by_the_older_interface(acl: Acl, kernel: Kernel, arrays: tuple[np.ndarray, ...]) -> None:  # type: ignore[type-arg]
    class Binary(ctypes.Structure):
        _fields_ = (
            ("magic", ctypes.c_uint32),
            ("version", ctypes.c_uint32),
            ("data", ctypes.c_char_p),
            ("length", ctypes.c_uint64),
        )

    binary = Binary(0x41415246, 0, kernel.image, len(kernel.image))
    handle, stub = ctypes.c_void_p(), ctypes.create_string_buffer(b"stub")
    acl.rtDevBinaryRegister(ctypes.byref(binary), ctypes.byref(handle))
    acl.rtFunctionRegister(handle, stub, b"stub", b"elu_backward_mix_aiv", ctypes.c_uint32(0))
    addresses = [acl.upload(a) for a in (*arrays, np.zeros_like(arrays[0]))]
    block = kernel.block(*addresses)
    acl.rtKernelLaunch(stub, kernel.described.plan.cores, block, len(block), None, None)
    acl.aclrtSynchronizeDevice()
    np.testing.assert_array_equal(acl.download(addresses[2], arrays[0]), kernel.expected)
    binary.magic = 1
    refused(
        BAD_PARAMETER, "magic number", acl.rtDevBinaryRegister, ctypes.byref(binary), ctypes.byref(handle)
    )


def test_placeholders_point_into_the_block(acl: Acl, kernel: Kernel, arrays: tuple[np.ndarray, ...]) -> None:  # type: ignore[type-arg]
    class Holder(ctypes.Structure):
        _fields_ = (("address", ctypes.c_uint32), ("data", ctypes.c_uint32))

    result = acl.upload(np.zeros_like(arrays[0]))
    block = kernel.block(0, 0, result) + arrays[0].tobytes() + arrays[1].tobytes()
    first = kernel.described.size
    fields = [f.offset for f in kernel.described.fields if f.kind == "pointer"]
    holders = (Holder * 2)((fields[0], first), (fields[1], first + arrays[0].nbytes))
    cores = kernel.described.plan.cores
    acl.aclrtLaunchKernelWithHostArgs(kernel.function, cores, None, None, block, len(block), holders, 2)
    acl.aclrtSynchronizeDevice()
    np.testing.assert_array_equal(acl.download(result, arrays[0]), kernel.expected)


def test_wrong_launches_are_refused_at_the_call(acl: Acl, kernel: Kernel) -> None:
    block, launch = kernel.block(0, 0, 0), acl.aclrtLaunchKernelWithHostArgs
    refused(BAD_PARAMETER, "0 blocks", launch, kernel.function, 0, None, None, block, len(block), None, 0)
    refused(BAD_PARAMETER, "bytes of arguments", launch, kernel.function, 1, None, None, block, 8, None, 0)
    refused(BAD_HANDLE, "not a kernel function", launch, None, 1, None, None, block, len(block), None, 0)
    find = acl.aclrtBinaryGetFunction
    where = ctypes.byref(ctypes.c_void_p())
    refused(NO_SYMBOL, "has no kernel nothing", find, kernel.binary, b"nothing", where)
    refused(BAD_HANDLE, "is not a binary", find, None, b"elu_backward", where)


def test_files_need_their_description(acl: Acl, kernel: Kernel, tmp_path: Path) -> None:
    path = tmp_path / "kernel.o"
    path.write_bytes(kernel.image)
    load, where = acl.aclrtBinaryLoadFromFile, ctypes.byref(ctypes.c_void_p())
    refused(107009, "kernel.json", load, str(path).encode(), None, where)
    (tmp_path / "kernel.json").write_text("{}")
    load(str(path).encode(), None, where)
    path.write_bytes(kernel.image[:5000])
    handle = pointer(acl.out("aclrtBinaryLoadFromFile", str(path).encode(), None, last=True))
    refused(BAD_PARAMETER, "TW4001", acl.aclrtBinaryGetFunction, handle, b"elu_backward", where)


def test_a_wrong_address_stops_the_stream_with_a_readable_error(
    acl: Acl,
    kernel: Kernel,
    arrays: tuple[np.ndarray, ...],  # type: ignore[type-arg]
) -> None:
    good = [acl.upload(a) for a in (*arrays, np.zeros_like(arrays[0]))]
    stream, other, event = acl.stream(), acl.stream(), acl.event()
    small = acl.malloc(64)
    kernel.launch(kernel.block(good[0], good[1], small), stream)
    kernel.launch(kernel.block(*good), stream)  # skipped: the stream has failed
    acl.aclrtRecordEvent(pointer(event), pointer(stream))
    acl.aclrtStreamWaitEvent(pointer(other), pointer(event))
    for _ in range(2):
        refused(CORE_EXCEPTION, "elu_backward", acl.aclrtSynchronizeStream, pointer(stream))
    refused(CORE_EXCEPTION, "TW4010", acl.aclrtSynchronizeEvent, pointer(event))
    np.testing.assert_array_equal(acl.download(good[2], arrays[0]), 0)
    kernel.launch(kernel.block(*good), other)  # another stream is not affected
    acl.aclrtSynchronizeStream(pointer(other))
    np.testing.assert_array_equal(acl.download(good[2], arrays[0]), kernel.expected)
    acl.aclrtDestroyStreamForce(pointer(stream))


def test_memory_of_another_device_is_out_of_reach(
    acl: Acl, kernel: Kernel, arrays: tuple[np.ndarray, ...]
) -> None:  # type: ignore[type-arg]
    here = [acl.upload(a) for a in arrays]
    acl.aclrtSetDevice(1)
    there = acl.malloc(arrays[0].nbytes)
    acl.aclrtSetDevice(0)
    stream = acl.stream()
    kernel.launch(kernel.block(*here, there), stream)
    refused(CORE_EXCEPTION, "not memory of device 0", acl.aclrtSynchronizeStream, pointer(stream))
    acl.aclrtDestroyStreamForce(pointer(stream))
