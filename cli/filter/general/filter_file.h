/// A filter in a user's file that is changed in place: a BIP37 filter, or a larger filter.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <variant>

#include "bloom/bloom_filter.h"
#include "bloom/large_filter_file.h"
#include "chain/bytes.h"
#include "chain/files/file_descriptor.h"
#include "net/wire/message_header.h"

namespace petal::cli {

/// Whether the file is a large filter. False also if it can't be read.
bool is_large_filter(const std::filesystem::path& file);

/// Opens the large filter to ask it. Throws CommandError: `bad-filter`, `newer-version` or
/// `unreadable-file`.
bloom::LargeFilterFile open_large_filter(const std::filesystem::path& file);

/// A filter to add elements to, locked until it is destroyed.
///
/// A filter of BIP37 is changed in memory, and save() replaces the file: a reader and a process
/// that is killed find the whole old or the whole new filter. A large filter is changed in place,
/// which never damages it.
class FilterFile {
public:
    /// Throws CommandError: `bad-filter`, `newer-version`, `unreadable-file`, `unwritable-file`, or
    /// `file-in-use` if another process adds to the file for longer than `patience`.
    explicit FilterFile(const std::filesystem::path& file,
                        std::chrono::milliseconds patience = std::chrono::seconds{5});
    ~FilterFile();
    FilterFile(const FilterFile&) = delete;
    FilterFile& operator=(const FilterFile&) = delete;

    /// Whether it is surely new: false if it was in the filter already, or matches by chance.
    bool insert(chain::ByteView element);
    /// Returns when all insertions are on the disk. Throws CommandError: `unwritable-file`, and
    /// `bad-filter` if every bit of a filter of BIP37 would be set. The file stays as it was then.
    void save();

    /// Whether insertions count before save().
    bool is_large() const { return std::holds_alternative<bloom::LargeFilterFile>(filter_); }
    double false_positive_rate() const;

private:
    /// A filter of BIP37, and its file.
    struct PeerFilter {
        chain::FileDescriptor locked;
        bloom::BloomFilter filter;
        bool is_text = true;              ///< hexadecimal
        std::optional<net::Magic> magic;  ///< of a whole message. Empty for its payload alone
        bool is_changed = false;
    };
    using Filter = std::variant<PeerFilter, bloom::LargeFilterFile>;

    static Filter open(const std::filesystem::path& file, std::chrono::milliseconds patience);
    static PeerFilter open_peer_filter(const std::filesystem::path& file,
                                       std::chrono::milliseconds patience);
    void replace(const PeerFilter& changed) const;

    std::filesystem::path file_;  ///< without symbolic links
    Filter filter_;
};

}  // namespace petal::cli
