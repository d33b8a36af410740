// Masks, control word, flags, barriers and other scalar-side instructions (c220 ISA note, 4.10).
//
// A core executes in program order, so a wait always finds its set already done; one that does not would
// block the device for ever.
#include "emulator/isa/Export.h"
#include "emulator/machine/Block.h"
#include "emulator/machine/CrossCore.h"
#include "emulator/machine/Fiber.h"

#include <ctime>

using namespace tilewright::emulator;

namespace {

void checkFlag(Core &core, Op op, uint64_t src, uint64_t dst, uint64_t id) {
  if (src >= kPipes || dst >= kPipes || id >= kEvents)
    fail(core, TW_ERR_FLAGS, "%s: pipe %llu -> %llu id %llu does not exist (pipes 0..6, ids 0..7)",
         info(op).name, static_cast<unsigned long long>(src), static_cast<unsigned long long>(dst),
         static_cast<unsigned long long>(id));
}

void recordImmediate(Core &core, Op op, const void *pc, uint64_t a, uint64_t b = 0, uint64_t c = 0) {
  record(core, op, pc, [&](Event &e) {
    e.immediate[0] = a;
    e.immediate[1] = b;
    e.immediate[2] = c;
  });
}

} // namespace

TW_ISA(SET_FLAG_IMM)(uint64_t src, uint64_t dst, uint64_t id) {
  Core &core = *currentCore;
  checkFlag(core, Op::SET_FLAG_IMM, src, dst, id);
  recordImmediate(core, Op::SET_FLAG_IMM, TW_PC, src, dst, id);
  uint8_t &count = core.flags[src][dst][id];
  if (count == 255)
    fail(core, TW_ERR_FLAGS, "SET.FLAG.IMM: flag %s->%s id %llu set 256 times without a wait", pipeName(src),
         pipeName(dst), static_cast<unsigned long long>(id));
  ++count;
}

TW_ISA(WAIT_FLAG_IMM)(uint64_t src, uint64_t dst, uint64_t id) {
  Core &core = *currentCore;
  checkFlag(core, Op::WAIT_FLAG_IMM, src, dst, id);
  recordImmediate(core, Op::WAIT_FLAG_IMM, TW_PC, src, dst, id);
  uint8_t &count = core.flags[src][dst][id];
  if (count == 0)
    fail(core, TW_ERR_FLAGS,
         "WAIT.FLAG.IMM: flag %s->%s id %llu was not set before: the device would wait for ever",
         pipeName(src), pipeName(dst), static_cast<unsigned long long>(id));
  --count;
}

namespace {

void checkCrossFlag(Core &core, Op op, uint64_t flag, uint64_t pipe) {
  if (flag >= CrossCore::kFlags || pipe >= kPipes)
    fail(core, TW_ERR_FLAGS, "%s: cross-core flag %lld of pipe %llu does not exist (flags 0..15, pipes 0..6)",
         info(op).name, static_cast<long long>(flag), static_cast<unsigned long long>(pipe));
}

} // namespace

// `pipe` sets the flag when its earlier work is complete.
TW_ISA(SYNC_BLOCK_SET)(uint64_t flag, uint64_t pipe, uint64_t mode) {
  Core &core = *currentCore;
  constexpr Op op = Op::SYNC_BLOCK_SET;
  checkCrossFlag(core, op, flag, pipe);
  if (mode > 1)
    failUnsupported(core, op, "flags between vector and cube cores");
  if (!core.launch->crossCore)
    failUnsupported(core, op, "a flag between blocks that run one after another");
  recordImmediate(core, op, TW_PC, flag, pipe, mode);
  if (!core.launch->crossCore->set(core.blockIdx, unsigned(flag), unsigned(mode)))
    fail(core, TW_ERR_FLAGS, "%s: cross-core flag %llu set %u times without a wait; its counter has 4 bits",
         info(op).name, static_cast<unsigned long long>(flag), CrossCore::kMostSets + 1);
}

// `pipe` goes on when the flag is there. Observers see the wait when it is over, or will never be.
TW_ISA(SYNC_BLOCK_WAIT)(uint64_t flag, uint64_t pipe) {
  Core &core = *currentCore;
  constexpr Op op = Op::SYNC_BLOCK_WAIT;
  checkCrossFlag(core, op, flag, pipe);
  if (!core.launch->crossCore)
    failUnsupported(core, op, "a flag between blocks that run one after another");
  const CrossCore::Waited waited = core.launch->crossCore->wait(core.blockIdx, unsigned(flag));
  recordImmediate(core, op, TW_PC, flag, pipe, uint64_t(waited));
  if (waited == CrossCore::Waited::Passed)
    return;
  char why[160];
  core.launch->crossCore->explain(core.blockIdx, unsigned(flag), why, sizeof why);
  fail(core, waited == CrossCore::Waited::Never ? TW_ERR_FLAGS : kStoppedByOther,
       "%s: the device would wait for cross-core flag %llu for ever: %s", info(op).name,
       static_cast<unsigned long long>(flag), why);
}

TW_ISA(BARRIER)(uint64_t pipe) {
  Core &core = *currentCore;
  if (pipe >= kPipes)
    failUnsupported(core, Op::BARRIER, "pipe number above 6");
  recordImmediate(core, Op::BARRIER, TW_PC, pipe);
}

