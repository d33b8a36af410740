// RUN: tw-opt %S/Inputs/elu.mlir -tw-normalize-iteration -tw-partition-channels -tw-tile-to-ub -tw-convert-to-hivm \
// RUN:   | FileCheck %s
// RUN: tw-opt %S/Inputs/spread.mlir -tw-normalize-iteration -tw-partition-channels -tw-tile-to-ub -tw-convert-to-hivm \
// RUN:   | FileCheck %s --check-prefix=TWO
// RUN: tw-opt %S/Inputs/uniform.mlir -tw-normalize-iteration -tw-partition-channels -tw-tile-to-ub -tw-convert-to-hivm \
// RUN:   | FileCheck %s --check-prefix=ONE
// RUN: not tw-opt %S/Inputs/elu.mlir -tw-normalize-iteration -tw-convert-to-hivm 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not tw-opt %S/Inputs/unsupported.mlir -tw-normalize-iteration -tw-partition-channels -tw-tile-to-ub 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NOVECTOR

// CHECK: func.func @elu_backward(%{{[a-z0-9_]+}}: memref<?xi8>, %{{[a-z0-9_]+}}: memref<?xi8>, %[[GRAD:[a-z0-9_]+]]: memref<?xf16>, %[[X:[a-z0-9_]+]]: memref<?xf16>, %[[OUT:[a-z0-9_]+]]: memref<?xf16>, %[[SLOPE:[a-z0-9_]+]]: f32, %[[SCALE:[a-z0-9_]+]]: f32, %{{[a-z0-9_]+}}: i64
// CHECK-SAME: SyncBlockLockArgIdx = 0 : i64, WorkspaceArgIdx = 1 : i64, global_kernel = "local", mix_mode = "aiv"
// CHECK-SAME: tw.args = ["lock", "workspace", "tensor:grad", "tensor:x", "tensor:out0", "scalar:slope", "scalar:scale", "extent:0", "tiling:base", "tiling:big", "tiling:tile", "grid:x", "grid:y", "grid:z", "pid:x", "pid:y", "pid:z"]
// CHECK: scf.for
// CHECK: %[[GT:[a-z0-9_]+]] = memref.reinterpret_cast %[[GRAD]] to offset: [%[[AT:[a-z0-9_]+]]], sizes: [%[[LEN:[a-z0-9_]+]]], strides: [1]
// CHECK: hivm.hir.load ins(%[[GT]]
// CHECK: hivm.hir.load
// CHECK: hivm.hir.vcast {{.*}} outs(%[[XF:[a-z0-9_]+]] : memref<?xf32
// CHECK: hivm.hir.vexp ins(%[[XF]] {{.*}} outs(%[[T:[a-z0-9_]+]] :
// CHECK: hivm.hir.vmul ins(%[[T]], %[[SLOPE]] {{.*}} outs(%[[T]] :
// CHECK: hivm.hir.vcmp ins(%[[XF]], {{.*}} outs(%[[MASK:[a-z0-9_]+]] : memref<?xi1{{.*}} compare_mode = <gt>
// CHECK: hivm.hir.vsel ins(%[[MASK]], %[[SCALE]], %[[T]]
// CHECK: hivm.hir.vcast
// CHECK: hivm.hir.vmul
// CHECK: hivm.hir.vcast {{.*}} memref<?xf16
// CHECK: hivm.hir.store
// CHECK-NOT: linalg
// CHECK-NOT: tensor<

// The uniform operand is a scalar load before the loops; the row is spread between the loops, the column inside.
// TWO: memref.load {{.*}} : memref<?xbf16>
// TWO: arith.divf
// TWO: scf.for
// TWO: hivm.hir.load {{.*}} pad_mode = <PadValue>
// TWO: hivm.hir.vcast
// TWO: hivm.hir.vbrc {{.*}} broadcast_dims = [0]
// TWO: scf.for
// TWO: hivm.hir.load {{.*}} memref<?x?xbf16{{.*}} pad_mode = <PadValue>
// TWO: hivm.hir.load {{.*}} memref<?xf32
// TWO: hivm.hir.vbrc {{.*}} broadcast_dims = [1]
// TWO: hivm.hir.store {{.*}} memref<?x?xbf16

// One value: compared on the scalar unit, which does that; spread where only the vector unit does it right.
// ONE-DAG: %[[Y:[a-z0-9_]+]] = memref.load {{.*}} : memref<?xf32>
// ONE-DAG: %[[POSITIVE:[a-z0-9_]+]] = arith.cmpf ogt, %[[Y]]
// ONE: scf.for
// ONE: hivm.hir.vbrc ins(%[[Y]] : f32)
// ONE: hivm.hir.vcast {{.*}} memref<?xf16
// ONE: hivm.hir.vbrc ins(%[[Y]] : f32)
// ONE: hivm.hir.vsqrt
// ONE: hivm.hir.vdiv
// ONE: hivm.hir.vcast ins({{.*}} memref<?xf16{{.*}} memref<?xf32
// ONE: hivm.hir.vadd
// ONE: hivm.hir.vbrc ins(%[[POSITIVE]] : i1) outs(%[[MASK:[a-z0-9_]+]] : memref<?xi1
// ONE: hivm.hir.vsel ins(%[[MASK]],

// ORDER: error: no tw.plan: run tw-tile-to-ub first
// NOVECTOR: unsupported.mlir:13:{{[0-9]+}}: error: no vector instruction for math.tanh: not an operation of the elementwise schedules
