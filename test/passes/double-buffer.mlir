// RUN: tw-opt %S/Inputs/elu.mlir -tw-normalize-iteration -tw-partition-channels -tw-tile-to-ub -tw-convert-to-hivm \
// RUN:   -tw-double-buffer | FileCheck %s
// RUN: tw-opt %S/Inputs/elu.mlir -tw-normalize-iteration -tw-partition-channels -tw-tile-to-ub -tw-convert-to-hivm \
// RUN:   -tw-double-buffer="buffers=1" | FileCheck %s --check-prefix=OFF
// RUN: not tw-opt %S/Inputs/elu.mlir -tw-double-buffer 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not tw-opt %S/Inputs/elu.mlir -tw-double-buffer="buffers=0" 2>&1 | FileCheck %s --check-prefix=ZERO

// Loaded and stored buffers are marked, temporaries are not.
// CHECK: scf.for
// CHECK: %[[G:[a-z0-9_]+]] = memref.alloc() : memref<{{.*}}xf16>
// CHECK-NEXT: annotation.mark %[[G]] {hivm.multi_buffer = 2 : i32}
// CHECK: %[[X:[a-z0-9_]+]] = memref.alloc() : memref<{{.*}}xf16>
// CHECK-NEXT: annotation.mark %[[X]] {hivm.multi_buffer = 2 : i32}
// CHECK: %[[T:[a-z0-9_]+]] = memref.alloc() : memref<{{.*}}xf32>
// CHECK-NOT: annotation.mark %[[T]]
// CHECK: %[[O:[a-z0-9_]+]] = memref.alloc() : memref<{{.*}}xf16>
// CHECK-NEXT: annotation.mark %[[O]] {hivm.multi_buffer = 2 : i32}

// OFF-NOT: annotation.mark
// ORDER: error: the kernel is not in HIVM form: run tw-convert-to-hivm first
// ZERO: error: buffers must be at least 1, got 0
