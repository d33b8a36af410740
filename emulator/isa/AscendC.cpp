// What handwritten Ascend C needs beyond the instructions of the vector library (AscendC.def): plain block
// copies, AXPY, scalar accesses, and errors of the interface.
#include "emulator/isa/Export.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>

using namespace tilewright::emulator;

namespace {

/// copy_gm_to_ubuf and copy_ubuf_to_gm: bursts, lengths and gaps in 32-byte blocks (Ascend C note, section
/// 3).
struct BlockCopy {
  uint32_t bursts;
  uint64_t bytes, srcStep, dstStep;
  explicit BlockCopy(uint64_t w)
      : bursts(uint32_t(bits(w, 4, 15))), bytes(bits(w, 16, 31) * kBlock),
        srcStep(bytes + bits(w, 32, 47) * kBlock), dstStep(bytes + bits(w, 48, 63) * kBlock) {}
  uint64_t extent(uint64_t step) const { return (bursts - 1) * step + bytes; }
};

void copyBlocks(Op op, void *d, const void *s, uint64_t word, bool load, const void *pc) {
  Core &core = *currentCore;
  const BlockCopy c(word);
  const Control control(core.control);
  record(core, op, pc, [&](Event &e) {
    e.elements = c.bursts * c.bytes;
    const auto run = uint32_t(c.bytes);
    e.add({load ? Space::UB : Space::GM, true, uint64_t(d), run, 1, c.bursts, 0, int64_t(c.dstStep)});
    e.add({load ? Space::GM : Space::UB, false, uint64_t(s), run, 1, c.bursts, 0, int64_t(c.srcStep)});
    if (!load)
      e.immediate[0] = control.atomicType;
  });
  if (c.bursts == 0 || c.bytes == 0)
    return;
  if (!load && control.atomicType)
    failUnsupported(core, op, "atomic store by blocks (use DataCopyPad)");
  useUb(core, op, load ? "destination" : "source", load ? uint64_t(d) : uint64_t(s),
        c.extent(load ? c.dstStep : c.srcStep), load);
  useGm(core, op, load ? uint64_t(s) : uint64_t(d), c.extent(load ? c.srcStep : c.dstStep), !load);
  (load ? core.counters.gm_read_bytes : core.counters.gm_write_bytes) += c.bursts * c.bytes;
  for (uint32_t i = 0; i < c.bursts; ++i)
    std::memcpy(static_cast<uint8_t *>(d) + i * c.dstStep, static_cast<const uint8_t *>(s) + i * c.srcStep,
                c.bytes);
}

/// d = a * scalar + d. Whether the device rounds once or twice is not documented; twice is assumed.
void axpy(Op op, ScLane multiply, BinLane add, uint32_t size, void *d, const void *a, uint64_t scalar,
          uint64_t word, const void *pc) {
  Core &core = *currentCore;
  const UN c(word);
  const Operand operands[] = {destination(d, c.dst, size), source(a, c.src, size),
                              source(d, c.dst, size, "addend")};
  const Active active = activeLanes(core, op, size, c.repeat);
  recordVector(core, op, pc, operands, 3, active);
  alignas(64) uint8_t product[256] = {}, sum[256] = {};
  for (uint32_t r = 0; r < active.repeats; ++r) {
    gatherRepeat(operands[1], active, r, product);
    gatherRepeat(operands[2], active, r, sum);
    multiply(product, product, scalar, active.lanes);
    add(sum, sum, product, active.lanes);
    scatterRepeat(operands[0], active, r, sum);
  }
}

/// Objects of hivmc tell observers of their scalar accesses in a form of their own (hivmc/Observed.h); Ascend
/// C has one form, whose accesses come here in every mode.
void scalarAccess(Core &core, uint64_t address, uint64_t bytes, bool write, const void *pc) {
  core.lastPc = pc;
  if (core.observer)
    core.observer->scalarAccess(core, pc, address, bytes, write);
}

} // namespace

TW_ISA(MOV_OUT_TO_UB)(void *d, const void *s, uint64_t w) {
  copyBlocks(Op::MOV_OUT_TO_UB, d, s, w, true, TW_PC);
}
TW_ISA(MOV_UB_TO_OUT)(void *d, const void *s, uint64_t w) {
  copyBlocks(Op::MOV_UB_TO_OUT, d, s, w, false, TW_PC);
}
TW_ISA(VAXPY_f16)(void *d, const void *a, _Float16 s, uint64_t w) {
  axpy(Op::VAXPY_f16, lanes().muls_f16, lanes().add_f16, 2, d, a, scalarBits(s), w, TW_PC);
}
TW_ISA(VAXPY_f32)(void *d, const void *a, float s, uint64_t w) {
  axpy(Op::VAXPY_f32, lanes().muls_f32, lanes().add_f32, 4, d, a, scalarBits(s), w, TW_PC);
}

extern "C" void tw_core_scalar_ub(uint64_t address, uint64_t bytes, int write) {
  Core &core = *currentCore;
  scalarAccess(core, address, bytes, write, TW_PC);
  useUb(core, write ? Op::ScalarStore : Op::ScalarLoad, write ? "destination" : "source", address, bytes,
        write);
}
extern "C" void tw_core_scalar_gm(uint64_t address, uint64_t bytes, int write) {
  Core &core = *currentCore;
  core.counters.scalar_gm_accesses++;
  scalarAccess(core, address, bytes, write, TW_PC);
  useGm(core, write ? Op::ScalarStore : Op::ScalarLoad, address, bytes, write);
}
extern "C" uint64_t *tw_core_slot(void) { return &currentCore->slot; }
extern "C" const void *tw_core_here(void) { return TW_PC; }
extern "C" uint64_t tw_core_block_dim(void) { return currentCore->launch->blockDim; }

extern "C" void tw_core_misuse(int code, const void *place, const char *format, ...) {
  Core &core = *currentCore;
  char text[400];
  va_list args;
  va_start(args, format);
  std::vsnprintf(text, sizeof text, format, args);
  va_end(args);
  record(core, Op::API_CHECK, place ? place : TW_PC);
  fail(core, code, "%s", text);
}
