// Files that appear whole or not at all, and the cache of compiled library functions.
#ifndef TILEWRIGHT_HIVMC_FILES_H
#define TILEWRIGHT_HIVMC_FILES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace tilewright::hivmc {

/// Writes next to `path` and renames: readers see the old file, the new one, or none.
llvm::Error writeAtomically(llvm::StringRef path, llvm::StringRef content, unsigned permissions = 0666);

/// Hex SHA-256.
std::string contentHash(llvm::StringRef content);

/// Content-addressed store of object files. Entries carry a check sum; a damaged one counts as absent and is
/// written again. Safe under concurrent processes: entries are only ever replaced by rename.
class ObjectCache {
public:
  /// `directory` empty: TILEWRIGHT_CACHE_DIR, else $XDG_CACHE_HOME/tilewright, else ~/.cache/tilewright.
  static llvm::Expected<ObjectCache> open(llvm::StringRef directory);

  /// Path of the whole entry for `key`, or nothing.
  std::optional<std::string> find(llvm::StringRef key) const;
  /// Stores `object` and returns its path.
  llvm::Expected<std::string> put(llvm::StringRef key, llvm::StringRef object) const;
  llvm::StringRef directory() const { return root; }

private:
  std::string pathOf(llvm::StringRef key) const;
  std::string root;
};

} // namespace tilewright::hivmc

#endif
