#include "net/sync/filters/sync_checkpoint.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "chain/byte_writer.h"
#include "net/sync/filters/filter_policy.h"
#include "net/wire/messages.h"

namespace petal::net {

namespace {

constexpr std::uint8_t kFormatVersion = 12;
// Older versions. The first two are read without their unconfirmed matches. The third has no
// outputs, and the next (6) only P2WPKH ones: spends of other outputs are not verified. The fifth
// has no heights of the blocks with the outputs. The sixth has no coverage of spent outpoints. The
// seventh (9) does not say whether transactions of undone blocks may be left. The eighth (10) is of
// syncs that looked for false positives in every block. The ninth (11) does not say which compact
// filters were compared.
constexpr std::uint8_t kWithoutUnconfirmed = 3;
constexpr std::uint8_t kWithoutSources = 4;
constexpr std::uint8_t kWithoutOutputs = 5;
constexpr std::uint8_t kWithoutHeights = 7;
constexpr std::uint8_t kWithoutSpent = 8;
constexpr std::uint8_t kWithoutUndone = 9;
constexpr std::uint8_t kWithFalsePositives = 10;
constexpr std::uint8_t kWithoutUncompared = 11;

void write_place(chain::ByteWriter& writer, const std::optional<chain::BlockRef>& block) {
    writer.u8(block ? 1 : 0);
    if (block) writer.u32(block->height).bytes(block->hash.view());
}

bool read_flag(chain::ByteReader& reader) {
    const std::uint8_t flag = reader.read_u8();
    if (flag > 1) reader.fail(chain::DecodeError::invalid_value);
    return flag == 1;
}

std::optional<chain::BlockRef> read_place(chain::ByteReader& reader) {
    if (!read_flag(reader)) return std::nullopt;
    const std::uint32_t height = reader.read_u32();
    return chain::BlockRef{height, chain::BlockHash{reader.read_array<32>()}};
}

MatchedOutpoints::Content content_of(std::uint8_t version) {
    using enum MatchedOutpoints::Content;
    if (version <= kWithoutOutputs) return nothing;
    return version <= kWithoutHeights ? output : output_and_height;
}

/// The blocks that may have been searched by their compact filters.
HeightRanges searched_by_filters(const SyncCheckpoint& checkpoint) {
    HeightRanges heights;
    const auto& from = checkpoint.without_false_positives_from;
    if (!from || !checkpoint.applied || *from > checkpoint.applied->height) return heights;
    constexpr std::uint32_t kHighest = std::numeric_limits<std::uint32_t>::max() - 1;
    if (*from <= kHighest) heights.add(*from, std::min(checkpoint.applied->height, kHighest));
    return heights;
}

/// Open blocks are above the covered ones, so there is always a block below an open one.
bool is_consistent(const SyncCheckpoint& checkpoint) {
    const auto lowest = checkpoint.coverage.open().lowest();
    return !lowest || (checkpoint.covered && checkpoint.covered->height < *lowest);
}

}  // namespace

void SyncCheckpoint::undo_to(std::uint32_t height) {
    outpoints.undo_to(height);
    unconfirmed.undo_to(height);
    coverage.drop_above(height);
    uncompared.remove_above(height);
    if (without_false_positives_from > height) without_false_positives_from.reset();
}

std::vector<chain::Outpoint> SyncCheckpoint::matched() const {
    std::vector<chain::Outpoint> all = outpoints.outpoints();
    const std::vector<chain::Outpoint> more = unconfirmed.outpoints();
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

chain::Bytes SyncCheckpoint::encode() const {
    chain::ByteWriter writer;
    writer.u8(kFormatVersion).u64(std::bit_cast<std::uint64_t>(rate)).compact_size(locator.size());
    for (const chain::BlockHash& hash : locator) writer.bytes(hash.view());
    outpoints.write(writer);
    write_place(writer, applied);
    write_place(writer, covered);
    coverage.write(writer);
    writer.u64(watched_elements).u8(may_have_undone ? 1 : 0);
    writer.u8(without_false_positives_from ? 1 : 0);
    if (without_false_positives_from) writer.u32(*without_false_positives_from);
    uncompared.write(writer);
    unconfirmed.write(writer);
    return writer.take();
}

chain::Expected<SyncCheckpoint, chain::DecodeError> decode_sync_checkpoint(chain::ByteView bytes) {
    chain::ByteReader reader{bytes};
    const std::uint8_t version = reader.read_u8();
    if (version < kWithoutUnconfirmed || version > kFormatVersion) {
        reader.fail(chain::DecodeError::invalid_value);
    }
    SyncCheckpoint checkpoint;
    checkpoint.rate = std::bit_cast<double>(reader.read_u64());
    const bool is_rate =
        checkpoint.rate >= kLowestRate && checkpoint.rate <= kHighestRate;  // no NaN
    if (!is_rate) reader.fail(chain::DecodeError::invalid_value);
    const std::size_t hashes = reader.read_count(kMaxLocatorEntries, 32);
    for (std::size_t i = 0; i < hashes && reader.ok(); ++i) {
        checkpoint.locator.push_back(chain::BlockHash{reader.read_array<32>()});
    }
    checkpoint.outpoints = MatchedOutpoints::read(reader, content_of(version));
    checkpoint.applied = read_place(reader);
    checkpoint.covered = read_place(reader);
    checkpoint.coverage = Coverage::read(reader, version > kWithoutSpent);
    checkpoint.watched_elements = reader.read_u64();
    if (version > kWithoutUndone) checkpoint.may_have_undone = read_flag(reader);
    if (version > kWithFalsePositives && read_flag(reader)) {
        checkpoint.without_false_positives_from = reader.read_u32();
    }
    if (version > kWithoutUncompared) {
        checkpoint.uncompared = HeightRanges::read(reader);
    } else {
        checkpoint.uncompared = searched_by_filters(checkpoint);
    }
    if (version == kWithoutSources) reader.read_view(reader.remaining());
    if (version >= kWithoutOutputs) {
        checkpoint.unconfirmed = UnconfirmedMatches::read(reader, version > kWithoutOutputs);
    }
    reader.expect_end();
    if (!is_consistent(checkpoint)) reader.fail(chain::DecodeError::invalid_value);
    if (!reader.ok()) return chain::Unexpected(reader.error());
    return checkpoint;
}

}  // namespace petal::net
