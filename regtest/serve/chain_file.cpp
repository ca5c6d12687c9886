#include "regtest/serve/chain_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>
#include <system_error>
#include <unordered_set>
#include <utility>
#include <vector>

#include "chain/block.h"
#include "chain/byte_reader.h"
#include "chain/byte_writer.h"
#include "chain/files/regular_file.h"
#include "chain/files/write_all.h"
#include "chain/network_params.h"
#include "chain/storage/private_files.h"

namespace petal::regtest {
namespace {

constexpr std::string_view kChainFilePreamble = "petal regtest chain 1\n";
constexpr std::size_t kCheckBytes = 4;

/// One record in the format of the file.
struct StoredRecord {
    ChainRecord::Kind kind = ChainRecord::Kind::block;
    chain::ByteView payload;  ///< a block, or a block's hash
};

chain::ByteView check_of(const chain::Hash256& hash) {
    return chain::ByteView(hash.bytes).first(kCheckBytes);
}

chain::Bytes to_bytes(const ChainRecord& record, const RegtestChain& chain) {
    chain::Bytes payload(record.hash.bytes.begin(), record.hash.bytes.end());
    if (record.kind == ChainRecord::Kind::block) {
        payload = chain.blocks().find(record.hash)->serialize();
    }
    chain::Bytes bytes = chain::ByteWriter()
                             .u8(static_cast<std::uint8_t>(record.kind))
                             .u32(static_cast<std::uint32_t>(payload.size()))
                             .bytes(payload)
                             .take();
    const chain::Hash256 hash = chain::sha256d(bytes);
    const auto check = check_of(hash);
    bytes.insert(bytes.end(), check.begin(), check.end());
    return bytes;
}

/// The next record; nothing if it is cut off or damaged.
std::optional<StoredRecord> read_record(chain::ByteReader& reader) {
    const chain::ByteView start = reader.rest();
    const auto kind = reader.read_u8();
    const auto size = reader.read_u32();
    if (kind > static_cast<std::uint8_t>(ChainRecord::Kind::reconsidered)) return std::nullopt;
    if (size > chain::kMaxBlockBytes) return std::nullopt;
    const auto payload = reader.read_view(size);
    const auto check = reader.read_view(kCheckBytes);
    if (!reader.ok()) return std::nullopt;
    const auto checked = start.first(start.size() - reader.remaining() - kCheckBytes);
    const chain::Hash256 hash = chain::sha256d(checked);
    if (!std::ranges::equal(check, check_of(hash))) return std::nullopt;
    return StoredRecord{static_cast<ChainRecord::Kind>(kind), payload};
}

/// Whether a record may start with these bytes. (Computing the checksum at every byte of a large
/// block would take minutes.)
bool looks_like_record(chain::ByteView bytes) {
    constexpr std::size_t kBitsPlace = 72;  // in a block's header
    static const std::uint32_t regtest_bits = chain::find_network("regtest")->genesis.bits;
    chain::ByteReader reader(bytes);
    const bool is_block = reader.read_u8() == static_cast<std::uint8_t>(ChainRecord::Kind::block);
    const auto size = reader.read_u32();
    if (!is_block) return size == sizeof(chain::BlockHash::bytes);
    reader.read_view(kBitsPlace);
    return reader.read_u32() == regtest_bits;
}

/// Whether a valid record starts anywhere in these bytes: then they are not the rest of an
/// interrupted write, even if the length of the first record suggests it.
bool contains_record(chain::ByteView bytes) {
    for (; !bytes.empty(); bytes = bytes.subspan(1)) {
        chain::ByteReader reader(bytes);
        if (looks_like_record(bytes) && read_record(reader)) return true;
    }
    return false;
}

/// Gives a chain the records of a file, as they were made.
class Replay {
public:
    explicit Replay(RegtestChain& chain) : chain_(chain) {}

    /// Adds a record; returns whether it is one that the chain could have made.
    bool take(const StoredRecord& record) {
        if (record.kind == ChainRecord::Kind::block) {
            auto block = chain::decode_block(record.payload);
            return block && take_block(*std::move(block));
        }
        chain::BlockHash hash;
        if (record.payload.size() != hash.bytes.size()) return false;
        std::ranges::copy(record.payload, hash.bytes.begin());
        return take_mark(record.kind, hash);
    }

private:
    /// Times are not compared with this node's clock: they were allowed when the block was
    /// recorded. A node remembers a limited number of invalid blocks, so that an invalid one may
    /// have been accepted, and recorded, again.
    bool take_block(chain::Block block) {
        const chain::BlockHash hash = block.header.hash();
        if (is_left_out(hash) || is_left_out(block.header.previous)) {
            left_out_.insert(hash);
            return true;
        }
        const auto verdict = chain_.offer_block(std::move(block), FutureTimes::accepted);
        return verdict.outcome != BlockOutcome::refused;
    }

