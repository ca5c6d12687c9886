// The header file: its layout, and what is done about damage. Described in chain/README.md.
#include "chain/headers/header_file.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "chain/byte_reader.h"
#include "chain/byte_writer.h"
#include "chain/headers/header_table.h"
#include "chain/headers/locked_file.h"
#include "chain/headers/pending_headers.h"
#include "chain/headers/stored_headers.h"

namespace petal::chain {

namespace {

constexpr std::string_view kFileMagic = "petalheaders";
constexpr std::uint32_t kFileVersion = 2;
// As long as a record, so that no record straddles a page.
constexpr std::size_t kFilePreambleBytes = HeaderRecord::kBytes;
constexpr std::size_t kCheckBytes = 4;
constexpr std::size_t kRecordsPerRead = 2000;

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

// The work of the best chain in a file that starts with this record. Headers that another process
// appends meanwhile may count or not.
Uint256 work_in_file(const std::filesystem::path& path, const HeaderRecord& root,
                     const NetworkParams& network) {
    // Later than any block: the process that wrote the headers has compared them with its clock.
    constexpr std::int64_t kEndOfTime = std::numeric_limits<std::uint32_t>::max();
    HeaderChain chain{network, {root.height(), root.header(), root.work()}};
    const HeaderFile file{path, chain, kEndOfTime, {.read_only = true}};
    return chain.chainwork();
}

// The root's record of a file of this network; nothing where there is no sound one.
std::optional<HeaderRecord> read_root(const std::filesystem::path& path,
                                      const NetworkParams& network) {
    std::error_code unreadable;
    if (!std::filesystem::is_regular_file(std::filesystem::symlink_status(path, unreadable))) {
        return std::nullopt;
    }
    std::ifstream file(path, std::ios::binary);
    std::array<char, kFilePreambleBytes + HeaderRecord::kBytes> bytes{};
    if (!file.read(bytes.data(), bytes.size())) return std::nullopt;
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

std::filesystem::path with_suffix(std::filesystem::path path, std::string_view suffix) {
    return path += suffix;
}

void remove_with_index(const std::filesystem::path& path) {
    std::error_code not_there;
    std::filesystem::remove(StoredHeaders::index_path(path), not_there);
    std::filesystem::remove(path, not_there);
}

}  // namespace

struct HeaderFile::State {
    /// path   of the file that is opened; `main_path` is the header file, which it may replace
    State(const std::filesystem::path& path, const std::filesystem::path& main_path,
          HeaderChain& header_chain, const HeaderFileOptions& options)
        : chain(header_chain),
          header_path(main_path),
          table(header_chain.table()),
          preamble(make_preamble(header_chain.network())),
          file(path, options.read_only ? FileAccess::read : FileAccess::write),
          first_check(first_check_of(preamble)),
          last_check(first_check),
          is_looked_at(options.read_only),
          records_per_index(options.records_per_index),
          next_index(options.records_per_index) {}

    /// Finds out whether the file is one that may be used.
    void open_preamble();
    /// Fills the chain with the records up to the first bad one.
    void load(std::int64_t now);
    /// Cuts off what is behind the good records.
    std::size_t bytes_behind_sound_ones() const;
    void repair();
    void write_new_records();
    /// Has all that is written indexed, and read from disk from now on.
    void make_index();
    /// Takes the place of a file that starts higher, once there is as much work in this one.
    void replace_higher();
    void take_pending(std::int64_t now);
    /// Whether another process writes the file of this name: it held it first, or has put its own
    /// in the place of this one.
    bool is_written_by_other() const {
        return !is_looked_at && (file.is_read_only() || !file.is_still_linked());
    }
    /// Leaves new headers to the process that writes the file next.
    void leave_pending();
    void remove_pending();

    std::size_t end() const { return kFilePreambleBytes + written * HeaderRecord::kBytes; }
    bool wants_index() const { return table.size() - table.stored_size() >= records_per_index; }

    [[noreturn]] void refuse(const std::string& why) const {
        throw HeaderFileError("cannot use " + file.path().string() + ": " + why);
    }
    [[noreturn]] void refuse_file(const std::string& why) const {
        throw HeaderFileUnusable("cannot use " + file.path().string() + ": " + why +
                                 "; move it away, and petal sync makes it anew");
    }

