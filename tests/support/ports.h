#pragma once

#include <cstdint>

#include "net/io/dial/endpoint.h"

namespace petal::test {

/// A port of this machine that refuses connections while this program runs: it is bound, so that no
/// other socket gets it.
net::Endpoint closed_port();

/// A TCP port of 127.0.0.1 that another program can listen on, unless a third program binds it
/// first.
std::uint16_t free_port();

}  // namespace petal::test
