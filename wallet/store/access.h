/// What a wallet's file is opened for.
#pragma once

#include <cstdint>

namespace petal::wallet {

enum class Access : std::uint8_t {
    read,  ///< look at it; others may sync it meanwhile
    sync,  ///< as its only writer: fails with `locked_by_other` while another process has it so
};

}  // namespace petal::wallet
