#include "cli/process_protection.h"

#include <sys/prctl.h>
#include <sys/resource.h>

#include "chain/storage/sqlite_memory.h"

namespace petal::cli {

void protect_process() {
    // If the system refuses one of these, petal still works.
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    // The limit does not apply to a core dump that is piped to a program (core(5)); this does.
    prctl(PR_SET_DUMPABLE, 0);
    chain::wipe_sqlite_memory();
}

}  // namespace petal::cli
