#include "wallet/store/backup_file.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "chain/byte_reader.h"
#include "chain/byte_writer.h"
#include "chain/enum_table.h"
#include "chain/hash.h"
#include "wallet/keys/secret_bytes.h"

namespace petal::wallet {

namespace {

using chain::Byte;
using chain::ByteView;

constexpr std::string_view kBackupMagic = "petal backup\r\n\x1a\n";
constexpr std::uint32_t kFormatVersion = 1;
constexpr std::size_t kNetworkBytes = 32;
constexpr std::size_t kHeaderChecksumBytes = 4;
constexpr std::size_t kBackupHeaderBytes = 64;
/// Bounds a fabricated size, which could fill the disk. Far above the size of a wallet with a
/// million transactions.
constexpr std::uint64_t kMaxDatabaseBytes = std::uint64_t{16} << 30;
constexpr std::size_t kPieceBytes = 64 << 10;
using Checksum = std::array<Byte, 32>;

chain::Bytes header_of(std::string_view network, std::uint64_t database_bytes) {
    chain::ByteWriter writer;
    writer.bytes(chain::as_bytes(kBackupMagic));
    writer.u32(kFormatVersion);
    std::array<Byte, kNetworkBytes> name{};
    std::ranges::copy(network, name.begin());
    writer.bytes(name);
    writer.u64(database_bytes);
    writer.bytes(ByteView(chain::sha256(writer.view())).first(kHeaderChecksumBytes));
    return writer.take();
}

/// The fields of a header.
struct BackupHeader {
    std::string network;
    std::uint64_t database_bytes = 0;
};

/// The name without the padding. Empty if the padding is not zero.
std::optional<std::string> name_in(ByteView field) {
    const auto end = std::ranges::find(field, Byte{0});
    if (std::any_of(end, field.end(), [](Byte byte) { return byte != 0; })) return std::nullopt;
    return std::string(field.begin(), end);
}

/// bytes   the bytes of a header, possibly incomplete
chain::Expected<BackupHeader, BackupError> parse_header(ByteView bytes) {
    using chain::Unexpected;
    const std::size_t known = std::min(bytes.size(), kBackupMagic.size());
    if (!std::ranges::equal(bytes.first(known), chain::as_bytes(kBackupMagic).first(known))) {
        return Unexpected(BackupError::not_a_backup);
    }
    if (bytes.size() < kBackupHeaderBytes) return Unexpected(BackupError::truncated);
    const ByteView checked = bytes.first(kBackupHeaderBytes - kHeaderChecksumBytes);
    const auto checksum = chain::sha256(checked);
    if (!std::ranges::equal(bytes.subspan(checked.size()),
                            ByteView(checksum).first(kHeaderChecksumBytes))) {
        return Unexpected(BackupError::damaged);
    }
    chain::ByteReader reader{checked.subspan(known)};
    const std::uint32_t version = reader.read_u32();
    if (version > kFormatVersion) return Unexpected(BackupError::newer_version);
    auto network = name_in(reader.read_array<kNetworkBytes>());
    const std::uint64_t size = reader.read_u64();
    if (version == 0 || !network || network->empty() || size == 0 || size > kMaxDatabaseBytes) {
        return Unexpected(BackupError::damaged);
    }
    return BackupHeader{*std::move(network), size};
}

/// Computes SHA-256 incrementally.
class Sha256Stream {
public:
    Sha256Stream() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
        if (!context_ || EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1) {
            throw std::bad_alloc();
        }
    }
    void add(ByteView bytes) {
        const int added = EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size());
        assert(added == 1);
    }
    Checksum finish() {
        Checksum checksum{};
        const int finished = EVP_DigestFinal_ex(context_.get(), checksum.data(), nullptr);
        assert(finished == 1);
        return checksum;
    }

private:
    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

/// Fills `bytes`, or reads up to the end of the source. Returns the number of bytes.
std::size_t read_up_to(const ByteSource& source, std::span<Byte> bytes) {
    std::size_t filled = 0;
    while (filled < bytes.size()) {
        const std::size_t got = source(bytes.subspan(filled));
        if (got == 0) break;
        filled += got;
    }
    return filled;
}

/// Passes `size` bytes on. Returns false if the source has fewer bytes.
bool pass_on(const ByteSource& source, std::uint64_t size, Sha256Stream& hash,
             const ByteSink& sink) {
    SecretBytes piece(kPieceBytes);
    while (size > 0) {
        const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(size, piece.size()));
        const std::span<Byte> bytes = std::span(piece).first(wanted);
        if (read_up_to(source, bytes) != wanted) return false;
        hash.add(bytes);
        sink(bytes);
        size -= wanted;
    }
    return true;
}

}  // namespace

std::string_view describe(BackupError error) {
    using enum BackupError;
    static constexpr auto kTexts = chain::enum_table<BackupError, std::string_view>({
        {not_a_backup, "is no backup of petal's"},
        {newer_version, "was made by a later petal"},
        {truncated, "is cut off before its end"},
        {damaged, "is damaged: its checksum is another"},
        {too_long, "goes on behind its end"},
    });
    return kTexts[error];
}

void write_backup(std::string_view network, ByteView database, const ByteSink& sink) {
    assert(!network.empty() && network.size() <= kNetworkBytes);
    assert(!database.empty() && database.size() <= kMaxDatabaseBytes);
    const chain::Bytes header = header_of(network, database.size());
    assert(header.size() == kBackupHeaderBytes);
    sink(header);
    sink(database);
    sink(chain::sha256({header, database}));
}

chain::Expected<std::string, BackupError> read_backup(const ByteSource& source,
                                                      const ByteSink& database) {
    using chain::Unexpected;
    chain::Bytes header(kBackupHeaderBytes);
    header.resize(read_up_to(source, header));
    auto parsed = parse_header(header);
    if (!parsed) return Unexpected(parsed.error());

    Sha256Stream hash;
    hash.add(header);
    if (!pass_on(source, parsed->database_bytes, hash, database)) {
        return Unexpected(BackupError::truncated);
    }
    Checksum stated{};
    if (read_up_to(source, stated) != stated.size()) return Unexpected(BackupError::truncated);
    if (stated != hash.finish()) return Unexpected(BackupError::damaged);
    std::array<Byte, 1> more{};
    if (read_up_to(source, more) != 0) return Unexpected(BackupError::too_long);
    return std::move(parsed->network);
}

}  // namespace petal::wallet
