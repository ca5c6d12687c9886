#include "net/io/signals.h"

#include <signal.h>

namespace petal::net {

bool is_ignored(int signal) {
    struct sigaction action {};
    return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace petal::net
