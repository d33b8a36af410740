// Log mode: the instructions of one block as they were issued, for comparing instruction streams. Scalar
// accesses are listed like instructions where the kernel reports them.
//
// Options: {"block": which block (0), "limit": most instructions (100000)}.
// Report: {"mode": "log", "block": b, "cut": more than the limit, "instructions": [{"name", "pipe", "offset"
// in the kernel object, "repeats", "elements", "immediate": [3], "access": [{"space", "write", "begin" (UB:
// relative), "run", "inner", "outer", "inner_stride", "outer_stride"}]}]}
#include "emulator/machine/Observe.h"

#include <dlfcn.h>

namespace tilewright::emulator {
namespace {

class Log final : public Observer {
public:
  std::string items;
  uint64_t count = 0, limit = 0;

  void instruction(Core &core, const Event &event) override {
    if (count++ >= limit)
      return;
    const InstructionInfo &what = info(event.op);
    items += items.empty() ? "\n  {" : ",\n  {";
    items += "\"name\": " + jsonString(what.name) + ", \"pipe\": \"" + pipeName(unsigned(what.pipe)) + "\"";
    Dl_info where;
    if (event.pc && dladdr(event.pc, &where) && where.dli_fbase)
      items += ", \"offset\": " + std::to_string(uint64_t(event.pc) - 1 - uint64_t(where.dli_fbase));
    items += ", \"repeats\": " + std::to_string(event.repeats);
    items += ", \"elements\": " + std::to_string(event.elements) + ", \"immediate\": [";
    for (unsigned i = 0; i < 3; ++i)
      items += (i ? ", " : "") + std::to_string(event.immediate[i]);
    items += "], \"access\": [";
    for (unsigned i = 0; i < event.accessCount; ++i)
      items += (i ? ", " : "") + access(event.access[i], uint64_t(core.ub));
    items += "]}";
  }

  void scalarAccess(Core &core, const void *pc, uint64_t address, uint64_t bytes, bool write) override {
    Event event{};
    event.op = write ? Op::ScalarStore : Op::ScalarLoad;
    event.pc = pc;
    Access a;
    a.space = address - uint64_t(core.ub) < kUbSize ? Space::UB : Space::GM;
    a.write = write;
    a.begin = address;
    a.run = uint32_t(bytes);
    event.add(a);
    instruction(core, event);
  }

private:
  static std::string access(const Access &a, uint64_t ub) {
    const bool inUb = a.space == Space::UB;
    return std::string("{\"space\": \"") + (inUb ? "UB" : "GM") +
           "\", \"write\": " + (a.write ? "true" : "false") +
           ", \"begin\": " + std::to_string(a.begin - (inUb ? ub : 0)) +
           ", \"run\": " + std::to_string(a.run) + ", \"inner\": " + std::to_string(a.inner) +
           ", \"outer\": " + std::to_string(a.outer) +
           ", \"inner_stride\": " + std::to_string(a.innerStride) +
           ", \"outer_stride\": " + std::to_string(a.outerStride) + "}";
  }
};

class LogMode final : public LaunchObserver {
public:
  LogMode(uint64_t block, uint64_t limit) : block(block) { log.limit = limit; }

  Observer *beginBlock(Core &core) override { return core.blockIdx == block ? &log : nullptr; }
  bool endBlock(Core &, Observer *, int) override { return false; }
  std::string report() override {
    return "{\"mode\": \"log\", \"block\": " + std::to_string(block) +
           ", \"cut\": " + (log.count > log.limit ? "true" : "false") + ", \"instructions\": [" + log.items +
           "]}";
  }

private:
  Log log;
  const uint64_t block;
};

std::unique_ptr<LaunchObserver> make(const ObservedLaunch &launch, const Json &json, std::string &error) {
  uint64_t block = 0, limit = 100000;
  for (const auto &[name, value] : json.members) {
    const uint64_t n = value.whole(~uint64_t(0));
    if (name == "block" && n < launch.blockDim) {
      block = n;
    } else if (name == "limit" && n <= 10000000) {
      limit = n;
    } else {
      error = "log option " + name + " is unknown or out of range";
      return nullptr;
    }
  }
  return std::make_unique<LogMode>(block, limit);
}

const RegisterMode registered(kLog, make);

} // namespace
} // namespace tilewright::emulator
