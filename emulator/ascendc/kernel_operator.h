// Ascend C on the emulated 910B vector core.
//
// The subset of the public Ascend C interface that handwritten vector kernels need, with the names,
// parameters and enumerations of the real one, lowered to the same instructions in the same order (Ascend C
// note, sections 2 and 3). Kernels include this file as they include CANN's; `tilewright ascendc` compiles
// them with clang to an object that the emulator runs, checks and times.
//
// What the real headers leave to the programmer is checked here, in every mode: life cycle of queue buffers,
// operands inside their tensors, alignment, mask and repeat limits, UB budget, event ids, GlobalTensor bounds
// (errors TW4030 to TW4036, with the kernel's line). Order between pipes, unwritten bytes and flushes are
// check mode's business. Nothing here has been compared with a device.
#ifndef TILEWRIGHT_ASCENDC_KERNEL_OPERATOR_H
#define TILEWRIGHT_ASCENDC_KERNEL_OPERATOR_H

#include "ascendc/types.h"

#include "ascendc/isa.h"
#include "ascendc/machine.h"

#include "ascendc/tensor.h"

#include "ascendc/pipe.h"
#include "ascendc/sync.h"

#include "ascendc/operands.h"

#include "ascendc/compare.h"
#include "ascendc/convert.h"
#include "ascendc/copy.h"
#include "ascendc/reduce.h"
#include "ascendc/vector.h"

#include "ascendc/tiling.h"

#endif
