/// The mode in which a wallet's file is opened.
#pragma once

#include <cstdint>

namespace petal::wallet {

enum class Access : std::uint8_t {
    read,    ///< look at it, as it is at one moment
    change,  ///< for small changes, also while another process syncs it, which takes notice of them
    sync,    ///< as the one that syncs it: fails with `locked_by_other` while another process does
};

}  // namespace petal::wallet
