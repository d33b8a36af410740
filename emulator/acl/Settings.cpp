#include "emulator/acl/Settings.h"

#include <cstdlib>
#include <cstring>

namespace tilewright::acl {
namespace {

constexpr uint64_t kMiB = 1 << 20, kGiB = 1 << 30;

const Part parts[] = {
    {"Ascend910B1", 48, 24, 192 * kMiB, 64 * kGiB},
    {"Ascend910B2", 48, 24, 192 * kMiB, 64 * kGiB},
    {"Ascend910B2C", 48, 24, 192 * kMiB, 64 * kGiB},
    {"Ascend910B3", 40, 20, 192 * kMiB, 64 * kGiB},
    {"Ascend910B4", 40, 20, 96 * kMiB, 32 * kGiB},
    {"Ascend910B4-1", 40, 20, 168 * kMiB, 32 * kGiB},
    {"Ascend910_9362", 40, 20, 0, 0},
    {"Ascend910_9372", 40, 20, 0, 0},
    {"Ascend910_9381", 48, 24, 0, 0},
    {"Ascend910_9382", 48, 24, 192 * kMiB, 64 * kGiB},
    {"Ascend910_9391", 48, 24, 0, 0},
    {"Ascend910_9392", 48, 24, 0, 0},
};
constexpr const char *kDefaultPart = "Ascend910B4";
constexpr uint64_t kUnknownMemoryBytes = 32 * kGiB;

const Part *find(const char *name) {
  for (const Part &part : parts)
    if (!std::strcmp(part.name, name))
      return &part;
  return nullptr;
}

/// Digits with an optional K, M or G; false if it is anything else.
bool readBytes(const char *text, uint64_t &out) {
  char *end = nullptr;
  if (*text < '0' || *text > '9')
    return false;
  uint64_t value = std::strtoull(text, &end, 10);
  switch (*end) {
  case 'K':
  case 'k':
    value <<= 10;
    ++end;
    break;
  case 'M':
  case 'm':
    value <<= 20;
    ++end;
    break;
  case 'G':
  case 'g':
    value <<= 30;
    ++end;
    break;
  }
  out = value;
  return *end == 0;
}

struct Reader {
  std::string &problem;

  const char *text(const char *name) const {
    const char *value = std::getenv(name);
    return value && *value ? value : nullptr;
  }
  void refuse(const char *name, const char *value, const char *expected) const {
    if (problem.empty())
      problem = std::string("the environment variable ") + name + " has the value \"" + value +
                "\"; expected " + expected;
  }
  bool flag(const char *name) const {
    const char *value = text(name);
    if (value && std::strcmp(value, "0") && std::strcmp(value, "1"))
      refuse(name, value, "0 or 1");
    return value && !std::strcmp(value, "1");
  }
  uint64_t number(const char *name, uint64_t otherwise, uint64_t least, uint64_t most,
                  const char *expected) const {
    const char *value = text(name);
    uint64_t read = otherwise;
    if (value && (!readBytes(value, read) || read < least || read > most)) {
      refuse(name, value, expected);
      return otherwise;
    }
    return read;
  }
};

Settings read() {
  Settings s;
  const Reader reader{s.problem};
  s.part = *find(kDefaultPart);
  if (const char *name = reader.text("TILEWRIGHT_ACL_TARGET")) {
    if (const Part *part = find(name))
      s.part = *part;
    else
      reader.refuse("TILEWRIGHT_ACL_TARGET", name,
                    "a target of `tilewright doctor`, for example Ascend910B4");
  }
  s.devices = uint32_t(reader.number("TILEWRIGHT_ACL_DEVICES", 1, 1, kMostDevices, "1 to 8 devices"));
  s.memoryBytes =
      reader.number("TILEWRIGHT_ACL_MEMORY", s.part.memoryBytes ? s.part.memoryBytes : kUnknownMemoryBytes,
                    1 << 20, uint64_t(1) << 40, "bytes of a device, 1M to 1024G");
  s.strict = reader.flag("TILEWRIGHT_ACL_STRICT");
  s.poison = reader.flag("TILEWRIGHT_ACL_POISON");
  s.check = reader.flag("TILEWRIGHT_ACL_CHECK");
  s.threads =
      uint32_t(reader.number("TILEWRIGHT_THREADS", 0, 0, 4096, "a whole number, 0 for all host cores"));
  return s;
}

} // namespace

const Settings &settings() {
  static const Settings *const s = new Settings(read());
  return *s;
}

uint32_t partCount() { return sizeof parts / sizeof parts[0]; }
const Part &partAt(uint32_t index) { return parts[index]; }

} // namespace tilewright::acl
