"""aten operators on the emulated device by the host's kernels.

torch_npu implements aten operators by CANN's operator library, which is not emulated. Here those operators
get the CPU kernel instead, on the same memory: tensors of the device are seen as host tensors over the
emulated memory, after the current stream was waited for, and results are put into new tensors. Views,
allocation and plain copies keep torch_npu's own implementation. This is a help for running whole programs; it
says nothing about a device.
"""

from __future__ import annotations

import ctypes
import functools
import warnings
from collections.abc import Callable
from typing import Any

import torch
from tilewright import emulated

_DEVICE = "PrivateUse1"

#: Operators that allocate, describe or move memory: torch_npu's own kernels need no operator library.
_KEEP = (
    "_copy_from", "_lazy_clone", "_local_scalar_dense", "_pin_memory", "_reshape_alias", "_resize_output_",
    "copy_memory_", "empty", "empty_like", "empty_strided", "empty_with_format", "empty_with_swapped_memory",
    "get_npu_format", "get_storage_size", "is_pinned", "is_set_to", "new_empty", "new_empty_strided",
    "record_stream", "resize_", "resize_as_", "set_", "storage_resize_", "unsafe_empty_with_format",
)  # fmt: skip

_library: torch.library.Library | None = None
_libraries: list[torch.library.Library] = []  # a Library takes its kernels back when it is collected
_native: dict[str, Any] = {}


def is_installed() -> bool:
    """True if the host's operators are in use."""
    return _library is not None


def install() -> int:
    """Give aten operators on the emulated device the host's kernels; returns how many.

    Raises:
        UsageError: TW5401 if the emulated CANN is not active: a real device keeps its own operators.
    """
    global _library
    if _library is not None:
        return 0
    emulated.library()
    library = torch.library.Library("aten", "IMPL")
    count = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch says once that kernels are replaced: that is what happens
        for name in _names():
            overload = _overload(name)
            if overload is None or _keeps(overload):
                continue
            special = _SPECIAL.get(name)
            if special is None:
                library.impl(name, functools.partial(_run, _Operator(overload)), _DEVICE, allow_override=True)
            else:
                _native[name] = torch.library.get_kernel(overload, _DEVICE)
                library.impl(name, special, _DEVICE, allow_override=True)
            count += 1
        registered = torch._C._dispatch_get_registrations_for_dispatch_key(_DEVICE)
        for name, own in _OWN.items():
            if name in registered:
                space, _, base = name.partition("::")
                other = library if space == "aten" else torch.library.Library(space, "IMPL")
                other.impl(base, own, _DEVICE, allow_override=True)
                _libraries.append(other)
                count += 1
    _library = library
    return count


def _names() -> list[str]:
    def registered(key: str) -> set[str]:
        found: list[str] = torch._C._dispatch_get_registrations_for_dispatch_key(key)
        return {name for name in found if name.startswith("aten::")}

    host = registered("CPU")
    for key in (
        "CompositeExplicitAutograd",
        "CompositeExplicitAutogradNonFunctional",
        "CompositeImplicitAutograd",
    ):
        host |= registered(key)
    return sorted(registered(_DEVICE) & host)


def _overload(name: str) -> Any:
    base, _, overload = name.removeprefix("aten::").partition(".")
    try:
        return getattr(getattr(torch.ops.aten, base), overload or "default")
    except AttributeError:
        return None


def _keeps(overload: Any) -> bool:
    # Views share memory with their tensor, views in place change its shape: torch_npu's own have to do it.
    if overload._schema.name.removeprefix("aten::") in _KEEP or torch.Tag.inplace_view in overload.tags:
        return True
    return any(r.alias_info is not None and not r.alias_info.is_write for r in overload._schema.returns)


class _Operator:
    """An overload and which of its arguments are results (``out=``)."""

    def __init__(self, overload: Any) -> None:
        self.overload = overload
        self.outputs = frozenset(a.name for a in overload._schema.arguments if a.is_out)


@functools.cache
def _acl() -> Any:
    library = emulated.library()
    library.aclrtSynchronizeStream.argtypes = [ctypes.c_void_p]
    library.aclGetRecentErrMsg.restype = ctypes.c_char_p
    return library


def wait(device: int) -> None:
    """Wait until the work of the device's current stream is done, torch_npu's own queue included.

    Raises:
        RuntimeError: a kernel of the stream failed.
    """
    import torch_npu

    stream = torch_npu._C._npu_getCurrentRawStream(device)
    if code := _acl().aclrtSynchronizeStream(stream):
        raise RuntimeError(f"{_acl().aclGetRecentErrMsg().decode()} (error {code})")


