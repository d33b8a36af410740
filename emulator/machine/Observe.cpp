#include "emulator/machine/Observe.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace tilewright::emulator {
namespace {

constexpr uint32_t kModes = 4;
MakeObserver makers[kModes]; // zero before any static constructor runs

} // namespace

RegisterMode::RegisterMode(Mode mode, MakeObserver make) { makers[mode] = make; }

std::unique_ptr<LaunchObserver> makeObserver(uint32_t mode, const ObservedLaunch &launch, const char *options,
                                             std::string &error) {
  static const char *const names[kModes] = {"fast", "check", "time", "log"};
  if (mode == kFast || mode >= kModes) {
    error = "unknown observed mode " + std::to_string(mode) + "; there are 1 (check), 2 (time) and 3 (log)";
    return nullptr;
  }
  if (!makers[mode]) {
    error = std::string("the ") + names[mode] + " mode is not built into this emulator library";
    return nullptr;
  }
  Json parsed;
  if (options && *options && (!parseJson(options, parsed) || parsed.kind != Json::Object)) {
    error = "the options are not a JSON object";
    return nullptr;
  }
  return makers[mode](launch, parsed, error);
}

char *copyText(const std::string &text) {
  char *copy = static_cast<char *>(std::malloc(text.size() + 1));
  if (copy)
    std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

std::string jsonString(const std::string &text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (uint8_t(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", unsigned(uint8_t(c)));
      out += code;
    } else {
      out += c;
    }
  }
  return out + '"';
}

} // namespace tilewright::emulator

extern "C" void tw_free(void *memory) { std::free(memory); }
