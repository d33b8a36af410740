#include "emulator/hivmc/Files.h"

#include "emulator/hivmc/Errors.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <cstdlib>
#include <sys/stat.h>

using namespace llvm;

namespace tilewright::hivmc {

Error writeAtomically(StringRef path, StringRef content, unsigned permissions) {
  int fd = -1;
  SmallString<128> temporary;
  if (std::error_code error = sys::fs::createUniqueFile(path + ".%%%%%%%%.tmp", fd, temporary))
    return coded(kOutput, "cannot write '" + path + "': " + error.message());
  bool failed;
  std::error_code reason;
  {
    raw_fd_ostream os(fd, /*shouldClose=*/true);
    os << content;
    os.flush();
    failed = os.has_error();
    reason = os.error();
    os.clear_error();
  }
  if (!failed) {
    mode_t mask = ::umask(0);
    ::umask(mask);
    (void)::chmod(temporary.c_str(), permissions & ~mask);
    if ((reason = sys::fs::rename(temporary, path)))
      failed = true;
  }
  if (failed) {
    sys::fs::remove(temporary);
    return coded(kOutput, "cannot write '" + path + "': " + reason.message());
  }
  return Error::success();
}

std::string contentHash(StringRef content) {
  SHA256 hash;
  hash.update(content);
  return toHex(hash.final(), /*LowerCase=*/true);
}

//===-- Cache entries: the object file, then a trailer that ELF readers ignore ----------------------===//

namespace {
constexpr StringRef kMagic = "TWOBJ01\n";

std::string trailer(StringRef object) { return (kMagic + utohexstr(xxh3_64bits(object), true, 16)).str(); }
} // namespace

Expected<ObjectCache> ObjectCache::open(StringRef directory) {
  SmallString<128> root(directory);
  if (root.empty()) {
    if (const char *own = std::getenv("TILEWRIGHT_CACHE_DIR"); own && *own)
      root = own;
    else if (const char *xdg = std::getenv("XDG_CACHE_HOME"); xdg && *xdg)
      sys::path::append(root, xdg, "tilewright");
    else if (const char *home = std::getenv("HOME"); home && *home)
      sys::path::append(root, home, ".cache", "tilewright");
    else
      return coded(kOutput, "no cache folder: neither TILEWRIGHT_CACHE_DIR, XDG_CACHE_HOME nor HOME is set");
  }
  sys::path::append(root, "library");
  if (std::error_code error = sys::fs::create_directories(root))
    return coded(kOutput, "cannot create the cache folder '" + root + "': " + error.message(), "",
                 "set TILEWRIGHT_CACHE_DIR to a folder that can be written");
  ObjectCache cache;
  cache.root = root.str().str();
  return cache;
}

std::string ObjectCache::pathOf(StringRef key) const {
  SmallString<128> path(root);
  sys::path::append(path, key + ".o");
  return path.str().str();
}

std::optional<std::string> ObjectCache::find(StringRef key) const {
  std::string path = pathOf(key);
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return std::nullopt;
  StringRef content = (*buffer)->getBuffer();
  size_t tail = kMagic.size() + 16;
  if (content.size() <= tail || content.take_back(tail) != trailer(content.drop_back(tail)))
    return std::nullopt;
  return path;
}

Expected<std::string> ObjectCache::put(StringRef key, StringRef object) const {
  std::string path = pathOf(key);
  if (Error error = writeAtomically(path, (object + trailer(object)).str()))
    return std::move(error);
  return path;
}

} // namespace tilewright::hivmc
