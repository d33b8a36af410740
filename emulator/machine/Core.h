// State of one vector core while it executes a block.
#ifndef TILEWRIGHT_EMULATOR_MACHINE_CORE_H
#define TILEWRIGHT_EMULATOR_MACHINE_CORE_H

#include "emulator/include/tilewright/emulator.h"
#include "emulator/isa/Layout.h"
#include "emulator/machine/Event.h"

#include <atomic>
#include <csetjmp>
#include <cstddef>
#include <cstdint>

namespace tilewright::emulator {

inline constexpr unsigned kPipes = 7, kEvents = 8;

class CrossCore;

/// What all blocks of a launch share.
struct Launch {
  const tw_gm_range *ranges = nullptr;
  size_t rangeCount = 0;
  uint32_t blockDim = 1;
  static constexpr unsigned kStripes = 64;
  std::atomic_flag atomicStripe[kStripes] = {}; ///< serialise atomic stores to a 4 KiB page of GM
  CrossCore *crossCore = nullptr;               ///< null: blocks do not wait for one another
};

/// Plain data: nothing here needs a destructor, because errors leave instructions by longjmp.
class Core {
public:
  // ---- registers ----
  uint8_t *ub = nullptr;
  uint64_t control = 0;
  uint64_t mask[2] = {~uint64_t(0), ~uint64_t(0)}; ///< low, high word; counter mode: mask[0] is the count
  alignas(16) uint8_t compareMask[16] = {};
  uint64_t padValue = 0;
  uint64_t accumulator = 0, maxMin = 0, reserved = 0; ///< GET.ACC.VAL, GET.MAX.MIN.CNT, GET.RSVD.CNT
  uint64_t transposeAddress[8][8] = {};               ///< MOVEVA registers
  uint8_t flags[kPipes][kPipes][kEvents] = {};
  uint32_t blockIdx = 0;
  uint64_t slot = 0;               ///< kernel code's own word, 0 at the start of a block (tw_core_slot)
  uint64_t scalarInstructions = 0; ///< of compiled code, as far as the kernel reports them
  uint64_t countedScalarGm = 0;    ///< scalar accesses of GM of this block that the kernel only counted

  // ---- bookkeeping ----
  Launch *launch = nullptr;
  Observer *observer = nullptr;
  tw_counters counters{};
  uint64_t dirtyPages = ~uint64_t(0); ///< 4 KiB pages of UB written since they were last poisoned
  std::atomic_flag *held = nullptr;   ///< stripe to release when an error leaves a transfer
  const void *lastPc = nullptr;       ///< of the last instruction
  uint64_t lastDcci = 0;              ///< value of counters.instructions
  uint32_t spins = 0;                 ///< times that nothing but scalar code lay between two DCCI
  int64_t spinStart = 0;              ///< nanoseconds
  bool running = false;
  int error = 0;
  char message[512] = {};
  sigjmp_buf escape;

  /// Fresh registers and poisoned UB for a block; counters go on.
  void reset(uint32_t block);
  bool counterMode() const { return bits(control, 56, 56); }

  void touchUb(uint64_t begin, uint64_t end, bool write) {
    const uint64_t base = uint64_t(ub);
    if (end - base > counters.ub_high_water)
      counters.ub_high_water = end - base;
    if (write)
      dirtyPages |= pagesOf(begin - base, end - base);
  }
  static uint64_t pagesOf(uint64_t begin, uint64_t end) {
    return (~uint64_t(0) << (begin >> 12)) & (~uint64_t(0) >> (63 - ((end - 1) >> 12)));
  }
};

/// The core of this thread; null outside blocks.
extern thread_local Core *currentCore __attribute__((tls_model("initial-exec")));

/// Stops the block with a coded error. The message is prefixed with instruction and block by the callers
/// below.
[[noreturn]] void fail(Core &core, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
[[noreturn]] void failUnsupported(Core &core, Op op, const char *what);
[[noreturn]] void failUbBounds(Core &core, Op op, const char *operand, uint64_t begin, uint64_t end);

/// Counts the instruction. Every tw_isa_* function starts here; `describe(Event &)` adds operands and runs
/// only when an observer is attached.
template <class Describe> inline void record(Core &core, Op op, const void *pc, Describe &&describe) {
  core.counters.instructions++;
  core.lastPc = pc;
  core.counters.vector_instructions += info(op).pipe == Pipe::V;
  if (__builtin_expect(core.observer != nullptr, 0)) {
    Event event{};
    event.op = op;
    event.pc = pc;
    describe(event);
    core.observer->instruction(core, event);
  }
}
inline void record(Core &core, Op op, const void *pc) {
  record(core, op, pc, [](Event &) {});
}

/// Checks [begin, begin + size) against UB and marks it used.
inline void useUb(Core &core, Op op, const char *operand, uint64_t begin, uint64_t size, bool write) {
  if (size == 0)
    return;
  const uint64_t base = uint64_t(core.ub);
  if (__builtin_expect(begin < base || begin - base > kUbSize || size > kUbSize - (begin - base), 0))
    failUbBounds(core, op, operand, begin, begin + size);
  core.touchUb(begin, begin + size, write);
}

/// Checks a GM range against the allocations of the launch.
void useGm(Core &core, Op op, uint64_t begin, uint64_t size, bool write);

/// The core owned by this thread, with its UB window, created on first use; null when memory is refused.
Core *threadCore();
/// A core of its own for a block that runs beside others of its thread; null when memory is refused.
Core *takeCore();
void giveCore(Core *core);

/// Error text when flags are left set, empty otherwise.
bool describeLeftFlags(const Core &core, char *out, size_t size);

} // namespace tilewright::emulator

#define TW_PC __builtin_return_address(0)
#endif
