"""Errors put into the reference kernels one at a time, and what has to be said about each.

An error replaces text of one source file. ``MARK`` in the new text (or in other text of that file, for errors
that show elsewhere) is the line that the message has to name.
"""

from __future__ import annotations

from typing import NamedTuple

MARK = "/*here*/"


class Injected(NamedTuple):
    """One error.

    Attributes:
        name: what is wrong.
        call: which call of ``CALLS`` shows it.
        file: the source, below kernels_ref/.
        old, new: replacement of the first occurrence; ``more`` holds further replacements.
        code: "TWnnnn" that stops the launch in fast mode, or the kind of a finding of check mode.
        says: regular expression for the message.
    """

    name: str
    call: str
    file: str
    old: str
    new: str
    code: str
    says: str
    more: tuple[tuple[str, str], ...] = ()


ELU = "elu_grad_v2/op_kernel/elu_grad_v2_kernel.h"
TILE = "elu_grad_v2/op_kernel/elu_grad_v2_single_tile.h"
MATH = "elu_grad_v2/op_kernel/elu_grad_v2_compute.h"
BCE = "binary_cross_entropy_grad/op_kernel/binary_cross_entropy_grad_kernel.h"
NORM = "batch_normalization_grad/op_kernel/batch_normalization_grad_kernel.h"
PARAMETERS = "common/channel_parameters.h"

_ENQUE = "queue.EnQue(local);"
_FREE_Y = "yQueue.FreeTensor(y);"
_INIT_DY = "pipe->InitBuffer(dyQueue, tiling.bufferNum, tile * sizeof(T));"
_DEQUE_X = "LocalTensor<T> x = xQueue.DeQue<T>();"
_EXTRA = "const LocalTensor<uint8_t> mask = maskBuf.Get<uint8_t>();\n    LocalTensor<T> x"
_MUL = "Mul(y, y, dy, static_cast<int32_t>(count));"

QUEUES = (
    Injected(
        "EnQue is missing",
        "elu",
        ELU,
        _ENQUE,
        "",
        "TW4030",
        "DeQue: nothing was put into this VECIN",
        ((_DEQUE_X, _DEQUE_X + MARK),),
    ),
    Injected(
        "EnQue twice",
        "elu",
        ELU,
        _ENQUE,
        _ENQUE + f"\n queue.EnQue(local); {MARK}",
        "TW4030",
        "EnQue: the tensor is in this VECIN queue already",
    ),
    Injected(
        "EnQue after DeQue",
        "elu",
        ELU,
        _FREE_Y,
        f"yQueue.EnQue(y); {MARK}",
        "TW4030",
        "was taken from this VECOUT queue",
    ),
    Injected(
        "EnQue beyond the depth",
        "elu",
        ELU,
        "Load(xQueue, xGm, offset, count);",
        "Load(xQueue, xGm, offset, count);\n    Load(xQueue, xGm, offset, count);",
        "TW4030",
        "EnQue: a VECIN queue of depth 1 holds 1 tensors already",
        ((_ENQUE, _ENQUE + MARK),),
    ),
    Injected(
        "DeQue twice",
        "elu",
        ELU,
        _DEQUE_X,
        _DEQUE_X + f"\n    x = xQueue.DeQue<T>(); {MARK}",
        "TW4030",
        "DeQue: nothing",
    ),
    Injected(
        "third AllocTensor on two buffers",
        "elu",
        ELU,
        "LocalTensor<T> local = queue",
        "queue.template AllocTensor<T>(); queue.template AllocTensor<T>();\n    LocalTensor<T> local = "
        f"{MARK} queue",
        "TW4030",
        "AllocTensor: all 2 buffers of this VECIN queue are in use",
    ),
    Injected(
        "FreeTensor is missing",
        "elu",
        ELU,
        "xQueue.FreeTensor(x);\n      dyQueue",
        "dyQueue",
        "TW4030",
        "AllocTensor: all 2 buffers",
        (("LocalTensor<T> local = queue", f"LocalTensor<T> local = {MARK} queue"),),
    ),
    Injected(
        "FreeTensor is missing at the end",
        "elu_two_tiles",
        ELU,
        _FREE_Y,
        "",
        "TW4030",
        "is never freed \\(FreeTensor is missing\\)",
        (
            (
                "LocalTensor<T> y = yQueue.AllocTensor<T>();",
                f"LocalTensor<T> y = yQueue.AllocTensor<T>(); {MARK}",
            ),
        ),
    ),
    Injected(
        "FreeTensor twice",
        "elu",
        ELU,
        _FREE_Y,
        _FREE_Y + f"\n    {_FREE_Y} {MARK}",
        "TW4030",
        "FreeTensor: the tensor was freed before",
    ),
    Injected(
        "FreeTensor between EnQue and DeQue",
        "elu",
        ELU,
        _ENQUE,
        _ENQUE + f"\n queue.FreeTensor(local); {MARK}",
        "TW4030",
        "FreeTensor: the tensor is still in its VECIN queue",
    ),
    Injected(
        "FreeTensor into another queue",
        "elu",
        ELU,
        "xQueue.FreeTensor(x);\n      dyQueue.FreeTensor(dy);",
        f"dyQueue.FreeTensor(x); {MARK}\n      xQueue.FreeTensor(dy);",
        "TW4030",
        "does not belong to this VECIN",
    ),
    Injected(
        "InitBuffer is missing",
        "elu",
        ELU,
        _INIT_DY,
        "",
        "TW4030",
        "AllocTensor: InitBuffer was not called",
        (("LocalTensor<T> local = queue", f"LocalTensor<T> local = {MARK} queue"),),
    ),
    Injected(
        "InitBuffer twice",
        "elu",
        ELU,
        _INIT_DY,
        _INIT_DY + f"\n    {_INIT_DY} {MARK}",
        "TW4030",
        "the queue has its buffers already",
    ),
    Injected(
        "TBuf without InitBuffer",
        "elu",
        ELU,
        "pipe->InitBuffer(maskBuf, tile / 8);",
        "",
        "TW4030",
        "Get: InitBuffer was not called for this TBuf",
        (("maskBuf.Get<uint8_t>();", f"maskBuf.Get<uint8_t>(); {MARK}"),),
    ),
)

