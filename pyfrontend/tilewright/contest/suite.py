"""The rows of the contest: operator, element type, shape, and where the shape is from.

Every operator here has a handwritten reference. Numbers of channels have the types that the reference takes:
those of the data for the gradient in training, f32 for the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Shape = tuple[int, ...]

NORM, ELEMENTWISE = "norm", "elementwise"
SUITES = ("small", "full")

_OPERATORS: Mapping[str, str] = {
    "batch_norm_backward": NORM, "batch_norm_backward_frozen": NORM, "batch_norm": NORM,
    "elu_backward": ELEMENTWISE, "binary_cross_entropy_backward": ELEMENTWISE,
    "binary_cross_entropy_with_logits_backward": ELEMENTWISE,
    "sigmoid_cross_entropy_backward_from_probability": ELEMENTWISE,
}  # fmt: skip


@dataclass(frozen=True)
class Row:
    """One call.

    Attributes:
        op: the operator's name.
        dtype: element type of the data, "f32", "f16" or "bf16".
        shape: of the data.
        source: the network, or "case NAME" of the published cases.
        attributes: attributes of the call.
        present: optional inputs that are given.
        small: whether it belongs to the small suite.
    """

    op: str
    dtype: str
    shape: Shape
    source: str
    attributes: Mapping[str, Any] = field(default_factory=dict[str, Any])
    present: tuple[str, ...] = ()
    small: bool = False

    @property
    def kind(self) -> str:
        """The class: "norm" or "elementwise"."""
        return _OPERATORS[self.op]

    @property
    def types(self) -> dict[str, str]:
        """Element types of inputs that differ from the operator's first choice."""
        if self.op == "batch_norm_backward":
            return dict.fromkeys(("weight", "save_mean", "save_invstd"), self.dtype)
        return {}

    @property
    def label(self) -> str:
        """The operator with what distinguishes its variants, for people."""
        if self.op == "batch_norm":
            return f"batch_norm {'training' if self.attributes.get('training') else 'inference'}"
        words = [str(self.attributes["reduction"])] if "reduction" in self.attributes else []
        if self.kind == ELEMENTWISE and "weight" in self.present:
            words.append("weight")
        return f"{self.op} ({', '.join(words)})" if words else self.op


_BOTH = ("weight", "bias", "running_mean", "running_var")


def _backward(dtype: str, shape: Shape, source: str, *, small: bool = False) -> Row:
    return Row("batch_norm_backward", dtype, shape, source, {}, ("weight",), small)


def _frozen(dtype: str, shape: Shape, source: str, *, small: bool = False) -> Row:
    return Row("batch_norm_backward_frozen", dtype, shape, source, {}, ("weight",), small)


def _training(dtype: str, shape: Shape, source: str, *, small: bool = False) -> Row:
    return Row("batch_norm", dtype, shape, source, {"training": True}, _BOTH, small)


def _inference(dtype: str, shape: Shape, source: str, *, small: bool = False) -> Row:
    return Row("batch_norm", dtype, shape, source, {"training": False}, _BOTH, small)


def _elu(dtype: str, shape: Shape, source: str, *, is_result: bool = False, small: bool = False) -> Row:
    return Row("elu_backward", dtype, shape, source, {"is_result": is_result}, (), small)


def _bce(
    dtype: str, shape: Shape, reduction: str, source: str, *, weight: bool = True, small: bool = False
) -> Row:
    attributes = {"reduction": reduction}
    present = ("weight",) if weight else ()
    return Row("binary_cross_entropy_backward", dtype, shape, source, attributes, present, small)


def _logits(dtype: str, shape: Shape, reduction: str, source: str, *, small: bool = False) -> Row:
    attributes = {"reduction": reduction}
    return Row("binary_cross_entropy_with_logits_backward", dtype, shape, source, attributes, (), small)


def _sigmoid(dtype: str, shape: Shape, reduction: str, source: str, *, small: bool = False) -> Row:
    attributes = {"reduction": reduction}
    op = "sigmoid_cross_entropy_backward_from_probability"
    return Row(op, dtype, shape, source, attributes, ("weight",), small)


