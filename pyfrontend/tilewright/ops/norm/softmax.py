# mypy: ignore-errors
# pyright: reportUndefinedVariable=false
"""Softmax."""

import tilewright as tw


@tw.op(aten="aten::_softmax", aliases={"input": "self"})
def softmax(self: tw.Tensor["*B D"]) -> tw.Tensor["*B D"]:
    """Softmax along the last dimension: ``exp(x - max(x)) / sum(exp(x - max(x)))``.

    Inputs: self x, at least one dimension (f32, f16, bf16). Softmax along another dimension: a view with that
    dimension last, such as numpy.moveaxis(x, 1, -1); the result has the memory format of the view.
    """
    e = tw.exp(self - tw.max(self, over="D"))
    return e / tw.sum(e, over="D")
