/// How a wallet's file is opened.
#pragma once

#include <cstdint>

namespace petal::wallet {

enum class Access : std::uint8_t {
    read,    ///< read the file
    change,  ///< make small changes, even while another process syncs the wallet
    sync,    ///< sync the wallet. Fails with `locked_by_other` while another process syncs
};

}  // namespace petal::wallet
