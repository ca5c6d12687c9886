/// Whole syncs in simulated time. The input chooses how the chain grows and forks, what its peers
/// do, and when the process is killed. The watcher, a list of scripts, must end with the complete
/// and correct result. With a wallet's file, an input would take three times as long: random
/// histories of wallets are among the simulations.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "chain/byte_reader.h"
#include "tests/fuzz/small_limits.h"
#include "tests/support/history.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    petal::chain::ByteReader input{{data, size}};
    // Most inputs skip the blocks without payments, which would double the time.
    const bool begins_late = input.read_u8() % 64 != 1;
    petal::test::ListOwner owner(begins_late ? petal::test::History::kFirstBlocks : 0);
    petal::test::History history(
        [&](std::uint32_t below) {
            return (below > 256 ? input.read_u16() : input.read_u8()) % below;
        },
        {.rounds = 2,
         .blocks = 6,
         .high_rate = 1e-5,
         .filter_bytes = petal::fuzz::kFilterBytes,
         .header_limits = petal::fuzz::kHeaderLimits,
         .node_limits = petal::fuzz::kNodeLimits},
        owner);
    const std::string wrong = history.play();
    if (wrong.empty()) return 0;
    std::fprintf(stderr, "%s\n", wrong.c_str());
    std::abort();
}