TENSORS = (
    Injected(
        "use after FreeTensor",
        "elu",
        ELU,
        "LocalTensor<OUT> y = yQueue.DeQue<OUT>();",
        "LocalTensor<OUT> y = yQueue.DeQue<OUT>();\n    yQueue.FreeTensor(y);",
        "TW4031",
        "DataCopyPad: the LocalTensor is used after FreeTensor",
        (("DataCopyPad(yGm[offset], y,", f"DataCopyPad(yGm[offset], {MARK} y,"),),
    ),
    Injected(
        "use before DeQue",
        "elu",
        ELU,
        _ENQUE,
        _ENQUE + f"\n local.SetValue(0, static_cast<T>(0)); {MARK}",
        "TW4031",
        "SetValue: the LocalTensor is used between EnQue and DeQue",
    ),
    Injected(
        "vector use before DeQue",
        "elu",
        ELU,
        "yQueue.EnQue(y);\n      xQueue",
        f"yQueue.EnQue(y);\n      Muls(y, y, static_cast<T>(2), 8); {MARK}\n      xQueue",
        "TW4031",
        "Muls: the LocalTensor is used between EnQue and DeQue",
    ),
    Injected(
        "tensor without a buffer",
        "elu",
        ELU,
        _DEQUE_X,
        _DEQUE_X + f"\n LocalTensor<T> none; none.GetValue(0); {MARK}",
        "TW4031",
        "GetValue: the LocalTensor has no buffer",
    ),
    Injected(
        "old handle after the buffer's next AllocTensor",
        "norm",
        NORM,
        "const float gradBias = gSum.Value()",
        f"Adds(old, old, static_cast<T>(0), 8); {MARK}\n      const float gradBias = gSum.Value()",
        "TW4031",
        "used after FreeTensor",
        (
            ("inQueueInput.EnQue(x);", "if (!kept) { old = x; kept = true; }\n    inQueueInput.EnQue(x);"),
            (
                "GlobalTensor<T> gradOutputGm",
                "LocalTensor<T> old;\n  bool kept = false;\n  GlobalTensor<T> gradOutputGm",
            ),
        ),
    ),
    Injected(
        "count beyond the tensor",
        "elu",
        MATH,
        "Exp(y, x, count);",
        f"Exp(y, x, 100000); {MARK}",
        "TW4032",
        "Exp: the destination needs 400000 bytes, its LocalTensor has",
    ),
    Injected(
        "index beyond the tensor",
        "elu",
        ELU,
        _DEQUE_X,
        _DEQUE_X + f"\n x.GetValue(1u << 20); {MARK}",
        "TW4032",
        "GetValue: index 1048576 in a LocalTensor of",
    ),
    Injected(
        "offset beyond the tensor",
        "elu",
        ELU,
        _DEQUE_X,
        _DEQUE_X + f"\n x = x[1u << 20]; {MARK}",
        "TW4032",
        r"operator\[\]: offset 1048576 in a LocalTensor of",
    ),
    Injected(
        "part of a TBuf beyond its end",
        "elu",
        ELU,
        "maskBuf.Get<uint8_t>();",
        f"maskBuf.Get<uint8_t>(1u << 20); {MARK}",
        "TW4032",
        "Get: bytes 0 to 1048576 of a TBuf of",
    ),
    Injected(
        "repeats beyond the tensor",
        "elu",
        MATH,
        _MUL,
        f"Mul(y, y, dy, 64ull, 255, BinaryRepeatParams(1, 1, 1, 8, 8, 8)); {MARK}",
        "TW4032",
        "Mul: the destination needs",
    ),
    Injected(
        "mask bits too small for the selection",
        "elu",
        MATH,
        "Select(y, mask, y, scale",
        f"Select(y, mask[(count + 7) / 8 / 32 * 32], {MARK} y, scale",
        "TW4032",
        "Select: the mask needs",
    ),
)