RESNET, UNET, MOBILE, BERT, CTR = "ResNet-50", "U-Net", "MobileNet", "BERT-sized activations", "CTR model"
EXTREME = "extreme"

_PUBLISHED_NORM = (
    _backward("bf16", (167, 3, 192, 73), "case BatchNormGradV3_bfloat16_NCHW_fuzz_000080"),
    _backward("f16", (1, 160, 64, 1, 1), "case BatchNormGradV3_float16_NCDHW_fuzz_000000"),
    _backward("f16", (152, 1, 1, 461, 1), "case BatchNormGradV3_float16_NCDHW_fuzz_000008"),
    _backward("f32", (1888, 480, 11, 1), "case BatchNormGradV3_float32_NCHW_fuzz_000142"),
    _backward("f32", (160, 137, 32, 1), "case BatchNormGradV3_float32_NCHW_fuzz_000191"),
    _backward("f32", (80, 4, 31, 12), "case BatchNormGradV3_float32_NCHW_fuzz_000164", small=True),
    _backward("f32", (3, 19, 3329, 1), "case BatchNormGrad_float32_NCHW_fuzz_000045"),
    _backward("f16", (592, 1, 173, 1), "case BatchNormGrad_float16_NCHW_fuzz_000079"),
    _frozen("f16", (157, 181, 128, 3), "case BatchNormGradV3_infer_098"),
    _frozen("f32", (1, 2789, 7, 486), "case BatchNormGradV3_infer_037"),
    _frozen("f32", (128, 192, 1, 1, 1), "case BatchNormGradV3_infer_085"),
    _frozen("bf16", (10, 2, 3, 200), "case BatchNormGradV3_infer_003"),
    _frozen("f16", (1, 9888, 1, 1, 1), "case BatchNormGradV3_infer_069"),
    _training("bf16", (10, 881, 10, 10), "case bn_bfloat16_NCHW_001"),
    _training("f32", (7, 934, 4, 6, 6), "case bn_float32_NCDHW_008"),
    _training("f32", (32, 16, 16, 8), "case BatchNormV3_level0_0017", small=True),
    _training("f16", (1787, 17, 1, 174, 1), "case BatchNormV3_level0_0145"),
    _inference("f32", (6, 673, 6, 6), "case bn_float32_NCHW_000"),
    _inference("f32", (457, 564, 4, 4), "case BatchNormV3_level0_infer_0050"),
    _inference("f16", (2, 3797, 7, 157, 1), "case BatchNormV3_level0_infer_0044"),
    _inference("f32", (1, 20, 156, 416), "case BatchNormV3_level0_infer_0147", small=True),
    _inference("bf16", (10, 888, 10, 10), "case bn_bfloat16_NCHW_002"),
    _inference("bf16", (1, 1, 1, 17), "case BatchNormV3_level0_infer_0023"),
)

_NETWORK_NORM = (
    _backward("f16", (32, 64, 112, 112), RESNET),
    _backward("f32", (32, 64, 56, 56), RESNET),
    _backward("f16", (32, 256, 56, 56), RESNET),
    _backward("f16", (32, 512, 28, 28), RESNET),
    _backward("f32", (32, 1024, 14, 14), RESNET),
    _backward("f16", (8, 256, 14, 14), RESNET, small=True),
    _training("f16", (32, 64, 56, 56), RESNET),
    _training("f32", (32, 512, 28, 28), RESNET),
    _training("bf16", (32, 1024, 14, 14), RESNET),
    _inference("f16", (8, 256, 56, 56), RESNET),
    _inference("f32", (1, 64, 112, 112), RESNET),
    _frozen("f32", (2, 256, 100, 152), RESNET),
    _frozen("f16", (8, 1024, 14, 14), RESNET, small=True),
    _backward("f16", (4, 64, 256, 256), UNET),
    _backward("f32", (4, 512, 32, 32), UNET),
    _training("f32", (4, 128, 128, 128), UNET),
    _inference("f16", (1, 64, 512, 512), UNET),
    _backward("f16", (32, 32, 112, 112), MOBILE),
    _backward("f32", (32, 960, 7, 7), MOBILE),
    _training("f16", (32, 96, 56, 56), MOBILE),
    _inference("f32", (1, 1280, 7, 7), MOBILE),
)

