/// Whole syncs in simulated time. The input chooses how the chain grows and forks, what its peers
/// do, and when the process is killed. The watcher, a list of scripts or a wallet, must end with the
/// complete and correct result.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "chain/byte_reader.h"
#include "tests/support/history.h"

namespace {

// Most inputs skip the blocks without payments, which would double the time, and play with a list of
// scripts: with a wallet's file, an input takes five times as long.
std::unique_ptr<petal::test::HistoryOwner> make_owner(std::uint8_t choice) {
    using namespace petal::test;
    if (choice % 64 == 2) return std::make_unique<WalletOwner>();
    return std::make_unique<ListOwner>(choice % 64 == 1 ? 0 : History::kFirstBlocks);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    petal::chain::ByteReader input{{data, size}};
    const auto owner = make_owner(input.read_u8());
    petal::test::History history(
        [&](std::uint32_t below) {
            return (below > 256 ? input.read_u16() : input.read_u8()) % below;
        },
        {.rounds = 2, .blocks = 6, .high_rate = 1e-5}, *owner);
    const std::string wrong = history.play();
    if (wrong.empty()) return 0;
    std::fprintf(stderr, "%s\n", wrong.c_str());
    std::abort();
}
