// Structural check of a kernel object before the dynamic loader sees it.
#include "emulator/include/tilewright/seal.h"
#include "emulator/machine/Kernel.h"

#include <cerrno>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tilewright::emulator {
namespace {

struct Mapping {
  const unsigned char *data = nullptr;
  size_t size = 0;
  ~Mapping() {
    if (data)
      munmap(const_cast<unsigned char *>(data), size);
  }
};

bool inside(uint64_t offset, uint64_t length, uint64_t size) {
  return offset <= size && length <= size - offset;
}

std::string checkImage(const unsigned char *p, size_t size) {
  Elf64_Ehdr h;
  if (size < sizeof h)
    return "it is too short for an ELF file";
  std::memcpy(&h, p, sizeof h);
  if (std::memcmp(h.e_ident, ELFMAG, SELFMAG) != 0)
    return "it is not an ELF file";
  if (h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_ident[EI_DATA] != ELFDATA2LSB || h.e_machine != EM_X86_64)
    return "it is not an x86-64 object (a device binary cannot be emulated)";
  if (h.e_type != ET_DYN)
    return "it is not a shared object";
  if (h.e_phentsize != sizeof(Elf64_Phdr) || h.e_phnum == 0 ||
      !inside(h.e_phoff, uint64_t(h.e_phnum) * sizeof(Elf64_Phdr), size))
    return "its program headers are outside the file";
  bool dynamic = false, load = false;
  for (unsigned i = 0; i < h.e_phnum; ++i) {
    Elf64_Phdr ph;
    std::memcpy(&ph, p + h.e_phoff + i * sizeof ph, sizeof ph);
    if (ph.p_type != PT_LOAD && ph.p_type != PT_DYNAMIC)
      continue;
    if (!inside(ph.p_offset, ph.p_filesz, size) || ph.p_filesz > ph.p_memsz)
      return "a segment is outside the file (truncated?)";
    load |= ph.p_type == PT_LOAD;
    dynamic |= ph.p_type == PT_DYNAMIC;
  }
  if (!load || !dynamic)
    return "it has no loadable or no dynamic segment";
  if (h.e_shnum && (h.e_shentsize != sizeof(Elf64_Shdr) ||
                    !inside(h.e_shoff, uint64_t(h.e_shnum) * sizeof(Elf64_Shdr), size)))
    return "its section headers are outside the file (truncated?)";
  return "";
}

} // namespace

/// In the metadata of every object that hivmc wrote.
static constexpr const char *kOurTool = "\"tool\":\"hivmc ";

std::string checkObjectFile(const char *path) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return std::string("it cannot be opened: ") + std::strerror(errno);
  struct stat st;
  Mapping map;
  if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
    void *p = mmap(nullptr, size_t(st.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
    if (p != MAP_FAILED) {
      map.data = static_cast<const unsigned char *>(p);
      map.size = size_t(st.st_size);
    }
  }
  close(fd);
  if (!map.data)
    return "it is empty or no regular file";
  size_t size = map.size;
  switch (checkSeal(map.data, map.size)) {
  case SealState::Broken:
    return "its checksum does not fit its contents (damaged)";
  case SealState::Good:
    size -= sizeof(Seal);
    break;
  case SealState::Absent:
    // Objects that others wrote have no seal; ours have lost it together with their end.
    if (memmem(map.data, map.size, kOurTool, std::strlen(kOurTool)))
      return "its end is missing or changed (damaged)";
    break;
  }
  return checkImage(map.data, size);
}

} // namespace tilewright::emulator
