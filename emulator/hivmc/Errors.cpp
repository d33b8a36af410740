#include "emulator/hivmc/Errors.h"

#include "llvm/Support/raw_ostream.h"

namespace tilewright::hivmc {

namespace {
class CodedError : public llvm::ErrorInfo<CodedError> {
public:
  static char ID;
  explicit CodedError(std::string text) : text(std::move(text)) {}
  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

private:
  std::string text;
};
char CodedError::ID = 0;
} // namespace

llvm::Error coded(Code code, const llvm::Twine &what, const llvm::Twine &at, const llvm::Twine &hint) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "TW" << int(code) << ": " << what;
  if (std::string place = at.str(); !place.empty())
    os << "\n  at: " << place;
  if (std::string advice = hint.str(); !advice.empty())
    os << "\n  hint: " << advice;
  return llvm::make_error<CodedError>(std::move(text));
}

std::string render(llvm::Error error) {
  std::string text;
  llvm::handleAllErrors(std::move(error), [&](const llvm::ErrorInfoBase &info) {
    if (!text.empty())
      text += '\n';
    text += info.isA<CodedError>() ? info.message() : "TW3111: " + info.message();
  });
  return text;
}

} // namespace tilewright::hivmc
