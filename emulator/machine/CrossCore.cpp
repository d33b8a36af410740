#include "emulator/machine/CrossCore.h"

#include "emulator/machine/Fiber.h"

#include <algorithm>
#include <cstdio>
#include <string>

namespace tilewright::emulator {

using Lock = std::unique_lock<std::mutex>;

bool CrossCore::set(uint32_t index, unsigned flag, unsigned mode) {
  Lock lock(mutex);
  Block &block = blocks[index];
  if (block.sets[flag] + block.own[flag] - block.waits[flag] >= kMostSets)
    return false;
  if (mode == 1) {
    ++block.own[flag];
    return true;
  }
  if (++block.sets[flag] != released[flag] + 1)
    return true;
  const uint32_t least = std::min_element(blocks.begin(), blocks.end(), [=](const Block &a, const Block &b) {
                           return a.sets[flag] < b.sets[flag];
                         })->sets[flag];
  if (least > released[flag]) {
    released[flag] = least;
    change();
  }
  return true;
}

CrossCore::Waited CrossCore::wait(uint32_t index, unsigned flag) {
  {
    Lock lock(mutex);
    Block &block = blocks[index];
    if (available(block, flag)) {
      ++block.waits[flag];
      return Waited::Passed;
    }
    block.waiting = int(flag);
  }
  Fiber::yield();
  Lock lock(mutex);
  Block &block = blocks[index];
  if (!available(block, flag))
    return failed ? Waited::OtherError : Waited::Never;
  block.waiting = -1;
  ++block.waits[flag];
  return Waited::Passed;
}

void CrossCore::finish(uint32_t index, bool byError) {
  Lock lock(mutex);
  blocks[index].over = true;
  failed |= byError && !stuck; // the errors of deadlocked blocks come after that
}

void CrossCore::explain(uint32_t index, unsigned flag, char *out, size_t size) {
  Lock lock(mutex);
  const Block &block = blocks[index];
  const uint32_t time = block.waits[flag] + 1;
  for (size_t i = 0; i < blocks.size(); ++i) {
    const Block &other = blocks[i];
    if (other.sets[flag] >= time)
      continue;
    if (other.waiting >= 0 && i != index)
      std::snprintf(out, size, "block %zu has set it %u times and waits for flag %d", i, other.sets[flag],
                    other.waiting);
    else
      std::snprintf(out, size, "%s has set it %u times%s",
                    i == index ? "the block itself" : ("block " + std::to_string(i)).c_str(),
                    other.sets[flag], other.over ? " and is over" : "");
    return;
  }
  std::snprintf(out, size, "nothing sets it");
}

bool CrossCore::describeLeft(uint32_t index, char *out, size_t size) {
  Lock lock(mutex);
  const Block &block = blocks[index];
  for (unsigned flag = 0; flag < kFlags; ++flag)
    if (block.sets[flag] + block.own[flag] != block.waits[flag]) {
      std::snprintf(
          out, size,
          "block %u: cross-core flag %u was set %u times and waited for %u times: what is left over "
          "disturbs the next kernel",
          index, flag, block.sets[flag] + block.own[flag], block.waits[flag]);
      return true;
    }
  return false;
}

void CrossCore::join() {
  Lock lock(mutex);
  ++joined;
}
void CrossCore::leave() {
  Lock lock(mutex);
  --joined;
  endIfStuck();
}
uint64_t CrossCore::version() {
  Lock lock(mutex);
  return changes;
}
bool CrossCore::ready(uint32_t index) {
  Lock lock(mutex);
  const Block &block = blocks[index];
  return stuck || block.waiting < 0 || available(block, unsigned(block.waiting));
}
void CrossCore::sleep(uint64_t seen) {
  Lock lock(mutex);
  if (changes != seen)
    return;
  ++sleeping;
  endIfStuck();
  changed.wait(lock, [&] { return changes != seen; });
}

} // namespace tilewright::emulator
