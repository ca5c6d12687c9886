#include "cli/terminal/process_protection.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <initializer_list>

#include "chain/storage/sqlite_memory.h"

namespace petal::cli {
namespace {

/// Takes the places of standard streams that are closed, where a file of the wallet would otherwise
/// be opened, and messages written into it. Reads and writes there fail.
void occupy_closed_streams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (fcntl(stream, F_GETFD) >= 0) continue;
        // The lowest descriptor that is free, and so this one.
        static_cast<void>(open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY));
    }
}

}  // namespace

void protect_process() {
    occupy_closed_streams();
    // If the system refuses one of these, petal still works.
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    // The limit does not apply to a core dump that is piped to a program (core(5)); this does.
    prctl(PR_SET_DUMPABLE, 0);
    chain::wipe_sqlite_memory();
}

}  // namespace petal::cli