LIMITS = (
    Injected(
        "mask 65 of floats",
        "elu",
        MATH,
        _MUL,
        f"Mul(y, y, dy, 65ull, 4, BinaryRepeatParams()); {MARK}",
        "TW4033",
        "Mul: mask 65; elements of 4 bytes have 1 to 64",
    ),
    Injected(
        "mask word 1 of floats",
        "elu",
        MATH,
        _MUL,
        f"uint64_t m[2] = {{1, 1}}; Mul(y, y, dy, m, 4, BinaryRepeatParams()); {MARK}",
        "TW4033",
        "mask words 0x1, 0x1",
    ),
    Injected(
        "DataCopy of 28 bytes",
        "elu",
        ELU,
        "queue.EnQue(local);",
        f"DataCopy(local, gm, 7u); {MARK}\n queue.EnQue(local);",
        "TW4033",
        "DataCopy: 28 bytes are no multiple of 32",
    ),
    Injected(
        "misaligned destination of a copy",
        "elu",
        ELU,
        "DataCopyPad(local, gm[offset],",
        f"DataCopyPad(local[1], {MARK} gm[offset],",
        "TW4033",
        "starts at UB byte .* no multiple of 32",
        (
            (
                "tile * sizeof(T));\n    pipe->InitBuffer(xQueue",
                "tile * sizeof(T) + 32);\n    pipe->InitBuffer(xQueue",
            ),
        ),
    ),
    Injected(
        "misaligned vector operand",
        "elu",
        MATH,
        _MUL,
        f"Mul(y, y, dy[3], {MARK} static_cast<int32_t>(count) - 3);",
        "TW4033",
        "Mul: a source starts at UB byte",
    ),
    Injected(
        "operands overlap in part",
        "elu",
        MATH,
        _MUL,
        f"Mul(y[8], y, dy, {MARK} static_cast<int32_t>(count) - 8);",
        "TW4033",
        "Mul: destination at UB byte .* overlaps a source",
    ),
    Injected(
        "compare of a ragged count",
        "elu",
        MATH,
        "CompareScalar(mask, x, 0.0f, CMPMODE::GT, lanes);",
        f"CompareScalar(mask, x, 0.0f, CMPMODE::GT, 100u); {MARK}",
        "TW4033",
        "CompareScalar: count 100 is 400 bytes",
    ),
    Injected(
        "scalar form of Select in the other mode",
        "elu",
        MATH,
        "SELMODE::VSEL_TENSOR_SCALAR_MODE, count);",
        f"SELMODE::VSEL_TENSOR_TENSOR_MODE, count); {MARK}",
        "TW4033",
        "Select: a tensor and a scalar take",
    ),
    Injected(
        "round mode that does not exist",
        "elu_bf16",
        MATH,
        "Cast(y, f, RoundMode::CAST_RINT, count);",
        f"Cast(y, f, RoundMode::CAST_ODD, count); {MARK}",
        "TW4033",
        "Cast: the pair of types has no conversion",
    ),
    Injected(
        "rows of half an element",
        "elu",
        ELU,
        "DataCopyExtParams(1, count * sizeof(T), 0, 0, 0),",
        f"DataCopyExtParams(1, count * sizeof(T) - 2, 0, 0, 0), {MARK}",
        "TW4033",
        "blockLen .* is no multiple of the 4 bytes",
    ),
    Injected(
        "too many rows",
        "elu",
        ELU,
        "DataCopyExtParams(1, count * sizeof(T), 0, 0, 0),",
        f"DataCopyExtParams(5000, 32, 0, 0, 0), {MARK}",
        "TW4033",
        "blockCount 5000; 0 to 4095",
    ),
    Injected(
        "too much padding",
        "elu",
        ELU,
        "DataCopyPadExtParams<T>(false, 0, 0,",
        "DataCopyPadExtParams<T>(true, 0, 9,",
        "TW4033",
        "leftPadding 0, rightPadding 9",
        (("DataCopyPad(local, gm[offset],", f"DataCopyPad(local, {MARK} gm[offset],"),),
    ),
    Injected("negative count", "elu", MATH, _MUL, f"Mul(y, y, dy, -1); {MARK}", "TW4032", "Mul: count -1"),
    Injected(
        "UB over budget",
        "elu",
        ELU,
        _INIT_DY,
        f"pipe->InitBuffer(dyQueue, 2, 100000); {MARK}",
        "TW4034",
        "2 buffers of 100000 bytes reach UB byte 200000",
    ),
    Injected(
        "UB over budget beside Select",
        "elu",
        ELU,
        "compute.Init(tiling);",
        "pipe->InitBuffer(dyBuf, 190000 - tile * 193 / 8);\n    compute.Init(tiling);",
        "TW4034",
        "Select: its table starts at UB byte 188416",
        (),
    ),
    Injected(
        "buffer of no bytes",
        "elu",
        ELU,
        "pipe->InitBuffer(maskBuf, tile / 8);",
        f"pipe->InitBuffer(maskBuf, 0); {MARK}",
        "TW4034",
        "a buffer of 0 bytes",
    ),
    Injected(
        "more than 64 buffers",
        "elu",
        ELU,
        _INIT_DY,
        f"pipe->InitBuffer(dyQueue, 65, 32); {MARK}",
        "TW4034",
        "more than 64 buffers",
    ),
    Injected(
        "event id 9",
        "elu_small",
        TILE,
        "SetFlag<HardEvent::MTE2_V>(EVENT_ID0);",
        f"SetFlag<HardEvent::MTE2_V>(9); {MARK}",
        "TW4035",
        "SetFlag: event id 9",
    ),
    Injected(
        "nine events of a pair",
        "elu_small",
        TILE,
        "SetFlag<HardEvent::MTE2_V>(EVENT_ID0);",
        f"for (int i = 0; i < 9; ++i) GetTPipePtr()->AllocEventID<HardEvent::V_S>(); {MARK}\n"
        "SetFlag<HardEvent::MTE2_V>(EVENT_ID0);",
        "TW4035",
        "all 8 event ids of this pair of pipes are taken",
    ),
    Injected(
        "release of an event that is not taken",
        "elu_small",
        TILE,
        "SetFlag<HardEvent::MTE2_V>(EVENT_ID0);",
        f"GetTPipePtr()->ReleaseEventID<HardEvent::V_S>(2); {MARK}\nSetFlag<HardEvent::MTE2_V>(EVENT_ID0);",
        "TW4035",
        "ReleaseEventID: id 2 is not taken",
    ),
    Injected(
        "wrong event id",
        "elu_small",
        TILE,
        "WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);",
        f"WaitFlag<HardEvent::MTE2_V>(EVENT_ID1); {MARK}",
        "TW4013",
        "flag MTE2->V id 1 was not set before",
    ),
    Injected(
        "wrong event type",
        "elu_small",
        TILE,
        "WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);",
        f"WaitFlag<HardEvent::MTE3_V>(EVENT_ID0); {MARK}",
        "TW4013",
        "flag MTE3->V id 0 was not set before",
    ),
    Injected(
        "SyncAll of many blocks",
        "elu",
        ELU,
        _DEQUE_X,
        f"SyncAll(); {MARK}\n    {_DEQUE_X}",
        "TW4015",
        "SyncAll: the emulator runs blocks one after another",
    ),
)

