//===- HivmCastTable.cpp - Conversions of the vector unit
//----------------------------------------------------===//
//
// The pairs and rounding modes that the wheel's verifier accepts, found by trying every combination of
// fourteen element types, seven modes and three type functions. It accepts a few (to f32 and f16 itself, for
// instance) only in modes that change the value.
//
//===--------------------------------------------------------------------------------------------------------===//

#include "dialect/hivm/Hivm.h"

using namespace mlir;
using namespace mlir::hivm;

namespace {

struct CastRule {
  const char *from;
  const char *to;
  /// One letter a mode: r rint, a round, f floor, c ceil, z trunc, o odd, w truncwithoverflow.
  const char *signedModes;
  const char *unsignedModes;
};

// clang-format off
constexpr CastRule kCasts[] = {
    {"bf16", "bf16", "fc", "fc"},        {"bf16", "f32", "ra", "ra"},         {"bf16", "i32", "rafcz", ""},
    {"f16", "f16", "fc", "fc"},          {"f16", "f32", "rafz", "rafz"},      {"f16", "i16", "rafcz", ""},
    {"f16", "i32", "rafcz", ""},         {"f16", "i8", "rafcz", "rafcz"},     {"f32", "bf16", "rafcz", "rafcz"},
    {"f32", "f16", "rafczo", "rafczo"},  {"f32", "f32", "rafcz", "rafcz"},    {"f32", "i16", "rafcz", ""},
    {"f32", "i32", "rafcz", ""},         {"f32", "i64", "rafcz", ""},         {"f32", "i8", "rafcz", ""},
    {"i1", "bf16", "rz", "rz"},          {"i1", "f16", "rz", "rz"},           {"i1", "f32", "rz", "rz"},
    {"i1", "i16", "r", "r"},             {"i1", "i32", "r", "r"},             {"i1", "i8", "r", ""},
    {"i16", "f16", "rafcz", ""},         {"i16", "f32", "rz", ""},            {"i16", "i1", "r", ""},
    {"i16", "i32", "r", ""},             {"i16", "i8", "w", ""},              {"i32", "f32", "rafcz", ""},
    {"i32", "i1", "r", ""},              {"i32", "i16", "rw", ""},            {"i32", "i64", "r", ""},
    {"i32", "i8", "w", ""},              {"i64", "f32", "rafcz", ""},         {"i64", "i32", "rw", ""},
    {"i8", "f16", "rz", "r"},            {"i8", "i1", "r", ""},               {"i8", "i16", "r", ""},
    {"i8", "i32", "r", ""},              {"f16", "ui8", "rafcz", "rafcz"},    {"i1", "ui16", "r", "r"},
    {"i1", "ui32", "r", "r"},            {"ui8", "f16", "r", "r"},
    {"f16", "i4", "rafcz", ""},          {"i4", "f16", "r", ""},              {"i4", "i8", "r", ""},
};
// clang-format on

std::string nameOf(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}

char letterOf(RoundMode mode) {
  switch (mode) {
  case RoundMode::RINT:
    return 'r';
  case RoundMode::ROUND:
    return 'a';
  case RoundMode::FLOOR:
    return 'f';
  case RoundMode::CEIL:
    return 'c';
  case RoundMode::TRUNC:
    return 'z';
  case RoundMode::ODD:
    return 'o';
  case RoundMode::TRUNCWITHOVERFLOW:
    return 'w';
  }
  llvm_unreachable("unknown rounding mode");
}

} // namespace

bool mlir::hivm::isCastSupported(Type from, Type to, RoundMode mode, TypeFn fn) {
  std::string fromName = nameOf(from);
  std::string toName = nameOf(to);
  for (const CastRule &rule : kCasts)
    if (fromName == rule.from && toName == rule.to)
      return StringRef(fn == TypeFn::cast_unsigned ? rule.unsignedModes : rule.signedModes)
          .contains(letterOf(mode));
  return false;
}
