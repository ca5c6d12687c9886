#include "cli/process_protection.h"

#include <sys/prctl.h>
#include <sys/resource.h>

#include "chain/storage/sqlite_memory.h"

namespace petal::cli {

void protect_process() {
    // Where the system refuses one of them, petal works all the same.
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    // The limit does not hold for a core that is piped to a program (core(5)); this does.
    prctl(PR_SET_DUMPABLE, 0);
    chain::wipe_sqlite_memory();
}

}  // namespace petal::cli
