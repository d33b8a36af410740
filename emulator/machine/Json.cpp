#include "emulator/machine/Json.h"

#include <cstdlib>
#include <cstring>

namespace tilewright::emulator {
namespace {

struct Parser {
  const char *p;
  int depth = 0;

  void space() {
    while (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r')
      ++p;
  }
  bool take(char c) {
    space();
    if (*p != c)
      return false;
    ++p;
    return true;
  }
  bool word(const char *w) {
    const size_t n = std::strlen(w);
    if (std::strncmp(p, w, n) != 0)
      return false;
    p += n;
    return true;
  }
  bool hex4(unsigned &code) {
    code = 0;
    for (int i = 0; i < 4; ++i, ++p) {
      const char c = *p;
      const int digit = c >= '0' && c <= '9'                 ? c - '0'
                        : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                             : -1;
      if (digit < 0)
        return false;
      code = code * 16 + unsigned(digit);
    }
    return true;
  }
  bool string(std::string &out) {
    if (!take('"'))
      return false;
    for (; *p && *p != '"'; ++p) {
      if (*p != '\\') {
        out += *p;
        continue;
      }
      static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
      ++p;
      if (*p == 'u') {
        unsigned code;
        ++p;
        if (!hex4(code))
          return false;
        --p;
        out += code < 128 ? char(code) : '?'; // names of kernels and fields are ASCII
        continue;
      }
      const char *at = *p ? std::strchr(from, *p) : nullptr;
      if (!at)
        return false;
      out += to[at - from];
    }
    return take('"');
  }
  bool value(Json &out) {
    if (++depth > 64)
      return false;
    space();
    const bool ok = *p == '{'   ? object(out)
                    : *p == '[' ? array(out)
                    : *p == '"' ? (out.kind = Json::String, string(out.string))
                                : atom(out);
    --depth;
    return ok;
  }
  bool atom(Json &out) {
    if (word("true") || word("false")) {
      out.kind = Json::Bool;
      out.number = p[-2] == 'u';
      return true;
    }
    if (word("null"))
      return true;
    if (*p != '-' && (*p < '0' || *p > '9'))
      return false;
    char *end;
    out.kind = Json::Number;
    out.number = std::strtod(p, &end);
    const bool any = end != p;
    p = end;
    return any;
  }
  bool array(Json &out) {
    out.kind = Json::Array;
    ++p;
    if (take(']'))
      return true;
    do {
      out.items.emplace_back();
      if (!value(out.items.back()))
        return false;
    } while (take(','));
    return take(']');
  }
  bool object(Json &out) {
    out.kind = Json::Object;
    ++p;
    if (take('}'))
      return true;
    do {
      out.members.emplace_back();
      space();
      if (!string(out.members.back().first) || !take(':') || !value(out.members.back().second))
        return false;
    } while (take(','));
    return take('}');
  }
};

} // namespace

bool parseJson(const char *text, Json &out) {
  Parser parser{text};
  if (!parser.value(out))
    return false;
  parser.space();
  return *parser.p == 0;
}

} // namespace tilewright::emulator