MEMORY = (
    Injected(
        "wrong tail",
        "elu",
        ELU,
        "length - done < tile ? static_cast<uint32_t>(length - done) : tile;",
        "tile;",
        "TW4036",
        "DataCopyPad: .* bytes of a GlobalTensor that ends after",
        (("DataCopyPad(local, gm[offset],", f"DataCopyPad(local, {MARK} gm[offset],"),),
    ),
    Injected(
        "GM past the end",
        "elu",
        ELU,
        "xGm.SetGlobalBuffer((__gm__ T *)x + range.start, length);",
        "xGm.SetGlobalBuffer((__gm__ T *)x + range.start + 100);",
        "TW4010",
        "reads bytes .* of an allocation",
        (("DataCopyPad(local, gm[offset],", f"DataCopyPad(local, {MARK} gm[offset],"),),
    ),
    Injected(
        "store past the end",
        "elu",
        ELU,
        "yGm.SetGlobalBuffer((__gm__ OUT *)y + range.start, length);",
        "yGm.SetGlobalBuffer((__gm__ OUT *)y + range.start + 1);",
        "TW4010",
        "writes bytes .* of an allocation",
        (("DataCopyPad(yGm[offset], y,", f"DataCopyPad(yGm[offset], {MARK} y,"),),
    ),
    Injected(
        "store into an input",
        "elu",
        ELU,
        "(__gm__ OUT *)y + range.start",
        "(__gm__ OUT *)x + range.start",
        "TW4010",
        "that is not writable",
        (("DataCopyPad(yGm[offset], y,", f"DataCopyPad(yGm[offset], {MARK} y,"),),
    ),
    Injected(
        "offset past a GlobalTensor",
        "elu",
        ELU,
        "yGm[offset], y, DataCopyExtParams",
        f"yGm[offset + (1ull << 40)], {MARK} y, DataCopyExtParams",
        "TW4036",
        r"operator\[\]: offset \d+ in a GlobalTensor of",
    ),
    Injected(
        "SetGlobalBuffer is missing",
        "elu",
        ELU,
        "xGm.SetGlobalBuffer((__gm__ T *)x + range.start, length);",
        "",
        "TW4036",
        "offset .* in a GlobalTensor of 0 elements|has no SetGlobalBuffer",
        (("DataCopyPad(local, gm[offset],", f"DataCopyPad(local, {MARK} gm[offset],"),),
    ),
    Injected(
        "scalar read past a GlobalTensor",
        "bce",
        BCE,
        "return static_cast<float>(gradGm.GetValue(0));",
        f"return static_cast<float>(gradGm.GetValue(1)); {MARK}",
        "TW4036",
        "GetValue: index 1 in a GlobalTensor of 1",
    ),
)

