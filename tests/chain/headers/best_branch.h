/// The best branch of a chain, for the difficulty that its next header needs.
#pragma once

#include <cstdint>

#include "chain/headers/header_chain.h"
#include "chain/headers/proof_of_work.h"

namespace petal::chain {

/// The chain must outlive the branch.
class BestBranch final : public HeaderAncestry {
public:
    explicit BestBranch(const HeaderChain& chain) : chain_(chain) {}
    BlockHeader header_at(std::uint32_t height) const override { return chain_.header_at(height); }

private:
    const HeaderChain& chain_;
};

}  // namespace petal::chain
