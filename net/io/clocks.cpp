#include "net/io/clocks.h"

#include <chrono>

namespace petal::net {

Now read_clocks() {
    const auto steady = std::chrono::steady_clock::now().time_since_epoch();
    return {std::chrono::duration_cast<std::chrono::milliseconds>(steady), unix_time_now()};
}

std::int64_t unix_time_now() {
    const auto wall = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::seconds>(wall).count();
}

}  // namespace petal::net
