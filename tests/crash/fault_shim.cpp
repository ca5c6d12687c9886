// Preloaded into a program, makes one of its calls on files fail, or kills the program at that
// call. Only calls on files below PETAL_FAULT_FOLDER count. The environment selects the call:
//
//   PETAL_FAULT=CALL:N:KIND   the N-th CALL (open, write, sync, name, truncate, unlink); N is 0
//                             for every call. KIND is an error's name (EIO, ENOSPC, EROFS), `full`
//                             (ENOSPC now and from now on), `short` (half is written), `kill`
//                             (SIGKILL instead of the call) or `torn` (SIGKILL after half is
//                             written). An `open` counts if it may write.
//   PETAL_FAULT_COUNTS=FILE   at the end of the program, the number of each call is written there
//
// The C++ library's calls of fopen64 and openat are not intercepted. petal uses them for reading,
// for folders, and for files that the user names.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace {

enum class Call : unsigned { open, write, sync, name, truncate, unlink };
constexpr const char* kNames[] = {"open", "write", "sync", "name", "truncate", "unlink"};
constexpr std::size_t kCalls = std::size(kNames);

struct Plan {
    std::string folder;
    std::string counts;
    std::optional<Call> call;
    unsigned long number = 0;
    std::string kind;
    int error = 0;
};

std::atomic<unsigned long> g_counts[kCalls];
std::atomic<bool> g_is_full{false};

std::string variable(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

Plan read_plan() {
    Plan plan;
    plan.folder = variable("PETAL_FAULT_FOLDER");
    plan.counts = variable("PETAL_FAULT_COUNTS");
    const std::string fault = variable("PETAL_FAULT");
    const auto first = fault.find(':');
    const auto second = fault.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) return plan;
    for (std::size_t i = 0; i < kCalls; ++i) {
        if (fault.substr(0, first) == kNames[i]) plan.call = static_cast<Call>(i);
    }
    plan.number = std::strtoul(fault.c_str() + first + 1, nullptr, 10);
    plan.kind = fault.substr(second + 1);
    plan.error = plan.kind == "EIO" ? EIO : plan.kind == "EROFS" ? EROFS : ENOSPC;
    return plan;
}

// The plan is never destroyed, because the program's last calls come after its destructors.
const Plan& plan() {
    static const Plan& the_plan = *new Plan(read_plan());
    return the_plan;
}

bool is_below(std::string_view path) {
    return !plan().folder.empty() && path.substr(0, plan().folder.size()) == plan().folder;
}

bool is_below(int descriptor) {
    char path[4096];
    const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
    const auto size = ::readlink(link.c_str(), path, sizeof path);
    return size > 0 && is_below(std::string_view(path, static_cast<std::size_t>(size)));
}

[[noreturn]] void die() {
    ::kill(::getpid(), SIGKILL);
    for (;;) ::pause();
}

enum class Fate { as_asked, fails, half };

Fate fate_of(Call call) {
    const auto number = ++g_counts[static_cast<std::size_t>(call)];
    const Plan& now = plan();
    const bool takes_room = call != Call::sync && call != Call::unlink;
    if (g_is_full && takes_room) return errno = ENOSPC, Fate::fails;
    if (now.call != call || (now.number != 0 && now.number != number)) return Fate::as_asked;
    if (now.kind == "kill") die();
    if (now.kind == "short" || now.kind == "torn") return Fate::half;
    if (now.kind == "full") g_is_full = true;
    errno = now.error;
    return Fate::fails;
}