_EXTREME_NORM = (
    _backward("f32", (64, 1, 56, 56), f"{EXTREME}: one channel"),
    _backward("f32", (32, 2048, 7, 7), f"{EXTREME}: 2048 channels of 7x7"),
    _training("f16", (32, 2048, 7, 7), f"{EXTREME}: 2048 channels of 7x7"),
    _backward("f32", (512, 256), f"{EXTREME}: NC", small=True),
    _training("f32", (4096, 128), f"{EXTREME}: NC"),
    _backward("f32", (1, 1, 1, 1), f"{EXTREME}: one element"),
    _backward("f16", (64, 64, 128, 128), f"{EXTREME}: 64 Mi elements"),
    _inference("f16", (64, 256, 64, 64), f"{EXTREME}: 64 Mi elements"),
)

_PUBLISHED_ELEMENTWISE = (
    _bce("bf16", (243,), "none", "case BinaryCrossEntropyGrad_fp32_bf16_fp16_ND_raNDom_000149", weight=False),
    _bce("bf16", (23, 50), "mean", "case BinaryCrossEntropyGrad_bf16_fp32_ND_acpw_000104"),
    _bce("bf16", (2088, 48), "sum", "case BinaryCrossEntropyGrad_fp16_bf16_fp32_ND_acpw_000046"),
    _bce("f16", (15, 7866), "sum", "case BinaryCrossEntropyGrad_fp16_bf16_ND_raNDom_000047", weight=False),
    _bce("f16", (38238,), "mean", "case BinaryCrossEntropyGrad_bf16_fp16_fp32_ND_acpw_000113", small=True),
    _bce("f32", (18474,), "none", "case BinaryCrossEntropyGrad_fp16_fp32_ND_acpw_000126"),
    _bce("f32", (53, 133), "mean", "case BinaryCrossEntropyGrad_fp16_fp32_bf16_ND_acpw_000029", small=True),
    _bce("f32", (1,), "mean", "case BinaryCrossEntropyGrad_bf16_fp32_fp16_ND_acpw_000074"),
    _elu("f16", (1, 1, 1, 1, 1), "case EluGrad_float16_NDHWC_fuzz_000019"),
)

_NETWORK_ELEMENTWISE = (
    _elu("f32", (32, 128, 768), BERT),
    _elu("f16", (32, 128, 768), BERT, small=True),
    _elu("bf16", (16, 512, 768), BERT, is_result=True),
    _elu("f16", (16, 384, 3072), BERT),
    _elu("f32", (32, 512, 7, 7), RESNET),
    _elu("f32", (4, 64, 256, 256), UNET),
    _elu("f16", (32, 1280, 7, 7), MOBILE),
    _bce("f32", (4, 1, 512, 512), "mean", UNET, weight=False),
    _logits("f32", (4, 1, 512, 512), "mean", UNET),
    _logits("f32", (65536, 1), "mean", CTR),
    _logits("f16", (4096, 1), "mean", CTR, small=True),
    _bce("f32", (65536, 1), "mean", CTR, weight=False),
    _sigmoid("f32", (131072, 8), "none", CTR),
    _sigmoid("f16", (65536, 1), "mean", CTR, small=True),
    _sigmoid("bf16", (262144, 2), "sum", CTR),
)

_EXTREME_ELEMENTWISE = (
    _elu("f32", (1,), f"{EXTREME}: one element"),
    _elu("f16", (64, 1024, 1024), f"{EXTREME}: 64 Mi elements"),
    _logits("f16", (64, 1024, 1024), "mean", f"{EXTREME}: 64 Mi elements"),
)

ALL = (
    *_PUBLISHED_NORM, *_NETWORK_NORM, *_EXTREME_NORM,
    *_PUBLISHED_ELEMENTWISE, *_NETWORK_ELEMENTWISE, *_EXTREME_ELEMENTWISE,
)  # fmt: skip


def rows(suite: str) -> tuple[Row, ...]:
    """The rows of a suite: "small" takes a minute or two, "full" has all."""
    return ALL if suite == "full" else tuple(row for row in ALL if row.small)
