// UB windows, reset, errors and GM bounds.
#include "emulator/machine/Core.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <new>
#include <sys/mman.h>
#include <vector>

namespace tilewright::emulator {

thread_local Core *currentCore = nullptr;

const char *pipeName(uint64_t number) {
  static const char *const names[] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "ALL"};
  return number < 7 ? names[number] : "?";
}

const InstructionInfo instructionTable[] = {
#define TW_INSTRUCTION(id, name, pipe) {name, Pipe::pipe, nullptr},
#define TW_UNSUPPORTED(id, name, pipe, reason) {name, Pipe::pipe, reason},
#include "emulator/isa/Instructions.def"
#define TW_INSTRUCTION(id, name, pipe) {name, Pipe::pipe, nullptr},
#include "emulator/isa/AscendC.def"
};

namespace {

// UB addresses travel through 32-bit gather offsets and the 16-bit fields of VMRGSORT ((address >> 3) &
// 0xffff), so a UB sits at the start of its own 512 KiB window below 4 GiB (c220 ISA note, section 1). The
// rest of the window and the 64 KiB before it are inaccessible.
constexpr uint64_t kWindow = 512 << 10, kGuard = 64 << 10, kFirst = uint64_t(256) << 20,
                   kLast = uint64_t(4) << 30;

struct WindowPool {
  std::mutex mutex;
  std::vector<uint8_t *> free;
  uint64_t next = kFirst;

  uint8_t *take() {
    std::lock_guard<std::mutex> lock(mutex);
    if (!free.empty()) {
      uint8_t *ub = free.back();
      free.pop_back();
      return ub;
    }
    for (; next + kWindow <= kLast; next += kWindow) {
      void *want = reinterpret_cast<void *>(next - kGuard);
      void *got = mmap(want, kWindow, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
      if (got == MAP_FAILED)
        continue;
      uint8_t *ub = reinterpret_cast<uint8_t *>(next);
      // Kernels before Linux 4.17 treat the address as a hint only.
      if (got != want || mprotect(ub, kUbSize, PROT_READ | PROT_WRITE) != 0) {
        munmap(got, kWindow);
        continue;
      }
      next += kWindow;
      return ub;
    }
    return nullptr;
  }
  void give(uint8_t *ub) {
    std::lock_guard<std::mutex> lock(mutex);
    free.push_back(ub);
  }
};

WindowPool &windows() {
  static WindowPool *pool = new WindowPool; // threads may outlive static destruction
  return *pool;
}

struct ThreadCore {
  Core *core = nullptr;
  ~ThreadCore() { giveCore(core); }
};
thread_local ThreadCore mine;

} // namespace

Core *takeCore() {
  uint8_t *ub = windows().take();
  if (!ub)
    return nullptr;
  Core *core = new (std::nothrow) Core;
  if (!core) {
    windows().give(ub);
    return nullptr;
  }
  core->ub = ub;
  return core;
}

void giveCore(Core *core) {
  if (!core)
    return;
  windows().give(core->ub);
  delete core;
}

Core *threadCore() {
  if (!mine.core)
    mine.core = takeCore();
  return mine.core;
}

void Core::reset(uint32_t block) {
  control = 0;
  mask[0] = mask[1] = ~uint64_t(0);
  std::memset(compareMask, 0, sizeof compareMask);
  padValue = accumulator = maxMin = reserved = 0;
  std::memset(transposeAddress, 0, sizeof transposeAddress);
  std::memset(flags, 0, sizeof flags);
  blockIdx = block;
  slot = 0;
  lastPc = nullptr;
  scalarInstructions = countedScalarGm = lastDcci = 0;
  spins = 0;
  // UB holds whatever the last block left. 0xff is NaN in every float format, so reliance on it shows. Only
  // pages that an instruction wrote are filled again: a small block must not pay for 192 KiB.
  for (unsigned page = 0; page < kUbSize >> 12; ++page)
    if (dirtyPages >> page & 1)
      std::memset(ub + (page << 12), 0xff, 4096);
  dirtyPages = 0;
}

void fail(Core &core, int code, const char *format, ...) {
  const int n = std::snprintf(core.message, sizeof core.message, "block %u: ", core.blockIdx);
  va_list args;
  va_start(args, format);
  std::vsnprintf(core.message + n, sizeof core.message - unsigned(n), format, args);
  va_end(args);
  core.error = code;
  if (core.held) {
    core.held->clear(std::memory_order_release);
    core.held = nullptr;
  }
  siglongjmp(core.escape, 1);
}

void failUnsupported(Core &core, Op op, const char *what) {
  fail(core, TW_ERR_UNSUPPORTED, "%s: unsupported: %s", info(op).name, what);
}

void failUbBounds(Core &core, Op op, const char *operand, uint64_t begin, uint64_t end) {
  const uint64_t base = uint64_t(core.ub);
  fail(core, TW_ERR_UB_BOUNDS, "%s: %s covers UB bytes [%lld, %lld), but UB is [0, %u)", info(op).name,
       operand, static_cast<long long>(begin - base), static_cast<long long>(end - base), kUbSize);
}

void useGm(Core &core, Op op, uint64_t begin, uint64_t size, bool write) {
  if (size == 0)
    return;
  const uint32_t need = write ? 2 : 1;
  const Launch &launch = *core.launch;
  const tw_gm_range *near = nullptr;
  for (size_t i = 0; i < launch.rangeCount; ++i) {
    const tw_gm_range &r = launch.ranges[i];
    if (begin >= r.base && begin - r.base < r.size) {
      near = &r;
      if (size <= r.size - (begin - r.base)) {
        if (__builtin_expect((r.flags & need) != 0, 1))
          return;
        fail(core, TW_ERR_GM_BOUNDS,
             "%s: %s bytes [%llu, %llu) of an allocation of %llu bytes that is not %s", info(op).name,
             write ? "writes" : "reads", static_cast<unsigned long long>(begin - r.base),
             static_cast<unsigned long long>(begin - r.base + size), static_cast<unsigned long long>(r.size),
             write ? "writable" : "readable");
      }
    }
  }
  if (near)
    fail(core, TW_ERR_GM_BOUNDS, "%s: %s bytes [%llu, %llu) of an allocation of %llu bytes", info(op).name,
         write ? "writes" : "reads", static_cast<unsigned long long>(begin - near->base),
         static_cast<unsigned long long>(begin - near->base + size),
         static_cast<unsigned long long>(near->size));
  fail(core, TW_ERR_GM_BOUNDS, "%s: %s GM at 0x%llx, %llu bytes: no allocation of the launch is there",
       info(op).name, write ? "writes" : "reads", static_cast<unsigned long long>(begin),
       static_cast<unsigned long long>(size));
}

bool describeLeftFlags(const Core &core, char *out, size_t size) {
  for (unsigned src = 0; src < kPipes; ++src)
    for (unsigned dst = 0; dst < kPipes; ++dst)
      for (unsigned id = 0; id < kEvents; ++id)
        if (core.flags[src][dst][id]) {
          std::snprintf(out, size,
                        "block %u: flag %s->%s id %u is still set at the end (%u set without wait)",
                        core.blockIdx, pipeName(src), pipeName(dst), id, core.flags[src][dst][id]);
          return true;
        }
  return false;
}

} // namespace tilewright::emulator
