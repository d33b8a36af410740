"""An operator of one's own: definition, run, float64 check, and what the kernel did.

Run with: .venv/bin/python examples/elu_backward.py (after ./dev build)
"""

import numpy as np

import tilewright as tw


@tw.op
def elu_backward(
    grad: tw.Tensor["*S"], x: tw.Tensor["*S"], *, alpha: float = 1.0, scale: float = 1.0
) -> tw.Tensor["*S"]:
    """Gradient of ELU: scale where x is positive, else alpha*scale*exp(x), times grad."""
    return grad * tw.where(x > 0, scale, alpha * scale * tw.exp(x))


def main() -> None:
    rng = np.random.default_rng(7)
    grad, x = (rng.standard_normal((32, 64, 7, 7), dtype=np.float32) for _ in range(2))

    kernel = tw.compile(elu_backward, target="Ascend910B4")
    outcome = kernel.run(grad, x, alpha=1.5)

    g, v = grad.astype(np.float64), x.astype(np.float64)
    expected = g * np.where(v > 0, 1.0, 1.5 * np.exp(v))
    error = np.abs(outcome.value - expected) / np.abs(expected)
    print(f"largest relative error against float64: {error.max():.2e}")
    assert error.max() < 2e-6

    assert outcome.launch is not None
    print(f"vector cores of the emulated device: {outcome.launch.plan.cores}")
    print(f"GM bytes read and written: {outcome.counters.gm_read_bytes} {outcome.counters.gm_write_bytes}")


if __name__ == "__main__":
    main()