#: Found by check mode.
HAZARDS = (
    Injected(
        "barrier between dependent vector instructions",
        "elu",
        MATH,
        "PipeBarrier<PIPE_V>();\n    Mul(y, y, dy",
        f"Mul(y, y, dy {MARK}",
        "race_raw",
        "VMUL.f32 .V. reads UB bytes that VSEL",
    ),
    Injected(
        "no wait for the load",
        "elu_small",
        TILE,
        "SetFlag<HardEvent::MTE2_V>(EVENT_ID0);\n    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);",
        "",
        "race_raw",
        "reads UB bytes that MOV.OUT.TO.UB",
    ),
    Injected(
        "no wait before the store",
        "elu_small",
        TILE,
        "SetFlag<HardEvent::V_MTE3>(EVENT_ID0);\n    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);",
        "",
        "race_raw",
        r"MOV.UB.TO.OUT.* \(MTE3\) reads UB bytes that VMUL",
        (("DataCopyPad(yGm, y,", f"DataCopyPad(yGm, {MARK} y,"),),
    ),
    Injected(
        "flag that nobody waits for",
        "elu_small",
        TILE,
        "WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);",
        f"WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);\n    SetFlag<HardEvent::V_S>(EVENT_ID3); {MARK}",
        "flag_left_set",
        "flag V->S id 3 is still set",
    ),
    Injected(
        "flag set twice",
        "elu_small",
        TILE,
        "SetFlag<HardEvent::MTE2_V>(EVENT_ID0);",
        f"SetFlag<HardEvent::MTE2_V>(EVENT_ID0);\n    SetFlag<HardEvent::MTE2_V>(EVENT_ID0); {MARK}",
        "flag_overfull",
        "flag MTE2->V id 0 is set again",
    ),
    Injected(
        "scalar read without a flag",
        "norm",
        PARAMETERS,
        "SetFlag<HardEvent::MTE2_S>(EVENT_ID7);\n  WaitFlag<HardEvent::MTE2_S>(EVENT_ID7);",
        "",
        "race_raw",
        r"scalar load \(S\) reads UB bytes that MOV.OUT.TO.UB",
    ),
    Injected(
        "scalar results stored without a flag",
        "norm",
        PARAMETERS,
        "SetFlag<HardEvent::S_MTE3>(EVENT_ID7);\n  WaitFlag<HardEvent::S_MTE3>(EVENT_ID7);",
        "",
        "race_raw",
        r"\(MTE3\) reads UB bytes that scalar store",
        (
            ("SetFlag<HardEvent::S_V>(EVENT_ID7);\n  WaitFlag<HardEvent::S_V>(EVENT_ID7);", ""),
            ("DataCopyPad(gm[first], Raw(),", f"DataCopyPad(gm[first], {MARK} Raw(),"),
        ),
    ),
    Injected(
        "buffer of parameters reused too early",
        "norm_groups",
        NORM,
        "PipeBarrier<PIPE_ALL>();",
        "",
        "race_war",
        r"overwrites UB bytes that MOV.UB.TO.OUT.* \(MTE3\) still reads",
    ),
    Injected(
        "tile that is never loaded",
        "elu",
        ELU,
        "Load(dyQueue, dyGm, offset, count);",
        "LocalTensor<T> none = dyQueue.AllocTensor<T>(); dyQueue.EnQue(none);",
        "uninitialized_read",
        "reads UB bytes that",
        (("DataCopyPad(yGm[offset], y,", f"DataCopyPad(yGm[offset], {MARK} y,"),),
    ),
    Injected(
        "scalar store to GM that is not flushed",
        "elu_small",
        TILE,
        "const LocalTensor<T> x = xBuf",
        f"yGm.SetValue(0, static_cast<OUT>(0)); {MARK}\n    const LocalTensor<T> x = xBuf",
        "not_flushed",
        "a scalar store to GM stays in the data cache",
    ),
    Injected(
        "blocks that write the same bytes",
        "elu",
        ELU,
        "(__gm__ OUT *)y + range.start, length)",
        "(__gm__ OUT *)y, length)",
        "core_race",
        "same|both|another block|GM",
    ),
    Injected(
        "last tile is not stored",
        "elu",
        ELU,
        "CopyOut(done, count);\n",
        "if (done + tile < length) { CopyOut(done, count); } else { "
        "LocalTensor<OUT> y = yQueue.DeQue<OUT>(); yQueue.FreeTensor(y); }\n",
        "gm_not_written",
        "bytes",
    ),
)