def host_view(tensor: torch.Tensor) -> torch.Tensor:
    """A host tensor over the memory of a tensor on the emulated device. It must not outlive the tensor."""
    result = torch.empty(0, dtype=tensor.dtype)
    storage = tensor.untyped_storage()
    size = storage.nbytes()
    if size:
        memory = (ctypes.c_char * size).from_address(emulated.view(storage.data_ptr()))
        seen = torch.frombuffer(memory, dtype=torch.uint8).untyped_storage()
        result.set_(seen, tensor.storage_offset(), tensor.shape, tensor.stride())
    else:
        result = torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype)
    if tensor.is_conj():
        result = result.conj()
    if tensor.is_neg():
        result = torch._neg_view(result)
    return result


def device_copy(tensor: torch.Tensor, device: torch.device) -> torch.Tensor:
    """A tensor on the emulated device with the contents of a host tensor, whose layout it keeps."""
    tensor = tensor.resolve_conj().resolve_neg()
    result = torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device=device)
    if result.numel():
        host_view(result).copy_(tensor)
    return result


class _Call:
    """One call: the translation of tensors between the device and the host."""

    def __init__(self) -> None:
        self.device: torch.device | None = None
        self.seen: list[tuple[torch.Tensor, torch.Tensor]] = []
        self.fresh: list[tuple[torch.Tensor, torch.Tensor]] = []

    def to_host(self, value: Any, output: bool = False) -> Any:
        if isinstance(value, torch.Tensor):
            if value.device.type != "npu":
                return value
            if self.device is None:
                wait(value.device.index)
            self.device = value.device
            if output:
                # The host's kernel may resize a result; memory of the device is resized by torch_npu.
                own = torch.empty(0, dtype=value.dtype)
                self.fresh.append((own, value))
                return own
            own = host_view(value)
            self.seen.append((own, value))
            return own
        if isinstance(value, torch.device):
            if value.type != "npu":
                return value
            index = torch.npu.current_device() if value.index is None else value.index
            if self.device is None:
                wait(index)
            self.device = torch.device("npu", index)
            return torch.device("cpu")
        if isinstance(value, torch.Generator):
            return None if value.device.type == "npu" else value
        if isinstance(value, (list, tuple)):
            return type(value)(self.to_host(v, output) for v in value)
        return value

    def to_device(self, value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            for own, original in (*self.seen, *self.fresh):
                if value is own:
                    return original
            return value if self.device is None else device_copy(value, self.device)
        if isinstance(value, (list, tuple)):
            return type(value)(self.to_device(v) for v in value)
        return value

    def store(self) -> None:
        for own, original in self.fresh:
            if original.shape != own.shape:
                original.resize_(own.shape)
            if own.numel():
                host_view(original).copy_(own)


def _run(operator: _Operator, *args: Any, **kwargs: Any) -> Any:
    call = _Call()
    host_args = [call.to_host(a) for a in args]
    host_kwargs = {name: call.to_host(a, name in operator.outputs) for name, a in kwargs.items()}
    host_kwargs.pop("pin_memory", None)
    result = operator.overload(*host_args, **host_kwargs)
    call.store()
    return call.to_device(result)


def _is_plain(a: torch.Tensor, b: torch.Tensor) -> bool:
    """True if copying one to the other is a copy of bytes."""
    return (
        a.dtype == b.dtype
        and a.shape == b.shape
        and a.stride() == b.stride()
        and a.is_contiguous()
        and a.is_conj() == b.is_conj()
        and a.is_neg() == b.is_neg()
    )


def _copy(self: torch.Tensor, src: torch.Tensor, non_blocking: bool = False) -> torch.Tensor:
    keys = torch._C.DispatchKeySet(torch._C.DispatchKey.PrivateUse1)
    if self.numel() == 0:
        return self
    if not _is_plain(self, src) and self.device.type == "npu" and src.device.type != "npu":
        # Converted and laid out on the host, then moved as bytes.
        src = torch.empty(self.shape, dtype=self.dtype).copy_(src)
    if _is_plain(self, src):
        host, there = (src, self) if self.device.type == "npu" else (self, src)
        if host.device.type != "npu" and not (non_blocking and host.is_pinned()):
            # torch_npu waits for the stream with Python's lock held, which the stream's work may need.
            wait(there.device.index)
        _native["aten::copy_"].call_boxed(keys, self, src, non_blocking)
        return self
    call = _Call()
    to, source = call.to_host(self), call.to_host(src)
    to.copy_(source)
    return self


def _to_copy(
    self: torch.Tensor,
    *,
    dtype: torch.dtype | None = None,
    layout: torch.layout | None = None,
    device: torch.device | None = None,
    pin_memory: bool | None = None,
    non_blocking: bool = False,
    memory_format: torch.memory_format | None = None,
) -> torch.Tensor:
    result = torch.empty_like(
        self,
        dtype=dtype,
        layout=layout,
        device=device,
        pin_memory=bool(pin_memory),
        memory_format=torch.preserve_format if memory_format is None else memory_format,
    )
    return result.copy_(self, non_blocking)


def _clone(self: torch.Tensor, *, memory_format: torch.memory_format | None = None) -> torch.Tensor:
    result = torch.empty_like(
        self, memory_format=torch.preserve_format if memory_format is None else memory_format
    )
    return result.copy_(self)


def _contiguous(
    self: torch.Tensor, *, memory_format: torch.memory_format = torch.contiguous_format
) -> torch.Tensor:
    if self.is_contiguous(memory_format=memory_format):
        return self
    return _clone(self, memory_format=memory_format)


def _vjp(
    forward: Callable[..., torch.Tensor], grad: torch.Tensor, inputs: list[torch.Tensor], wanted: list[bool]
) -> list[torch.Tensor | None]:
    """Gradients of ``forward(*inputs)`` for a gradient of its result, on the host; None where not wanted."""
    call = _Call()
    seen = [call.to_host(x).detach().requires_grad_(w) for x, w in zip(inputs, wanted, strict=True)]
    own_grad = call.to_host(grad)
    # Kernels run below autograd; here it is let in again.
    key, tls = torch._C.DispatchKey, torch._C
    above = tls.DispatchKeySet(key.AutogradCPU) | tls.DispatchKeySet(key.ADInplaceOrView)
    excluded = tls._dispatch_tls_local_exclude_set() - above
    guard = tls._ForceDispatchKeyGuard(tls._dispatch_tls_local_include_set(), excluded)
    with guard, torch.enable_grad():
        result = forward(*seen)
        found = iter(
            torch.autograd.grad(result, [x for x, w in zip(seen, wanted, strict=True) if w], own_grad)
        )
    return [call.to_device(next(found)) if w else None for w in wanted]


def _matmul_backward(grad: torch.Tensor, self: torch.Tensor, other: torch.Tensor, mask: list[bool]) -> Any:
    return tuple(_vjp(torch.matmul, grad, [self, other], list(mask)))


def _bce_with_logits_backward(
    grad_output: torch.Tensor,
    self: torch.Tensor,
    target: torch.Tensor,
    weight: torch.Tensor | None = None,
    pos_weight: torch.Tensor | None = None,
    reduction: int = 1,
) -> Any:
    call = _Call()
    target, weight, pos_weight = (call.to_host(x) for x in (target, weight, pos_weight))

    def forward(x: torch.Tensor) -> torch.Tensor:
        return torch.ops.aten.binary_cross_entropy_with_logits(x, target, weight, pos_weight, reduction)

    return _vjp(forward, grad_output, [self], [True])[0]


def _l1_loss_backward(
    grad_output: torch.Tensor, self: torch.Tensor, target: torch.Tensor, reduction: int
) -> Any:
    target = _Call().to_host(target)
    return _vjp(lambda x: torch.ops.aten.l1_loss(x, target, reduction), grad_output, [self], [True])[0]


def _kl_div_backward(
    grad_output: torch.Tensor,
    self: torch.Tensor,
    target: torch.Tensor,
    reduction: int = 1,
    *,
    log_target: bool = False,
) -> Any:
    target = _Call().to_host(target)

    def forward(x: torch.Tensor) -> torch.Tensor:
        return torch.ops.aten.kl_div(x, target, reduction, log_target=log_target)

    return _vjp(forward, grad_output, [self], [True])[0]


#: Gradients that torch_npu computes by operators of its own, which have no kernel on the host.
_OWN: dict[str, Callable[..., Any]] = {
    "aten::matmul_backward": _matmul_backward,
    "npu::npu_binary_cross_entropy_with_logits_backward": _bce_with_logits_backward,
    "npu::l1_loss_backward": _l1_loss_backward,
    "npu::kl_div_backward": _kl_div_backward,
}

_SPECIAL: dict[str, Callable[..., Any]] = {
    "aten::copy_": _copy,
    "aten::_to_copy": _to_copy,
    "aten::clone": _clone,
    "aten::contiguous": _contiguous,
}