template <typename Function>
Function* real(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

template <typename Write>
ssize_t write_some(int descriptor, std::size_t size, Write write) {
    if (!is_below(descriptor)) return write(size);
    const Fate fate = fate_of(Call::write);
    if (fate == Fate::fails) return -1;
    if (fate == Fate::as_asked) return write(size);
    const ssize_t written = write(size / 2);
    if (plan().kind == "torn") die();
    return written;
}

template <typename Act>
int act_on(bool counts, Call call, Act act) {
    if (counts && fate_of(call) == Fate::fails) return -1;
    return act();
}

int open_as(const char* name, const char* path, int flags, mode_t mode) {
    const bool writes = (flags & (O_WRONLY | O_RDWR | O_CREAT)) != 0;
    return act_on(writes && is_below(path), Call::open,
                  [&] { return real<int(const char*, int, ...)>(name)(path, flags, mode); });
}

mode_t mode_of(int flags, std::va_list& rest) {
    return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
}

[[gnu::destructor]] void write_counts() {
    if (plan().counts.empty()) return;
    std::FILE* const file = std::fopen(plan().counts.c_str(), "w");
    if (file == nullptr) return;
    for (std::size_t i = 0; i < kCalls; ++i)
        std::fprintf(file, "%s %lu\n", kNames[i], g_counts[i].load());
    std::fclose(file);
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
    std::va_list rest;
    va_start(rest, flags);
    const mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return open_as("open", path, flags, mode);
}

int open64(const char* path, int flags, ...) {
    std::va_list rest;
    va_start(rest, flags);
    const mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return open_as("open64", path, flags, mode);
}

ssize_t write(int descriptor, const void* bytes, std::size_t size) {
    return write_some(descriptor, size, [&](std::size_t count) {
        return real<ssize_t(int, const void*, std::size_t)>("write")(descriptor, bytes, count);
    });
}

ssize_t pwrite(int descriptor, const void* bytes, std::size_t size, off_t offset) {
    return write_some(descriptor, size, [&](std::size_t count) {
        return real<ssize_t(int, const void*, std::size_t, off_t)>("pwrite")(descriptor, bytes,
                                                                             count, offset);
    });
}

ssize_t pwrite64(int descriptor, const void* bytes, std::size_t size, off64_t offset) {
    return write_some(descriptor, size, [&](std::size_t count) {
        return real<ssize_t(int, const void*, std::size_t, off64_t)>("pwrite64")(descriptor, bytes,
                                                                                 count, offset);
    });
}

// Half of the write means half of its parts.
ssize_t writev(int descriptor, const iovec* parts, int count) {
    return write_some(descriptor, static_cast<std::size_t>(count), [&](std::size_t some) {
        return real<ssize_t(int, const iovec*, int)>("writev")(descriptor, parts,
                                                               static_cast<int>(some));
    });
}

int fsync(int descriptor) {
    return act_on(is_below(descriptor), Call::sync,
                  [&] { return real<int(int)>("fsync")(descriptor); });
}

int fdatasync(int descriptor) {
    return act_on(is_below(descriptor), Call::sync,
                  [&] { return real<int(int)>("fdatasync")(descriptor); });
}

int rename(const char* from, const char* to) noexcept {
    return act_on(is_below(to), Call::name,
                  [&] { return real<int(const char*, const char*)>("rename")(from, to); });
}

int mkdir(const char* path, mode_t mode) noexcept {
    return act_on(is_below(path), Call::name,
                  [&] { return real<int(const char*, mode_t)>("mkdir")(path, mode); });
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to,
              unsigned flags) noexcept {
    return act_on(is_below(to), Call::name, [&] {
        return real<int(int, const char*, int, const char*, unsigned)>("renameat2")(
            from_folder, from, to_folder, to, flags);
    });
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
    return act_on(is_below(to), Call::name, [&] {
        return real<int(int, const char*, int, const char*, int)>("linkat")(from_folder, from,
                                                                            to_folder, to, flags);
    });
}

int ftruncate(int descriptor, off_t size) noexcept {
    return act_on(is_below(descriptor), Call::truncate,
                  [&] { return real<int(int, off_t)>("ftruncate")(descriptor, size); });
}

int ftruncate64(int descriptor, off64_t size) noexcept {
    return act_on(is_below(descriptor), Call::truncate,
                  [&] { return real<int(int, off64_t)>("ftruncate64")(descriptor, size); });
}

int unlink(const char* path) noexcept {
    return act_on(is_below(path), Call::unlink,
                  [&] { return real<int(const char*)>("unlink")(path); });
}

int remove(const char* path) noexcept {
    return act_on(is_below(path), Call::unlink,
                  [&] { return real<int(const char*)>("remove")(path); });
}

}  // extern "C"
