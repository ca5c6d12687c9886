#include "cli/terminal/process_protection.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <initializer_list>

#include "chain/storage/sqlite_memory.h"

namespace petal::cli {
namespace {

/// Occupies the descriptors of closed standard streams. Otherwise a wallet file could get such a
/// descriptor, and messages would be written into the wallet file. Reads and writes of the occupied
/// descriptors fail.
void occupy_closed_streams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (fcntl(stream, F_GETFD) >= 0) continue;
        // open() takes the lowest free descriptor, which is `stream`.
        static_cast<void>(open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY));
    }
}

}  // namespace

void protect_process() {
    occupy_closed_streams();
    // petal works even if the system refuses a call.
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    // RLIMIT_CORE does not apply to a core dump that is piped to a program (core(5)).
    // PR_SET_DUMPABLE does.
    prctl(PR_SET_DUMPABLE, 0);
    chain::wipe_sqlite_memory();
}

}  // namespace petal::cli
