// Loads, repairs and replaces the header file. The format is described in chain/README.md.
#include "chain/headers/header_file.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "chain/byte_reader.h"
#include "chain/byte_writer.h"
#include "chain/files/regular_file.h"
#include "chain/hash.h"
#include "chain/headers/header_rules.h"
#include "chain/headers/header_table.h"
#include "chain/headers/locked_file.h"
#include "chain/headers/pending_headers.h"
#include "chain/headers/record_file.h"
#include "chain/headers/stored_headers.h"

namespace petal::chain {

namespace {

constexpr std::size_t kRecordsPerRead = 2000;

// The work of the best chain in a file that starts with this record. Headers that another process
// appends meanwhile may or may not count.
Uint256 work_in_file(const std::filesystem::path& path, const HeaderRecord& root,
                     const NetworkParams& network) {
    HeaderChain chain{network, {root.height(), root.header(), root.work()}};
    const HeaderFile file{path, chain, kMaxBlockTime, {.read_only = true}};
    return chain.chainwork();
}

std::filesystem::path with_suffix(std::filesystem::path path, std::string_view suffix) {
    return path += suffix;
}

std::filesystem::path excluded_path(const std::filesystem::path& path) {
    return with_suffix(path, ".excluded");
}

constexpr std::string_view kExcludedMagic = "petalexcluded 1\n";
constexpr std::size_t kCheckBytes = 8;
// Each branch costs an attacker the work of a block.
constexpr std::size_t kMaxExcludedBranches = 1'000;

// The hashes of the first blocks of the excluded branches. Empty if the file is missing, damaged,
// or of another format. The branches then count until they are excluded again.
std::vector<BlockHash> read_excluded(const std::filesystem::path& path) {
    constexpr std::size_t kMostBytes =
        kExcludedMagic.size() + kMaxExcludedBranches * sizeof(BlockHash) + kCheckBytes;
    std::string bytes;
    try {
        bytes = read_regular_file(path, kMostBytes);
    } catch (const std::system_error&) {
        return {};
    }
    const ByteView content = as_bytes(bytes);
    if (!bytes.starts_with(kExcludedMagic) || bytes.size() < kExcludedMagic.size() + kCheckBytes) {
        return {};
    }
    const ByteView checked = content.first(content.size() - kCheckBytes);
    const auto check = sha256(checked);
    if (!std::ranges::equal(content.last(kCheckBytes), ByteView(check).first(kCheckBytes))) {
        return {};
    }
    std::vector<BlockHash> hashes;
    ByteReader reader{checked.subspan(kExcludedMagic.size())};
    while (reader.remaining() >= sizeof(BlockHash)) hashes.push_back({reader.read_array<32>()});
    return hashes;
}

void write_excluded(const std::filesystem::path& path, const std::vector<BlockHash>& hashes) {
    LockedFile draft{LockedFile::draft_path(path)};
    if (draft.is_read_only()) return;  // another process is writing a replacement
    ByteWriter writer;
    writer.bytes(as_bytes(kExcludedMagic));
    for (const BlockHash& hash : hashes) writer.bytes(hash.view());
    const auto check = sha256(writer.view());
    writer.bytes(ByteView(check).first(kCheckBytes));
    draft.replace(path, [&writer](LockedFile& file) { file.write(0, writer.view()); });
}

void remove_with_index(const std::filesystem::path& path) {
    std::error_code not_there;
    std::filesystem::remove(StoredHeaders::index_path(path), not_there);
    std::filesystem::remove(path, not_there);
}

}  // namespace

struct HeaderFile::State {
    /// path        the file to open
    /// main_path   the header file, which the opened file may replace
    State(const std::filesystem::path& path, const std::filesystem::path& main_path,
          HeaderChain& header_chain, const HeaderFileOptions& options)
        : chain(header_chain),
          table(header_chain.table()),
          records(path, header_chain.network(),
                  options.read_only ? FileAccess::read : FileAccess::write),
          pending(main_path),
          opened_read_only(options.read_only),
          records_per_index(options.records_per_index),
          next_index(options.records_per_index) {}

    /// Fills the chain with the records up to the first bad record.
    void load(std::int64_t now);
    /// Cuts off the bytes after the good records.
    void repair();
    /// Writes an index of all written headers, and reads these headers from disk from now on.
    void make_index();
    /// Replaces the file that starts higher, if this file has as much work.
    void replace_higher();
    /// Whether another process writes the header file: the other process holds the lock, or has
    /// replaced the file.
    bool is_written_by_other() const {
        return !opened_read_only && (is_read_only() || !records.file().is_still_linked());
    }
    /// Writes new headers to `PATH.pending`.
    void leave_pending();
    /// Excludes the stored branches from the chain.
    void read_exclusions();
    /// Stores the excluded branches if they have changed.
    void write_exclusions();

