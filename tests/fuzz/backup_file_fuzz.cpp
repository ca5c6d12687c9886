// Backups: an accepted backup equals the backup that is made of the same wallet. Since no input
// would pass the checksums by chance, each is also tried with the right checksums.
#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "chain/hash.h"
#include "wallet/store/backup_file.h"

namespace {

using namespace petal;
using chain::Bytes;
using chain::ByteView;

constexpr std::size_t kHeader = 64;
constexpr std::size_t kHeaderChecksum = 4;

/// Reads the backup in pieces, whose sizes depend on its bytes.
void read(ByteView backup) {
    Bytes database;
    ByteView rest = backup;
    const auto result = wallet::read_backup(
        [&](std::span<chain::Byte> to) {
            const std::size_t piece = rest.empty() ? 0 : std::size_t{rest.front()} + 1;
            const std::size_t count = std::min({to.size(), rest.size(), piece});
            std::ranges::copy(rest.first(count), to.begin());
            rest = rest.subspan(count);
            return count;
        },
        [&](ByteView bytes) { database.insert(database.end(), bytes.begin(), bytes.end()); });
    assert(database.size() <= backup.size());
    if (!result) {
        const std::string_view reason = describe(result.error());
        assert(!reason.empty() && reason.find('\n') == std::string_view::npos);
        return;
    }
    Bytes again;
    wallet::write_backup(*result, database, [&](ByteView bytes) {
        again.insert(again.end(), bytes.begin(), bytes.end());
    });
    assert(std::ranges::equal(again, backup));
}

Bytes with_checksums(ByteView input) {
    Bytes backup(input.begin(), input.end());
    if (backup.size() < kHeader) return backup;
    const auto header = chain::sha256(ByteView(backup).first(kHeader - kHeaderChecksum));
    std::copy_n(header.begin(), kHeaderChecksum, backup.begin() + kHeader - kHeaderChecksum);
    const auto whole = chain::sha256(ByteView(backup));
    backup.insert(backup.end(), whole.begin(), whole.end());
    return backup;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    read({data, size});
    read(with_checksums({data, size}));
    return 0;
}
