// Sees where this process connects to, and which names it asks for.
#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace petal::test {

/// What this whole program has done since the witness was made, except towards the ports that it
/// was told to overlook: those of the peers that the test itself starts. One at a time.
class NetworkWitness {
public:
    explicit NetworkWitness(std::set<std::uint16_t> overlooked);
    ~NetworkWitness();

    /// Ports of IP addresses that were connected or sent to.
    std::set<std::uint16_t> ports() const;
    /// Names of which the addresses were asked for.
    std::set<std::string> names() const;
};

}  // namespace petal::test