    bool is_read_only() const { return records.file().is_read_only(); }
    bool is_written() const { return records.size() == table.size(); }
    bool wants_index() const { return table.size() - table.stored_size() >= records_per_index; }

    HeaderChain& chain;
    HeaderTable& table;
    RecordFile records;
    PendingHeadersFile pending;
    std::vector<BlockHash> stored_exclusions;  // the first block of each branch
    std::size_t repaired_bytes = 0;
    std::size_t damaged_bytes = 0;
    bool opened_read_only;
    std::uint32_t records_per_index;
    std::uint32_t next_index;  // number of headers at which the next index is due
    struct Higher {
        std::filesystem::path path;
        Uint256 work;
    };
    std::optional<Higher> higher;  // the file to replace

private:
    void use_index();
    bool take(const HeaderRecord& record);
    void check_root(const HeaderRecord& record);
};

void HeaderFile::State::load(std::int64_t now) {
    if (!records.has_preamble()) return;
    use_index();
    for (bool all_good = true; all_good;) {
        const Bytes bytes = records.read(kRecordsPerRead);
        const std::size_t count = bytes.size() / HeaderRecord::kBytes;
        const auto* const read = reinterpret_cast<const HeaderRecord*>(bytes.data());
        std::size_t taken = 0;
        while (taken < count && take(read[taken])) ++taken;
        all_good = taken == kRecordsPerRead;
    }
    if (table[table.tip()].max_time() > now + kMaxFutureTime) {
        records.refuse_future();
    }
}

void HeaderFile::State::use_index() {
    auto stored = records.open_index();
    if (!stored) return;
    check_root((*stored)[0]);
    records.skip(*stored);
    table.use(std::move(stored));
}

// Returns whether the record is good.
bool HeaderFile::State::take(const HeaderRecord& record) {
    const BlockHash hash = record.hash();
    if (!records.is_next(record, hash)) return false;
    if (records.size() == 0) {
        check_root(record);
    } else if (!table.restore(record, hash)) {
        return false;
    }
    records.accept(record);
    return true;
}

// A file that starts lower than the chain contains all requested headers.
void HeaderFile::State::check_root(const HeaderRecord& record) {
    const HeaderRecord& root = table[0];
    if (record.header() == root.header() && record.place() == root.place()) return;
    const auto anchor = find_anchor(chain.network(), record.height());
    const bool is_lower_anchor = anchor && anchor->height < table.root_height() &&
                                 anchor->header == record.header() &&
                                 anchor->chainwork == record.work();
    if (!is_lower_anchor) records.refuse_file("it starts at a block that this chain does not");
    table = HeaderTable{*anchor};
}

void HeaderFile::State::repair() {
    const std::size_t behind = records.bytes_behind();
    if (behind == 0) return;
    LockedFile& file = records.file();
    const std::size_t good = file.size() - behind;
    // Readers map only records that an index covers: the records of the index in use, or none if
    // the file is too short for an index. Otherwise this process cannot know which records are
    // mapped.
    const bool had_no_index = records.records_on_disk() < records_per_index;
    if (table.stored_size() > 0 || had_no_index) {
        file.truncate(good);
    } else {
        file.replace_by_start(good);
    }
    repaired_bytes = behind;
}

void HeaderFile::State::make_index() {
    next_index = table.size() + records_per_index;
    if (table.has_exclusions()) return;  // an index stores the best chain without exclusions
    try {
        records.file().sync();
        HeaderIndexContents contents = table.index_contents();
        contents.first = records.first_check();
        contents.last = records.last_check();
        if (table.is_damaged()) return;
        StoredHeaders::write_index(records.file().path(), contents);
        auto stored = records.open_index();
        if (stored && stored->size() == table.size()) table.use(std::move(stored));
    } catch (const HeaderFileError&) {
        return;  // without an index, opening is only slower
    }
    next_index = table.size() + std::max(records_per_index, table.size() / 4);
}

void HeaderFile::State::replace_higher() {
    if (!higher || table.tip_work() < higher->work) return;
    if (const auto root = RecordFile::read_root(higher->path, chain.network())) {
        higher->work = work_in_file(higher->path, *root, chain.network());
        if (table.tip_work() < higher->work) return;
    }
    LockedFile& file = records.file();
    file.sync();
    const std::filesystem::path old_path = file.path();
    std::error_code not_there;
    std::filesystem::remove(StoredHeaders::index_path(higher->path), not_there);
    file.rename(higher->path);
    std::filesystem::remove(StoredHeaders::index_path(old_path), not_there);
    higher.reset();
    if (table.stored_size() > 0) make_index();
}

void HeaderFile::State::leave_pending() {
    if (!pending.is_due(chain)) return;
    const std::filesystem::path& path = pending.header_file();
    const auto root = RecordFile::read_root(path, chain.network());
    HeaderChain stored{chain.network(),
                       root ? Anchor{root->height(), root->header(), root->work()}
                            : Anchor{table[0].height(), table[0].header(), table[0].work()}};
    const HeaderFile current{
        path, stored, kMaxBlockTime, {.read_only = true, .with_pending = false}};
    pending.write(stored, chain);
}

void HeaderFile::State::read_exclusions() {
    stored_exclusions = read_excluded(excluded_path(pending.header_file()));
    for (const BlockHash& hash : stored_exclusions) {
        if (chain.find(hash) && hash != chain.root().hash) chain.exclude(hash, Exclusion::withheld);
    }
}

void HeaderFile::State::write_exclusions() {
    if (opened_read_only) return;
    std::vector<BlockHash> exclusions;
    for (const std::uint32_t number : table.excluded_branches()) {
        if (exclusions.size() < kMaxExcludedBranches) exclusions.push_back(table[number].hash());
    }
    if (exclusions == stored_exclusions) return;
    write_excluded(excluded_path(pending.header_file()), exclusions);
    stored_exclusions = std::move(exclusions);
}

// start_lower() calls this constructor with the file's own root, and so does not recurse further.
// NOLINTNEXTLINE(misc-no-recursion)
HeaderFile::HeaderFile(const std::filesystem::path& path, HeaderChain& chain, std::int64_t now,
                       const HeaderFileOptions& options) {
    assert(chain.size() == 1);
    const auto root = RecordFile::read_root(path, chain.network());
    const std::uint32_t wanted = chain.root().height;
    if (!root || root->height() <= wanted) {
        state_ = std::make_unique<State>(path, path, chain, options);
    } else {
        start_lower(path, chain, now, options);
    }
    state_->load(now);
    if (read_only()) {
        state_->damaged_bytes = state_->records.bytes_behind();
    } else {
        state_->repair();
        if (state_->wants_index()) state_->make_index();
    }
    if (!options.with_pending) return;
    state_->pending.read(chain, now);
    state_->read_exclusions();
}

bool HeaderFile::remove(const std::filesystem::path& path, const std::function<void()>& before) {
    const LockedFile file(path);
    if (file.is_read_only()) return false;
    before();
    const std::filesystem::path lower = with_suffix(path, ".lower");
    // Each index is removed before its file, which is then read without the index.
    for (const auto& part :
         {excluded_path(path), PendingHeadersFile::path_of(path), StoredHeaders::index_path(lower),
          lower, StoredHeaders::index_path(path), path}) {
        std::error_code error;
        std::filesystem::remove(part, error);
        if (error) {
            throw HeaderFileError("cannot remove " + part.string() + ": " + error.message());
        }
    }
    return true;
}

// Called if the file starts too high: fills another file from a lower start, which then replaces
// the file. NOLINTNEXTLINE(misc-no-recursion): as in the constructor
void HeaderFile::start_lower(const std::filesystem::path& path, HeaderChain& chain,
                             std::int64_t now, const HeaderFileOptions& options) {
    const HeaderRecord root = RecordFile::read_root(path, chain.network()).value();
    HeaderChain above{chain.network(), {root.height(), root.header(), root.work()}};
    const HeaderFile higher{path, above, now, options};
    const std::filesystem::path lower = with_suffix(path, ".lower");
    const auto lower_root = RecordFile::read_root(lower, chain.network());
    if (lower_root && lower_root->height() > chain.root().height) remove_with_index(lower);
    state_ = std::make_unique<State>(lower, path, chain, options);
    state_->higher = {path, above.chainwork()};
}

HeaderFile::~HeaderFile() {
    if (!read_only() && state_->is_written() && state_->wants_index()) state_->make_index();
}

bool HeaderFile::read_only() const {
    return state_->is_read_only();
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
    state_->write_exclusions();
    if (state_->is_written_by_other()) return state_->leave_pending();
    if (read_only()) return;
    if (state_->is_written() && state_->records.has_preamble()) return state_->pending.remove();
    state_->records.append(state_->table);
    state_->replace_higher();
    state_->pending.remove();
    if (state_->table.size() >= state_->next_index) state_->make_index();
}

}  // namespace petal::chain
