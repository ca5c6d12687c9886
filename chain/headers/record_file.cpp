#include "chain/headers/record_file.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "chain/byte_reader.h"
#include "chain/byte_writer.h"
#include "chain/files/regular_file.h"
#include "chain/headers/header_file_error.h"
#include "chain/headers/stored_headers.h"

namespace petal::chain {

namespace {

constexpr std::string_view kFileMagic = "petalheaders";
constexpr std::uint32_t kFileVersion = 2;
// The size of a record, so that records do not cross page boundaries.
constexpr std::size_t kFilePreambleBytes = HeaderRecord::kBytes;
constexpr std::size_t kCheckBytes = 4;
constexpr std::size_t kRecordsPerWrite = 2000;

Bytes make_preamble(const NetworkParams& network) {
    ByteWriter writer{kFilePreambleBytes};
    writer.bytes(as_bytes(kFileMagic)).u32(kFileVersion);
    writer.bytes(network.genesis.hash().view()).bytes(network.magic);
    Bytes preamble = writer.take();
    preamble.resize(kFilePreambleBytes - kCheckBytes);
    const auto digest = sha256(preamble);
    preamble.insert(preamble.end(), digest.begin(), digest.begin() + kCheckBytes);
    return preamble;
}

bool is_sound_preamble(ByteView preamble) {
    if (preamble.size() != kFilePreambleBytes) return false;
    const auto digest = sha256(preamble.first(kFilePreambleBytes - kCheckBytes));
    return std::equal(digest.begin(), digest.begin() + kCheckBytes, preamble.end() - kCheckBytes);
}

HeaderRecord::Check first_check_of(ByteView preamble) {
    HeaderRecord::Check check;
    std::copy(preamble.end() - kCheckBytes, preamble.end(), check.begin());
    return check;
}

}  // namespace

std::optional<HeaderRecord> RecordFile::read_root(const std::filesystem::path& path,
                                                  const NetworkParams& network) {
    constexpr std::size_t kStartBytes = kFilePreambleBytes + HeaderRecord::kBytes;
    std::string bytes;
    try {
        bytes = read_regular_file(path, kStartBytes);
    } catch (const std::system_error&) {
        return std::nullopt;
    }
    if (bytes.size() < kStartBytes) return std::nullopt;
    const Bytes preamble = make_preamble(network);
    if (!std::equal(preamble.begin(), preamble.end(),
                    reinterpret_cast<const Byte*>(bytes.data()))) {
        return std::nullopt;
    }
    HeaderRecord root;
    std::memcpy(&root, bytes.data() + kFilePreambleBytes, sizeof root);
    if (root.check() != root.make_check(first_check_of(preamble), root.hash())) {
        return std::nullopt;
    }
    return root;
}

RecordFile::RecordFile(const std::filesystem::path& path, const NetworkParams& network,
                       FileAccess access)
    : preamble_(make_preamble(network)),
      file_(path, access),
      first_check_(first_check_of(preamble_)),
      last_check_(first_check_) {
    read_preamble(network);
}

void RecordFile::read_preamble(const NetworkParams& network) {
    const Bytes found = file_.read(0, kFilePreambleBytes);
    if (std::equal(found.begin(), found.end(), preamble_.begin())) {
        has_preamble_ = found.size() == kFilePreambleBytes;
        return;
    }
    ByteReader reader{found};
    const ByteView magic = reader.read_view(kFileMagic.size());
    if (!std::ranges::equal(magic, as_bytes(kFileMagic))) {
        refuse_file("it is not a petal header file");
    }
    const std::uint32_t version = reader.read_u32();
    const bool same_genesis = reader.read_array<32>() == network.genesis.hash().bytes;
    if (version > kFileVersion) refuse("it was written by a newer version of petal");
    if (version == 0 || (version == kFileVersion && !is_sound_preamble(found))) {
        refuse_file("its first bytes are damaged");
    }
    // A file of an older version is replaced: its headers are downloaded again.
    if (version < kFileVersion && same_genesis) return;
    refuse_file("it belongs to another network");
}

std::size_t RecordFile::end() const {
    return kFilePreambleBytes + size_ * HeaderRecord::kBytes;
}

std::unique_ptr<StoredHeaders> RecordFile::open_index() const {
    return StoredHeaders::open(file_, kFilePreambleBytes, first_check_, records_on_disk());
}

void RecordFile::skip(const StoredHeaders& stored) {
    size_ = stored.size();
    last_check_ = stored[size_ - 1].check();
}

Bytes RecordFile::read(std::size_t count) const {
    return file_.read(end(), HeaderRecord::kBytes * count);
}

void RecordFile::accept(const HeaderRecord& record) {
    last_check_ = record.check();
    ++size_;
}

std::size_t RecordFile::records_on_disk() const {
    const std::size_t bytes = file_.size();
    return bytes < kFilePreambleBytes ? 0 : (bytes - kFilePreambleBytes) / HeaderRecord::kBytes;
}

std::size_t RecordFile::bytes_behind() const {
    const std::size_t bytes = file_.size();
    const std::size_t good = size_ == 0 && !has_preamble_ ? 0 : end();
    return bytes > good ? bytes - good : 0;
}

void RecordFile::append(const HeaderTable& table) {
    if (!has_preamble_) {
        file_.write(0, preamble_);
        has_preamble_ = true;
    }
    while (size_ < table.size()) {
        const auto count = std::min<std::size_t>(table.size() - size_, kRecordsPerWrite);
        HeaderRecord::Check check = last_check_;
        ByteWriter writer{count * HeaderRecord::kBytes};
        for (std::size_t i = 0; i < count; ++i) {
            const auto number = static_cast<std::uint32_t>(size_ + i);
            HeaderRecord record = table[number];
            check = record.make_check(check, table.hash_of(number));
            record.set_check(check);
            writer.bytes(record.view());
        }
        // After a failure, the next call writes the same bytes at the same offset.
        file_.write(end(), writer.view());
        size_ += static_cast<std::uint32_t>(count);
        last_check_ = check;
    }
}

void RecordFile::refuse(const std::string& why) const {
    throw HeaderFileError("cannot use " + file_.path().string() + ": " + why);
}

void RecordFile::refuse_future() const {
    throw HeadersFromFuture("cannot use " + file_.path().string() +
                            ": it has headers from the future: set this machine's clock");
}

void RecordFile::refuse_file(const std::string& why) const {
    throw HeaderFileUnusable("cannot use " + file_.path().string() + ": " + why +
                             "; move it away, and the next sync makes it anew");
}

}  // namespace petal::chain
