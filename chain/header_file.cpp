// The header file: its layout, its lock, and what is done about damage. Described in
// chain/README.md.
#include "chain/header_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <vector>

#include "chain/byte_reader.h"
#include "chain/byte_writer.h"

namespace petal::chain {

namespace {

constexpr std::string_view kMagic = "petalheaders";
constexpr std::uint32_t kFormatVersion = 1;
constexpr std::size_t kChecksumBytes = 4;
constexpr std::size_t kPreambleBytes = kMagic.size() + 4 + 32 + kChecksumBytes;
constexpr std::size_t kRecordBytes = kHeaderBytes + kChecksumBytes;
constexpr std::size_t kRecordsPerRead = 2000;

// The first bytes of a double SHA-256. For a record that is the block's hash, which opening the
// file has to compute anyway.
ByteView checksum(ByteView hash) {
    return hash.first(kChecksumBytes);
}

Bytes make_preamble(const NetworkParams& network) {
    const BlockHash genesis = network.genesis.hash();
    ByteWriter writer{kPreambleBytes};
    writer.bytes(as_bytes(kMagic)).u32(kFormatVersion).bytes(genesis.view());
    const Hash256 hash = sha256d(writer.view());
    return writer.bytes(checksum(hash.view())).take();
}

bool is_sound_preamble(ByteView preamble) {
    if (preamble.size() != kPreambleBytes) return false;
    const Hash256 hash = sha256d(preamble.first(kPreambleBytes - kChecksumBytes));
    return std::ranges::equal(preamble.last(kChecksumBytes), checksum(hash.view()));
}

// An open file that reads and writes at offsets; each failure is a HeaderFileError.
class LockedFile {
public:
    explicit LockedFile(const std::filesystem::path& path)
        : path_(path), descriptor_(::open(path.c_str(), kOpenFlags, 0600)) {
        if (descriptor_ < 0) fail("open");
        try {
            lock();
        } catch (...) {
            ::close(descriptor_);
            throw;
        }
    }
    ~LockedFile() { ::close(descriptor_); }
    LockedFile(const LockedFile&) = delete;
    LockedFile& operator=(const LockedFile&) = delete;

    bool is_locked_by_other() const { return locked_by_other_; }

    std::size_t size() const {
        struct stat status {};
        if (::fstat(descriptor_, &status) != 0) fail("read");
        return static_cast<std::size_t>(status.st_size);
    }

    // Up to `size` bytes; fewer only at the end of the file.
    Bytes read(std::size_t offset, std::size_t size) const {
        Bytes bytes(size);
        std::size_t done = 0;
        while (done < size) {
            const ssize_t count = ::pread(descriptor_, bytes.data() + done, size - done,
                                          static_cast<off_t>(offset + done));
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) fail("read");
            if (count == 0) break;
            done += static_cast<std::size_t>(count);
        }
        bytes.resize(done);
        return bytes;
    }

    void write(std::size_t offset, ByteView bytes) {
        while (!bytes.empty()) {
            const ssize_t count =
                ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) fail("write");
            offset += static_cast<std::size_t>(count);
            bytes = bytes.subspan(static_cast<std::size_t>(count));
        }
    }

    void truncate(std::size_t size) {
        if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) fail("write");
    }

private:
    // Not blocking, so that a pipe in the file's place is found out instead of waited for.
    static constexpr int kOpenFlags = O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK;

    void lock() {
        struct stat status {};
        if (::fstat(descriptor_, &status) != 0) fail("read");
        if (!S_ISREG(status.st_mode)) {
            throw HeaderFileError("cannot use " + path_.string() + ": it is not a regular file");
        }
        while (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
            if (errno == EINTR) continue;
            if (errno != EWOULDBLOCK) fail("lock");
            locked_by_other_ = true;
            break;
        }
    }

    [[noreturn]] void fail(const char* verb) const {
        const std::string why = std::generic_category().message(errno);
        throw HeaderFileError(std::string("cannot ") + verb + ' ' + path_.string() + ": " + why);
    }

    std::filesystem::path path_;
    int descriptor_;
    bool locked_by_other_ = false;
};

}  // namespace

struct HeaderFile::State {
    State(const std::filesystem::path& file_path, HeaderChain& header_chain)
        : path(file_path), chain(header_chain), file(file_path) {}