TW_ISA_VALUE(GET_CTRL)() {
  Core &core = *currentCore;
  record(core, Op::GET_CTRL, TW_PC);
  return core.control;
}
TW_ISA(SET_CTRL)(uint64_t word) {
  Core &core = *currentCore;
  recordImmediate(core, Op::SET_CTRL, TW_PC, word);
  core.control = word;
}
TW_ISA_VALUE(SBITSET0)(uint64_t word, uint64_t bit) {
  record(*currentCore, Op::SBITSET0, TW_PC);
  return word & ~(uint64_t(1) << (bit & 63));
}
TW_ISA_VALUE(SBITSET1)(uint64_t word, uint64_t bit) {
  record(*currentCore, Op::SBITSET1, TW_PC);
  return word | uint64_t(1) << (bit & 63);
}
TW_ISA(MOVEMASK)(uint64_t which, uint64_t value) {
  Core &core = *currentCore;
  if (which > 1)
    failUnsupported(core, Op::MOVEMASK, "mask word above 1");
  recordImmediate(core, Op::MOVEMASK, TW_PC, which, value);
  core.mask[which] = value;
}
TW_ISA(SET_MOV_PAD_VAL)(uint64_t value) {
  Core &core = *currentCore;
  recordImmediate(core, Op::SET_MOV_PAD_VAL, TW_PC, value);
  core.padValue = value;
}
TW_ISA(MOVEVA)(uint64_t va, uint64_t first, uint64_t a0, uint64_t a1) {
  Core &core = *currentCore;
  if (va > 7 || first > 6 || first % 2)
    failUnsupported(core, Op::MOVEVA, "address register or slot that does not exist");
  recordImmediate(core, Op::MOVEVA, TW_PC, va, first);
  core.transposeAddress[va][first] = a0;
  core.transposeAddress[va][first + 1] = a1;
}

namespace {

/// The library's lock waits in a loop of a cache invalidation and a scalar load. Others have to get their
/// turn meanwhile, and a lock that nobody gives back must not hang the host.
void spin(Core &core) {
  constexpr uint32_t kMany = 1 << 14;
  constexpr int64_t kLongest = 10'000'000'000; // ns of this host
  core.spins = core.counters.instructions - core.lastDcci <= 4 ? core.spins + 1 : 0;
  core.lastDcci = core.counters.instructions;
  if (core.spins < 16)
    return;
  if (core.launch->crossCore)
    Fiber::yield();
  if (core.spins % kMany)
    return;
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const int64_t at = int64_t(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
  if (core.spins == kMany)
    core.spinStart = at;
  else if (at - core.spinStart > kLongest)
    fail(core, TW_ERR_FLAGS,
         "the block waits in a loop for GM to change, and nothing has changed for 10 s of this host: a lock "
         "that is "
         "not given back, or a block that was started before the one it waits for");
}

} // namespace

// Scalar stores of the emulated core reach GM at once: there is no scalar data cache to write back.
TW_ISA(DCCI)(const void *gm, uint64_t kind) {
  Core &core = *currentCore;
  recordImmediate(core, Op::DCCI, TW_PC, uint64_t(gm), kind);
  spin(core);
}

#define TW_GET(id, value)                                                                                    \
  TW_ISA_VALUE(id)() {                                                                                       \
    Core &core = *currentCore;                                                                               \
    record(core, Op::id, TW_PC);                                                                             \
    return value;                                                                                            \
  }
TW_GET(GET_BLOCK_IDX, core.blockIdx)
TW_GET(GET_ACC_VAL, core.accumulator)
TW_GET(GET_MAX_MIN_CNT, core.maxMin)
TW_GET(GET_RSVD_CNT, core.reserved)
// Vector-only kernels: one vector core per block.
TW_GET(GET_SUBBLOCKDIM, ((void)core, 1))
TW_GET(GET_SUBBLOCKID, ((void)core, 0))

TW_ISA(TRAP)() {
  Core &core = *currentCore;
  record(core, Op::TRAP, TW_PC);
  fail(core, TW_ERR_TRAP,
       "TRAP: the kernel stopped itself (failed assertion, or a rounding mode it does not know)");
}

extern "C" TW_API void *tw_isa_get_sycl_fix_stack_object() {
  constexpr Op op = Op::get_sycl_fix_stack_object;
  failUnsupported(*currentCore, op, info(op).unsupported);
}

extern "C" void tw_core_set_mask_norm(void) { currentCore->control &= ~(uint64_t(1) << 56); }
extern "C" uint64_t tw_core_ub(void) { return uint64_t(currentCore->ub); }
extern "C" void tw_core_scalar_access(uint64_t address, uint64_t bytes, uint32_t write) {
  Core &core = *currentCore;
  if (core.observer)
    core.observer->scalarAccess(core, TW_PC, address, bytes, write != 0);
}
extern "C" void tw_core_count_scalar(uint64_t n) { currentCore->scalarInstructions += n; }
extern "C" void tw_core_count_scalar_gm(uint64_t n) {
  currentCore->counters.scalar_gm_accesses += n;
  currentCore->countedScalarGm += n;
}
