/// A filter in a user's file to which elements are added: a BIP37 filter, or a larger filter.
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

/// Whether the file is a large filter. False also if the file can't be read.
bool is_large_filter(const std::filesystem::path& file);

/// Opens a large filter to test elements. Throws CommandError: `bad-filter`, `newer-version` or
/// `unreadable-file`.
bloom::LargeFilterFile open_large_filter(const std::filesystem::path& file);

/// A filter to add elements to. The file is locked until the object is destroyed.
///
/// A BIP37 filter is changed in memory, and save() replaces the file. So a reader, and a process
/// after a crash, find the complete old or the complete new filter. A large filter is changed in
/// place, which never damages the filter.
class FilterFile {
public:
    /// Throws CommandError: `bad-filter`, `newer-version`, `unreadable-file`, `unwritable-file`, or
    /// `file-in-use` if another process adds to the file for longer than `patience`.
    explicit FilterFile(const std::filesystem::path& file,
                        std::chrono::milliseconds patience = std::chrono::seconds{5});
    ~FilterFile();
    FilterFile(const FilterFile&) = delete;
    FilterFile& operator=(const FilterFile&) = delete;

    /// Adds an element. Returns whether the element is surely new: false if the element was
    /// inserted before or matches by chance.
    bool insert(chain::ByteView element);
    /// Returns when all insertions are on the disk. Throws CommandError: `unwritable-file`, and
    /// `bad-filter` if every bit of a BIP37 filter would be set. On a failure, the file of a BIP37
    /// filter stays unchanged.
    void save();

    /// Whether the filter is a large filter: insertions then count before save().
    bool is_large() const { return std::holds_alternative<bloom::LargeFilterFile>(filter_); }
    double false_positive_rate() const;

private:
    /// A BIP37 filter and the file of the filter.
    struct PeerFilter {
        chain::FileDescriptor locked;
        bloom::BloomFilter filter;
        bool is_text = true;              ///< hexadecimal
        std::optional<net::Magic> magic;  ///< of a whole message. Empty for a payload alone
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