    bool take_mark(ChainRecord::Kind kind, const chain::BlockHash& hash) {
        if (is_left_out(hash)) return true;
        const auto* const entry = chain_.blocks().find(hash);
        if (entry == nullptr) return false;
        if (kind == ChainRecord::Kind::reconsidered) {
            chain_.reconsider(hash);
            return true;
        }
        if (entry->height == 0) return false;
        chain_.invalidate(hash);
        return true;
    }

    bool is_left_out(const chain::BlockHash& hash) const {
        return chain_.blocks().is_wrong(hash) || left_out_.contains(hash);
    }

    RegtestChain& chain_;
    std::unordered_set<chain::BlockHash> left_out_;  // repeated invalid blocks, with descendants
};

[[noreturn]] void fail_as_damaged(const std::filesystem::path& file, const std::string& what) {
    throw ChainFileError(ChainFileError::Kind::damaged, file.string() + what);
}

[[noreturn]] void fail(const std::filesystem::path& file) {
    throw std::system_error(errno, std::generic_category(), file.string());
}

chain::FileLock lock_of(const std::filesystem::path& file) {
    auto lock = chain::FileLock::acquire(file.string() + ".lock", chain::FileLock::Mode::exclusive);
    if (lock) return *std::move(lock);
    throw ChainFileError(ChainFileError::Kind::in_use,
                         file.string() + " is in use by another node");
}

/// Appends, and returns when power can't undo it any more.
void append_durably(const chain::FileDescriptor& opened, chain::ByteView bytes,
                    const std::filesystem::path& file) {
    chain::write_all(opened, bytes, file);
    if (::fdatasync(opened.number()) != 0) fail(file);
}

}  // namespace

ChainFile::ChainFile(const std::filesystem::path& file)
    : file_(file),
      lock_(lock_of(file)),
      descriptor_(chain::open_regular_file(file, O_RDWR | O_CREAT | O_APPEND)) {
    chain::sync_folder_of(file_);
}

chain::Bytes ChainFile::read_all() const {
    struct stat status {};
    if (::fstat(descriptor_.number(), &status) != 0) fail(file_);
    chain::Bytes bytes(static_cast<std::size_t>(status.st_size));
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t size = ::pread(descriptor_.number(), bytes.data() + done, bytes.size() - done,
                                     static_cast<off_t>(done));
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) fail(file_);
        if (size == 0) break;
        done += static_cast<std::size_t>(size);
    }
    bytes.resize(done);
    return bytes;
}

bool ChainFile::read(RegtestChain& chain, const std::function<bool()>& is_stopped) {
    const chain::Bytes bytes = read_all();
    const auto preamble = chain::as_bytes(kChainFilePreamble);
    const std::size_t known = std::min(bytes.size(), preamble.size());
    if (!std::equal(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(known),
                    preamble.begin())) {
        fail_as_damaged(file_, " is no chain of petal's");
    }
    std::size_t sound = 0;
    if (known == preamble.size()) {
        chain::ByteReader reader(chain::ByteView(bytes).subspan(known));
        sound = known;
        Replay replay(chain);
        while (reader.remaining() > 0) {
            if (is_stopped && is_stopped()) return false;
            const chain::ByteView rest = reader.rest();
            const auto record = read_record(reader);
            if (!record && !contains_record(rest)) break;
            if (!record || !replay.take(*record)) {
                fail_as_damaged(file_, " is damaged at byte " + std::to_string(sound));
            }
            sound = bytes.size() - reader.remaining();
        }
    }
    // Removes transactions of blocks that were disconnected while reading; no mempool is stored.
    for (const auto& entry : std::vector(chain.mempool().entries())) chain.drop(entry.txid);
    records_ = chain.history().records().size();
    cut_bytes_ = bytes.size() - sound;
    if (cut_bytes_ > 0 && ::ftruncate(descriptor_.number(), static_cast<off_t>(sound)) != 0) {
        fail(file_);
    }
    if (sound == 0) append_durably(descriptor_, preamble, file_);
    return true;
}

void ChainFile::append(const RegtestChain& chain) {
    const auto& records = chain.history().records();
    if (records_ == records.size()) return;
    chain::Bytes bytes;
    for (std::size_t i = records_; i < records.size(); ++i) {
        // Blocks that turned out to be invalid are not known any more.
        if (chain.blocks().find(records[i].hash) == nullptr) continue;
        const auto record = to_bytes(records[i], chain);
        bytes.insert(bytes.end(), record.begin(), record.end());
    }
    append_durably(descriptor_, bytes, file_);
    records_ = records.size();
}

}  // namespace petal::regtest
