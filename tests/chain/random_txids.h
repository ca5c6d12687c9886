/// Transaction ids for tests of merkle trees.
#pragma once

#include <cstddef>
#include <random>
#include <vector>

#include "chain/hash.h"

namespace petal::chain {

inline std::vector<Txid> random_txids(std::mt19937_64& random, std::size_t count) {
    std::vector<Txid> txids(count);
    for (Txid& txid : txids) {
        for (Byte& byte : txid.bytes) byte = static_cast<Byte>(random());
    }
    return txids;
}

}  // namespace petal::chain