#: Refused by the compiler.
COMPILED = (
    Injected(
        "bfloat16 arithmetic",
        "elu_bf16",
        ELU,
        "xQueue.FreeTensor(x);\n      LocalTensor<T> dy",
        f"Adds(x, x, static_cast<T>(0), 8); {MARK}\n      xQueue.FreeTensor(x);\n      LocalTensor<T> dy",
        "TW3200",
        "Adds: element types on this core: half, float",
    ),
    Injected(
        "conversion that does not exist",
        "elu_bf16",
        ELU,
        "xQueue.FreeTensor(x);\n      LocalTensor<T> dy",
        f"Cast(x, x.template ReinterpretCast<half>(), RoundMode::CAST_NONE, 8); {MARK}\n"
        "      xQueue.FreeTensor(x);\n      LocalTensor<T> dy",
        "TW3200",
        "this core has no conversion",
    ),
    Injected(
        "barrier of the scalar pipe",
        "elu",
        ELU,
        _DEQUE_X,
        f"PipeBarrier<PIPE_S>(); {MARK}\n    {_DEQUE_X}",
        "TW3200",
        "PipeBarrier<PIPE_S> does not exist",
    ),
    Injected(
        "memories that do not mix",
        "elu",
        ELU,
        _DEQUE_X,
        f"float *p = xGm.GetPhyAddr(0); {MARK} (void)p;\n    {_DEQUE_X}",
        "TW3200",
        "cannot initialize a variable of type",
    ),
)

ALL = (*QUEUES, *TENSORS, *LIMITS, *MEMORY, *HAZARDS, *COMPILED)
