// Files of another process beside a wallet. The sync status and the fee floor are understood
// completely or not at all. A host that was added to the hosts that got the filter is known.
#include <cassert>
#include <cstdint>
#include <filesystem>
#include <fstream>

#include "client/data/fee_floor.h"
#include "client/data/filter_hosts.h"
#include "client/data/sync_standing.h"
#include "tests/support/temporary_folder.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace petal;
    constexpr std::int64_t kReadAt = 1'700'000'000;
    static const test::TemporaryFolder folder;
    static const std::filesystem::path wallet = folder.path() / "wallet";
    std::ofstream(folder.path() / "wallet.sync-standing", std::ios::binary | std::ios::trunc)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    const auto standing = client::read_standing(wallet, kReadAt);
    assert(!standing || standing->failures.size() <= size + 30);
    // A status that is old or from another clock confirms nothing now.
    const auto later = client::read_standing(wallet, kReadAt + 3'600);
    assert(!standing || !later || !standing->is_confirmed || !later->is_confirmed);
    // The fee rate that a sync stores is read in the same way.
    const auto floor = client::read_fee_floor(folder.path() / "wallet.sync-standing", kReadAt);
    assert(!floor || (floor->sat_per_kvb() > 0 && *floor <= client::kMostFeeFloor));

    const std::filesystem::path hosts_file = folder.path() / "other.filter-hosts";
    std::filesystem::rename(folder.path() / "wallet.sync-standing", hosts_file);
    client::FilterHosts hosts(folder.path() / "other");
    assert(hosts.contains("10.1.2.3:1") == hosts.contains("10.1.2.3:2"));
    if (size % 8 != 0) return 0;  // writing takes long
    hosts.add("10.1.2.3:1");
    assert(client::FilterHosts(folder.path() / "other").contains("10.1.2.3:2"));
    return 0;
}
