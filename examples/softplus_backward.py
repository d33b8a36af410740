# pyright: reportUndefinedVariable=false
# mypy: ignore-errors
"""An own operator: gradient of softplus, checked against float64, with every stage of its compilation.

python examples/softplus_backward.py [FOLDER FOR THE STAGES]
"""

import sys
from pathlib import Path

import numpy as np

import tilewright as tw
from tilewright import compare, compiler, reference, targets


@tw.op
def softplus_backward(
    grad: tw.Tensor["*S"], x: tw.Tensor["*S"], *, beta: float = 1.0, threshold: float = 20.0
) -> tw.Tensor["*S"]:
    """``grad * sigmoid(beta * x)``, and ``grad`` where beta * x is above the threshold."""
    z = beta * x
    return grad * tw.where(z > threshold, 1.0, 1.0 / (1.0 + tw.exp(-z)))


def main() -> None:
    rng = np.random.default_rng(1)
    grad, x = (rng.standard_normal((32, 64, 7, 7)).astype(np.float32) for _ in range(2))

    kernel = tw.compile(softplus_backward, target="Ascend910B4")
    dx = kernel(grad, x, beta=2.0)

    binding = tw.bind(softplus_backward, (grad, x), {"beta": 2.0})
    (wanted,) = reference.evaluate(binding)
    judgement = compare.compare(dx, wanted, "f32")
    print(judgement)
    print(kernel.report(grad, x, beta=2.0))

    if len(sys.argv) > 1:
        signature = binding.signature
        request = compiler.request(signature.variant, signature.layout, targets.get("Ascend910B4"))
        built = compiler.build(request, keep_stages=True)
        folder = Path(sys.argv[1])
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in built.stages.items():
            (folder / name).write_text(text)

    if not judgement.passed:
        sys.exit(1)


if __name__ == "__main__":
    main()
