// A reader for the metadata of kernel objects: finds one value by path, checks the syntax of everything it
// passes.
#ifndef TILEWRIGHT_EMULATOR_MACHINE_JSON_H
#define TILEWRIGHT_EMULATOR_MACHINE_JSON_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tilewright::emulator {

struct Json {
  enum Kind { Null, Bool, Number, String, Array, Object } kind = Null;
  double number = 0; // also Bool
  std::string string;
  std::vector<Json> items;
  std::vector<std::pair<std::string, Json>> members;

  const Json *get(const char *key) const {
    for (const auto &m : members)
      if (m.first == key)
        return &m.second;
    return nullptr;
  }
  /// A whole number >= 0, or `otherwise`.
  uint64_t whole(uint64_t otherwise) const {
    return kind == Number && number >= 0 && number < 9e15 && double(uint64_t(number)) == number
               ? uint64_t(number)
               : otherwise;
  }
};

/// False on any syntax error or nesting deeper than 64.
bool parseJson(const char *text, Json &out);

} // namespace tilewright::emulator
#endif
