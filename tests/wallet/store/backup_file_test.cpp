// The format of backup files, byte by byte.
#include "wallet/store/backup_file.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "chain/hash.h"

namespace petal::wallet {
namespace {

using chain::Byte;
using chain::Bytes;
using chain::ByteView;

// Made with Python's struct and hashlib: the network "regtest", and "abc" as the database.
constexpr const char* kSmallBackup =
    "706574616c206261636b75700d0a1a0a010000007265677465737400000000000000000000000000"
    "00000000000000000000000003000000000000004c5202bc6162635a7b66aaa01bd6b19ab6cf6bae"
    "50662a61092708d4ef4433a743d8b0f5a68d37";

constexpr std::size_t kMagicBytes = 16;
constexpr std::size_t kVersionAt = 16;
constexpr std::size_t kSizeAt = 52;
constexpr std::size_t kHeaderEnd = 64;

struct Outcome {
    std::optional<BackupError> error;
    std::string network;
    Bytes database;  // all bytes that were passed on, even if the backup was refused in the end
};

/// Reads the backup in pieces of `piece` bytes.
Outcome read_back(ByteView backup, std::size_t piece = 1'000'000) {
    Outcome outcome;
    const auto result = read_backup(
        [&](std::span<Byte> to) {
            const std::size_t count = std::min({to.size(), backup.size(), piece});
            std::ranges::copy(backup.first(count), to.begin());
            backup = backup.subspan(count);
            return count;
        },
        [&](ByteView bytes) {
            outcome.database.insert(outcome.database.end(), bytes.begin(), bytes.end());
        });
    if (result) {
        outcome.network = *result;
    } else {
        outcome.error = result.error();
    }
    return outcome;
}

Bytes backup_of(std::string_view network, ByteView database) {
    Bytes backup;
    write_backup(network, database,
                 [&](ByteView bytes) { backup.insert(backup.end(), bytes.begin(), bytes.end()); });
    return backup;
}

Bytes small_backup() {
    return chain::from_hex(kSmallBackup).value();
}

/// The backup with another number at `at` in the header, and with matching checksums.
Bytes with_number(std::size_t at, std::uint64_t number, std::size_t bytes) {
    Bytes backup = small_backup();
    for (std::size_t i = 0; i < bytes; ++i) backup[at + i] = static_cast<Byte>(number >> (8 * i));
    const auto header = chain::sha256(ByteView(backup).first(kHeaderEnd - 4));
    std::copy_n(header.begin(), 4, backup.begin() + kHeaderEnd - 4);
    const auto whole = chain::sha256(ByteView(backup).first(backup.size() - 32));
    std::ranges::copy(whole, backup.end() - 32);
    return backup;
}

TEST(BackupFile, IsWrittenAsDocumented) {
    EXPECT_EQ(chain::to_hex(backup_of("regtest", chain::as_bytes("abc"))), kSmallBackup);
}

TEST(BackupFile, GivesBackWhatWasWritten) {
    Bytes database(200'000);
    for (std::size_t i = 0; i < database.size(); ++i) database[i] = static_cast<Byte>(i * i >> 3);
    const std::string longest_name(32, 'n');
    for (const std::size_t piece : {1U, 63U, 65'537U, 1'000'000U}) {
        const Outcome outcome = read_back(backup_of(longest_name, database), piece);
        EXPECT_EQ(outcome.error, std::nullopt);
        EXPECT_EQ(outcome.network, longest_name);
        EXPECT_TRUE(outcome.database == database) << piece;
    }
}

TEST(BackupFile, EveryTruncationIsRefused) {
    const Bytes backup = small_backup();
    for (std::size_t size = 0; size < backup.size(); ++size) {
        EXPECT_EQ(read_back(ByteView(backup).first(size)).error, BackupError::truncated) << size;
    }
    EXPECT_EQ(read_back(backup).error, std::nullopt);
}

TEST(BackupFile, EveryFlippedBitIsRefused) {
    const Bytes backup = small_backup();
    for (std::size_t at = 0; at < backup.size(); ++at) {
        for (unsigned bit = 0; bit < 8; ++bit) {
            Bytes changed = backup;
            changed[at] = static_cast<Byte>(changed[at] ^ (1U << bit));
            EXPECT_EQ(read_back(changed).error,
                      at < kMagicBytes ? BackupError::not_a_backup : BackupError::damaged)
                << at << ", bit " << bit;
        }
    }
}

TEST(BackupFile, TrailingBytesAreRefused) {
    Bytes backup = small_backup();
    backup.push_back(0);
    EXPECT_EQ(read_back(backup).error, BackupError::too_long);
}

TEST(BackupFile, OtherVersionsAreDistinguishedFromDamage) {
    EXPECT_EQ(read_back(with_number(kVersionAt, 1, 4)).error, std::nullopt);
    EXPECT_EQ(read_back(with_number(kVersionAt, 2, 4)).error, BackupError::newer_version);
    EXPECT_EQ(read_back(with_number(kVersionAt, 0xffffffff, 4)).error, BackupError::newer_version);
    EXPECT_EQ(read_back(with_number(kVersionAt, 0, 4)).error, BackupError::damaged);
}

// Otherwise, a fabricated size could fill the disk or the memory.
TEST(BackupFile, SizeIsCheckedBeforeAnythingIsRead) {
    constexpr std::uint64_t kMost = std::uint64_t{16} << 30;
    const Outcome largest = read_back(with_number(kSizeAt, kMost, 8));
    EXPECT_EQ(largest.error, BackupError::truncated);
    EXPECT_LE(largest.database.size(), 35U) << "only the bytes that were there";
    for (const std::uint64_t size : {kMost + 1, std::uint64_t{1} << 63, std::uint64_t{0}}) {
        const Outcome outcome = read_back(with_number(kSizeAt, size, 8));
        EXPECT_EQ(outcome.error, BackupError::damaged) << size;
        EXPECT_TRUE(outcome.database.empty());
    }
}

TEST(BackupFile, OfZeroBytesIsRefused) {
    const Bytes made_up = with_number(kSizeAt, 0, 8);
    Bytes header(made_up.begin(), made_up.begin() + kHeaderEnd);
    const auto whole = chain::sha256(header);
    header.insert(header.end(), whole.begin(), whole.end());
    EXPECT_EQ(read_back(header).error, BackupError::damaged);
}

TEST(BackupFile, NameOfTheNetworkIsFilledUpWithZerosAlone) {
    EXPECT_EQ(read_back(with_number(20, 0, 8)).error, BackupError::damaged)
        << "the network has no name";
    EXPECT_EQ(read_back(with_number(51, 'x', 1)).error, BackupError::damaged)
        << "a byte that is not zero follows the name";
    EXPECT_EQ(read_back(with_number(27, 'x', 1)).network, "regtestx");
}

TEST(BackupFile, ReasonsAreOneLineEach) {
    using enum BackupError;
    for (const auto error : {not_a_backup, newer_version, truncated, damaged, too_long}) {
        EXPECT_FALSE(describe(error).empty());
        EXPECT_EQ(describe(error).find('\n'), std::string_view::npos);
    }
}

}  // namespace
}  // namespace petal::wallet
