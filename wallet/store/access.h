/// The mode in which a wallet's file is opened.
#pragma once

#include <cstdint>

namespace petal::wallet {

enum class Access : std::uint8_t {
    read,    ///< read one state of the file
    change,  ///< make small changes, even while another process syncs the wallet, which notices
             ///< them
    sync,    ///< sync the wallet: fails with `locked_by_other` while another process does
};

}  // namespace petal::wallet
