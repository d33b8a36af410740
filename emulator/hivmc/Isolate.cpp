#include "emulator/hivmc/Isolate.h"

#include "emulator/hivmc/Errors.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <poll.h>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tilewright::hivmc {

namespace {

[[noreturn]] void child(int output, llvm::function_ref<llvm::Error()> work) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setpgid(0, 0); // the linker and this process end together on a time-out
  dup2(output, STDERR_FILENO);
  struct rlimit noCore = {0, 0};
  setrlimit(RLIMIT_CORE, &noCore);
  int status = 0;
  if (llvm::Error error = work()) {
    llvm::errs() << render(std::move(error)) << '\n';
    status = 1;
  }
  llvm::outs().flush();
  llvm::errs().flush();
  _exit(status); // no destructors of a module that may be half built
}

std::string lastLine(std::string text) {
  while (!text.empty() && text.back() == '\n')
    text.pop_back();
  size_t start = text.rfind('\n');
  return start == std::string::npos ? text : text.substr(start + 1);
}

} // namespace

int runIsolated(unsigned timeoutSeconds, llvm::function_ref<llvm::Error()> work) {
  auto fail = [](const llvm::Twine &what, const llvm::Twine &hint = "") {
    llvm::errs() << render(coded(kInternal, what, "", hint)) << '\n';
    return 1;
  };
  int ends[2];
  if (pipe(ends))
    return fail(llvm::Twine("cannot make a pipe: ") + std::strerror(errno));
  pid_t pid = fork();
  if (pid < 0)
    return fail(llvm::Twine("cannot start a process: ") + std::strerror(errno));
  if (pid == 0) {
    close(ends[0]);
    child(ends[1], work);
  }
  setpgid(pid, pid);
  close(ends[1]);

  std::string text;
  bool late = false;
  auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(timeoutSeconds);
  for (;;) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0 && !late) {
      late = true;
      kill(-pid, SIGKILL);
    }
    struct pollfd wait = {ends[0], POLLIN, 0};
    int ready = poll(&wait, 1, late ? 1000 : int(std::min<long long>(left.count() + 1, 1 << 30)));
    if (ready < 0 && errno != EINTR)
      break;
    if (ready == 0 && late)
      break;
    if (ready <= 0)
      continue;
    char block[4096];
    ssize_t size = read(ends[0], block, sizeof block);
    if (size == 0 || (size < 0 && errno != EINTR))
      break;
    if (size > 0)
      text.append(block, size);
  }
  close(ends[0]);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (late)
    return fail("the compiler took more than " + llvm::Twine(timeoutSeconds) + " s and was stopped",
                "--tw-timeout=SECONDS sets the limit");
  if (WIFEXITED(status)) {
    int code = WEXITSTATUS(status);
    if (code == 0 || text.find("TW31") != std::string::npos) {
      llvm::errs() << text;
      return code ? 1 : 0;
    }
    return fail("the compiler gave up: " + lastLine(text));
  }
  int signal = WTERMSIG(status);
  std::string note = lastLine(text);
  return fail("the compiler crashed on this module (" + llvm::Twine(strsignal(signal)) + ")" +
              (note.empty() ? "" : ": " + note));
}

} // namespace tilewright::hivmc
