// How much memory a regtest chain takes.
#include <gtest/gtest.h>

#include "regtest/chain/regtest_chain.h"
#include "tests/net/counted_memory.h"

namespace petal::regtest {
namespace {

/// Memory per block of a chain whose blocks have this many payments.
std::size_t bytes_per_block(std::size_t payments) {
    constexpr std::uint32_t kBlocks = 1'000;
    RegtestChain chain({0, PurseKind::p2wpkh});
    chain.mine(110);
    const test::CountedMemory memory;
    for (std::uint32_t i = 0; i < kBlocks; ++i) {
        for (std::size_t k = 0; k < payments; ++k) chain.pay(chain::Bytes(22, 0x51), 10'000);
        chain.mine();
    }
    return memory.live() / kBlocks;
}

TEST(ChainMemory, IsTheWireFormAndAsMuchForCoinsAndIndexes) {
    EXPECT_LT(bytes_per_block(0), 750U);
    EXPECT_LT(bytes_per_block(2), 1'650U);
}

}  // namespace
}  // namespace petal::regtest