    /// Reads the preamble, which is made or made anew where the file ends within it.
    void open_preamble();
    /// Fills the chain with the records up to the first bad one.
    void load(std::int64_t now);
    /// Cuts off what is behind the good records.
    void repair();
    /// Adds a record to those to be written.
    void keep(const HashedHeader& added);

    [[noreturn]] void refuse(const std::string& why) const {
        throw HeaderFileError("cannot use " + path.string() + ": " + why);
    }

    std::filesystem::path path;
    HeaderChain& chain;
    LockedFile file;
    std::size_t end = 0;  // of what is good; the next record goes there
    std::size_t repaired_bytes = 0;
    Bytes pending;  // records to be written at `end`

private:
    static std::vector<HashedHeader> sound_records(ByteView bytes);
};

void HeaderFile::State::open_preamble() {
    const Bytes expected = make_preamble(chain.network());
    const Bytes found = file.read(0, kPreambleBytes);
    const auto expected_start = ByteView{expected}.first(found.size());
    if (found.size() < kPreambleBytes && std::ranges::equal(found, expected_start)) {
        pending = expected;
        return;
    }
    ByteReader reader{found};
    const ByteView magic = reader.read_view(kMagic.size());
    if (!std::ranges::equal(magic, as_bytes(kMagic))) refuse("it is not a petal header file");
    const std::uint32_t version = reader.read_u32();
    if (version > kFormatVersion) refuse("it was written by a newer version of petal");
    if (!is_sound_preamble(found)) {
        refuse("its first bytes are damaged; remove it, and it is made anew");
    }
    if (found != expected) refuse("it belongs to another network");
    end = kPreambleBytes;
}

void HeaderFile::State::load(std::int64_t now) {
    for (bool all_good = end > 0; all_good;) {
        const Bytes bytes = file.read(end, kRecordBytes * kRecordsPerRead);
        const std::vector<HashedHeader> headers = sound_records(bytes);
        const AcceptResult result = chain.accept_hashed(headers, now);
        if (result.error == HeaderError::time_too_new) {
            refuse("it has headers from the future; is the clock right?");
        }
        end += result.accepted * kRecordBytes;
        all_good = result.accepted == kRecordsPerRead;
    }
}

// The records up to the first that is torn or damaged.
std::vector<HashedHeader> HeaderFile::State::sound_records(ByteView bytes) {
    std::vector<HashedHeader> headers;
    headers.reserve(bytes.size() / kRecordBytes);
    for (; bytes.size() >= kRecordBytes; bytes = bytes.subspan(kRecordBytes)) {
        ByteReader reader{bytes};
        headers.emplace_back(read_block_header(reader));
        const ByteView expected = checksum(headers.back().hash().view());
        if (!std::ranges::equal(reader.read_view(kChecksumBytes), expected)) {
            headers.pop_back();
            break;
        }
    }
    return headers;
}

void HeaderFile::State::repair() {
    const std::size_t size = file.size();
    if (size <= end) return;
    file.truncate(end);
    repaired_bytes = size - end;
}

void HeaderFile::State::keep(const HashedHeader& added) {
    const auto header = added.header().serialize();
    const ByteView sum = checksum(added.hash().view());
    pending.insert(pending.end(), header.begin(), header.end());
    pending.insert(pending.end(), sum.begin(), sum.end());
}

HeaderFile::HeaderFile(const std::filesystem::path& path, HeaderChain& chain, std::int64_t now)
    : state_(std::make_unique<State>(path, chain)) {
    assert(chain.tip().height == 0);
    state_->open_preamble();
    state_->load(now);
    if (read_only()) return;
    state_->repair();
    chain.on_added([state = state_.get()](const HashedHeader& added) { state->keep(added); });
}

HeaderFile::~HeaderFile() {
    if (!read_only()) state_->chain.on_added({});
}

bool HeaderFile::read_only() const {
    return state_->file.is_locked_by_other();
}

std::size_t HeaderFile::repaired_bytes() const {
    return state_->repaired_bytes;
}

void HeaderFile::flush() {
    if (read_only() || state_->pending.empty()) return;
    // After a failure the same bytes are written again, over whatever part of them got there.
    state_->file.write(state_->end, state_->pending);
    state_->end += state_->pending.size();
    state_->pending.clear();
}

}  // namespace petal::chain
