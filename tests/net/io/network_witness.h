// Records which ports this process connects to and which names it looks up.
#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace petal::test {

/// What the whole process has done since the witness was constructed. Connections to the overlooked
/// ports, which are those of the test's own peers, do not count. At most one may exist at a time.
class NetworkWitness {
public:
    explicit NetworkWitness(std::set<std::uint16_t> overlooked);
    ~NetworkWitness();

    /// Ports of IP addresses that the process connected or sent to.
    std::set<std::uint16_t> ports() const;
    /// Names that the process looked up.
    std::set<std::string> names() const;
};

}  // namespace petal::test
