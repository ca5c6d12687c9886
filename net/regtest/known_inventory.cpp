#include "net/regtest/known_inventory.h"

#include <utility>

namespace petal::net {

void KnownInventory::insert(const chain::Hash256& hash) {
    if (latest_.size() >= kMaxHashes) earlier_ = std::exchange(latest_, {});
    latest_.insert(hash);
}

}  // namespace petal::net