    HeaderChain& chain;
    std::filesystem::path header_path;
    HeaderTable& table;
    Bytes preamble;
    LockedFile file;
    bool has_preamble = false;
    std::uint32_t written = 0;  // the first so many headers are in the file
    HeaderRecord::Check first_check;
    HeaderRecord::Check last_check;  // of the last of them
    std::size_t repaired_bytes = 0;
    std::size_t damaged_bytes = 0;
    bool is_looked_at;                // and nothing else
    bool has_all_pending = false;     // they are in the chain, and go once they are written
    std::uint32_t left_to_other = 0;  // the first so many headers
    std::uint32_t records_per_index;
    std::uint32_t next_index;  // due with so many headers
    struct Higher {
        std::filesystem::path path;
        Uint256 work;
    };
    std::optional<Higher> higher;  // the file that is to be replaced

private:
    void use_index();
    bool take(const HeaderRecord& record);
    void check_root(const HeaderRecord& record);
};

void HeaderFile::State::open_preamble() {
    const Bytes found = file.read(0, kFilePreambleBytes);
    if (std::equal(found.begin(), found.end(), preamble.begin())) {
        has_preamble = found.size() == kFilePreambleBytes;
        return;
    }
    ByteReader reader{found};
    const ByteView magic = reader.read_view(kFileMagic.size());
    if (!std::ranges::equal(magic, as_bytes(kFileMagic))) {
        refuse_file("it is not a petal header file");
    }
    const std::uint32_t version = reader.read_u32();
    const bool same_genesis = reader.read_array<32>() == chain.network().genesis.hash().bytes;
    if (version > kFileVersion) refuse("it was written by a newer version of petal");
    // What the first version kept is fetched again.
    if (version == 1 && same_genesis) return;
    if (version == kFileVersion && !is_sound_preamble(found)) {
        refuse_file("its first bytes are damaged");
    }
    refuse_file("it belongs to another network");
}

void HeaderFile::State::load(std::int64_t now) {
    if (!has_preamble) return;
    use_index();
    for (bool all_good = true; all_good;) {
        const Bytes bytes = file.read(end(), HeaderRecord::kBytes * kRecordsPerRead);
        const std::size_t count = bytes.size() / HeaderRecord::kBytes;
        const auto* const records = reinterpret_cast<const HeaderRecord*>(bytes.data());
        std::size_t taken = 0;
        while (taken < count && take(records[taken])) ++taken;
        all_good = taken == kRecordsPerRead;
    }
    if (table[table.tip()].max_time() > now + kMaxFutureTime) {
        refuse("it has headers from the future; is the clock right?");
    }
}

void HeaderFile::State::use_index() {
    const std::size_t records = (file.size() - kFilePreambleBytes) / HeaderRecord::kBytes;
    auto stored = StoredHeaders::open(file, kFilePreambleBytes, first_check, records);
    if (!stored) return;
    check_root((*stored)[0]);
    written = stored->size();
    last_check = (*stored)[written - 1].check();
    table.use(std::move(stored));
}

// Returns whether the record is a good one.
bool HeaderFile::State::take(const HeaderRecord& record) {
    const BlockHash hash = record.hash();
    if (record.check() != record.make_check(last_check, hash)) return false;
    if (written == 0) {
        check_root(record);
    } else if (!table.restore(record, hash)) {
        return false;
    }
    last_check = record.check();
    ++written;
    return true;
}

// A file that starts lower than the chain has all that is wanted, and more.
void HeaderFile::State::check_root(const HeaderRecord& record) {
    const HeaderRecord& root = table[0];
    if (record.header() == root.header() && record.place() == root.place()) return;
    const auto anchor = find_anchor(chain.network(), record.height());
    const bool is_lower_anchor = anchor && anchor->height < table.root_height() &&
                                 anchor->header == record.header() &&
                                 anchor->chainwork == record.work();
    if (!is_lower_anchor) refuse_file("it starts at a block that this chain does not");
    table = HeaderTable{*anchor};
}

std::size_t HeaderFile::State::bytes_behind_sound_ones() const {
    const std::size_t size = file.size();
    const std::size_t good = written == 0 && !has_preamble ? 0 : end();
    return size > good ? size - good : 0;
}

void HeaderFile::State::repair() {
    const std::size_t size = file.size();
    const std::size_t good = size - bytes_behind_sound_ones();
    if (size == good) return;
    // Readers map what an index covers: no more than the one in use does, nothing of a file too
    // short for any; otherwise there is no telling.
    const bool had_no_index = size < kFilePreambleBytes + records_per_index * HeaderRecord::kBytes;
    if (table.stored_size() > 0 || had_no_index) {
        file.truncate(good);
    } else {
        file.replace_by_start(good);
    }
    repaired_bytes = size - good;
}

void HeaderFile::State::write_new_records() {
    if (!has_preamble) {
        file.write(0, preamble);
        has_preamble = true;
    }
    while (written < table.size()) {
        const auto count = std::min<std::size_t>(table.size() - written, kRecordsPerRead);
        HeaderRecord::Check check = last_check;
        ByteWriter writer{count * HeaderRecord::kBytes};
        for (std::size_t i = 0; i < count; ++i) {
            const auto number = static_cast<std::uint32_t>(written + i);
            HeaderRecord record = table[number];
            check = record.make_check(check, table.hash_of(number));
            record.set_check(check);
            writer.bytes(record.view());
        }
        // After a failure the same bytes are written again, over whatever part of them got there.
        file.write(end(), writer.view());
        written += static_cast<std::uint32_t>(count);
        last_check = check;
    }
}

void HeaderFile::State::make_index() {
    next_index = table.size() + records_per_index;
    try {
        file.sync();
        HeaderIndexContents contents = table.index_contents();
        contents.first = first_check;
        contents.last = last_check;
        if (table.is_damaged()) return;
        StoredHeaders::write_index(file.path(), contents);
        auto stored = StoredHeaders::open(file, kFilePreambleBytes, first_check, written);
        if (stored && stored->size() == table.size()) table.use(std::move(stored));
    } catch (const HeaderFileError&) {
        return;  // without an index all is as before, only slower
    }
    next_index = table.size() + std::max(records_per_index, table.size() / 4);
}

void HeaderFile::State::replace_higher() {
    if (!higher || table.tip_work() < higher->work) return;
    if (const auto root = read_root(higher->path, chain.network())) {
        higher->work = work_in_file(higher->path, *root, chain.network());
        if (table.tip_work() < higher->work) return;
    }
    file.sync();
    const std::filesystem::path old_path = file.path();
    std::error_code not_there;
    std::filesystem::remove(StoredHeaders::index_path(higher->path), not_there);
    file.rename(higher->path);
    std::filesystem::remove(StoredHeaders::index_path(old_path), not_there);
    higher.reset();
    if (table.stored_size() > 0) make_index();
}

void HeaderFile::State::take_pending(std::int64_t now) {
    has_all_pending = read_pending_headers(header_path, chain, now);
    left_to_other = table.size();
}

void HeaderFile::State::leave_pending() {
    if (table.size() == left_to_other) return;
    constexpr std::int64_t kEndOfTime = std::numeric_limits<std::uint32_t>::max();
    const auto root = read_root(header_path, chain.network());
    HeaderChain stored{chain.network(),
                       root ? Anchor{root->height(), root->header(), root->work()}
                            : Anchor{table[0].height(), table[0].header(), table[0].work()}};
    const HeaderFile current{
        header_path, stored, kEndOfTime, {.read_only = true, .with_pending = false}};
    write_pending_headers(header_path, stored, chain);
    left_to_other = table.size();
}

void HeaderFile::State::remove_pending() {
    if (!std::exchange(has_all_pending, false)) return;
    std::error_code not_there;
    std::filesystem::remove(pending_headers_path(header_path), not_there);
}

HeaderFile::HeaderFile(const std::filesystem::path& path, HeaderChain& chain, std::int64_t now,
                       const HeaderFileOptions& options) {
    assert(chain.size() == 1);
    const auto root = read_root(path, chain.network());
    const std::uint32_t wanted = chain.root().height;
    if (!root || root->height() <= wanted) {
        state_ = std::make_unique<State>(path, path, chain, options);
    } else {
        start_lower(path, chain, now, options);
    }
    state_->open_preamble();
    state_->load(now);
    if (read_only()) {
        state_->damaged_bytes = state_->bytes_behind_sound_ones();
    } else {
        state_->repair();
        if (state_->wants_index()) state_->make_index();
    }
    if (options.with_pending) state_->take_pending(now);
}

// The file starts too high: another one is filled from below, and then replaces it.
bool HeaderFile::remove(const std::filesystem::path& path, const std::function<void()>& before) {
    const LockedFile file(path);
    if (file.is_read_only()) return false;
    before();
    const std::filesystem::path lower = with_suffix(path, ".lower");
    // The index first: without one, the file is read as it is.
    for (const auto& part : {pending_headers_path(path), StoredHeaders::index_path(lower), lower,
                             StoredHeaders::index_path(path), path}) {
        std::error_code error;
        std::filesystem::remove(part, error);
        if (error) {
            throw HeaderFileError("cannot remove " + part.string() + ": " + error.message());
        }
    }
    return true;
}

void HeaderFile::start_lower(const std::filesystem::path& path, HeaderChain& chain,
                             std::int64_t now, const HeaderFileOptions& options) {
    const HeaderRecord root = read_root(path, chain.network()).value();
    HeaderChain above{chain.network(), {root.height(), root.header(), root.work()}};
    const HeaderFile higher{path, above, now, options};
    const std::filesystem::path lower = with_suffix(path, ".lower");
    const auto lower_root = read_root(lower, chain.network());
    if (lower_root && lower_root->height() > chain.root().height) remove_with_index(lower);
    state_ = std::make_unique<State>(lower, path, chain, options);
    state_->higher = {path, above.chainwork()};
}

HeaderFile::~HeaderFile() {
    const bool all_written = !read_only() && state_->written == state_->table.size();
    if (all_written && state_->wants_index()) state_->make_index();
}

bool HeaderFile::read_only() const {
    return state_->file.is_read_only();
}

Uint256 HeaderFile::higher_chainwork() const {
    return state_->higher ? state_->higher->work : Uint256(0);
}

std::size_t HeaderFile::repaired_bytes() const {
    return state_->repaired_bytes;
}

std::size_t HeaderFile::damaged_bytes() const {
    return state_->damaged_bytes;
}

void HeaderFile::flush() {
    state_->table.release_pages();
    if (state_->is_written_by_other()) return state_->leave_pending();
    if (read_only()) return;
    if (state_->written == state_->table.size() && state_->has_preamble) {
        return state_->remove_pending();
    }
    state_->write_new_records();
    state_->replace_higher();
    state_->remove_pending();
    if (state_->table.size() >= state_->next_index) state_->make_index();
}

}  // namespace petal::chain
