#include "net/io/clocks.h"

#include <chrono>

namespace petal::net {

Now read_clocks() {
    const auto steady = std::chrono::steady_clock::now().time_since_epoch();
    const auto wall = std::chrono::system_clock::now().time_since_epoch();
    return {std::chrono::duration_cast<std::chrono::milliseconds>(steady),
            std::chrono::duration_cast<std::chrono::seconds>(wall).count()};
}

}  // namespace petal::net
