// Records the ports that this process connects to and the names that this process looks up.
#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace petal::test {

/// The connections and lookups of the whole process since the witness was constructed. Connections
/// to `overlooked` ports, the ports of the test's own peers, do not count. At most one witness may
/// exist at a time.
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
