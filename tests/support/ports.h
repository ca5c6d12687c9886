#pragma once

#include <cstdint>

#include "net/io/dial/endpoint.h"

namespace petal::test {

/// A port of this machine that refuses connections while this program runs. The port is bound, so
/// that no other socket gets the port.
net::Endpoint closed_port();

/// A TCP port of 127.0.0.1 that a program can listen on, unless a further program binds the port
/// first.
std::uint16_t free_port();

}  // namespace petal::test
