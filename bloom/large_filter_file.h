/// A large filter in a file that is mapped into memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

#include "bloom/large_filter.h"
#include "chain/bytes.h"
#include "chain/expected.h"
#include "chain/files/file_descriptor.h"

namespace petal::bloom {

/// Why a file is not opened as a large filter.
enum class LargeFilterError : std::uint8_t {
    not_a_filter,   ///< does not begin with the magic
    newer_version,  ///< a newer version of the format
    bad_header,     ///< the header's checksum or a value is wrong
    wrong_size,     ///< not the size that the header states: the file is cut or damaged
    in_use,         ///< another process adds to it
};

std::string_view describe(LargeFilterError error);

/// A file of 64 bytes of header and the bits of a LargeFilter. Only the pages that elements fall on
/// are read and written. The header is little-endian:
///
/// | bytes | what |
/// |---|---|
/// | 12 | `petal filter` |
/// | 4 | format version, 1 |
/// | 8, 4 | number of bits, number of hash functions |
/// | 4 | 0 |
/// | 8, 8 | expected insertions, and the false positive rate with these insertions as a double |
/// | 8 | 0 |
/// | 8 | the start of the SHA-256 of the bytes before |
///
/// A killed process loses no insertion: the system writes the pages. A power failure may lose
/// insertions since the last flush(), and never damages earlier insertions. Another process must
/// not shorten the file while it is mapped (SIGBUS).
class LargeFilterFile {
public:
    enum class Access : std::uint8_t {
        read,  ///< while another process may add
        add,   ///< locked (flock): one process at a time
    };

    /// Makes a file with an empty filter, readable by the owner only (0600), and opens the file to
    /// add. All bytes of the file are reserved on the disk. Throws std::system_error: with
    /// file_exists if the file exists already, with no_space_on_device if the disk is too small. On
    /// a failure, no new file is left.
    /// expected_insertions, false_positive_rate   as for general_size()
    static LargeFilterFile create(const std::filesystem::path& path,
                                  std::uint64_t expected_insertions, double false_positive_rate);

    /// Opens a file. The content is not trusted. Follows symbolic links. Throws std::system_error
    /// if the file can't be opened or mapped.
    static chain::Expected<LargeFilterFile, LargeFilterError> open(
        const std::filesystem::path& path, Access access);

    /// Whether a file that begins with these bytes is a large filter, of any version.
    static bool is_start_of_one(chain::ByteView bytes);

    const LargeFilter& filter() const { return filter_; }
    /// As LargeFilter::insert(). The file must have been opened to add.
    bool insert(chain::ByteView element);

    /// The number of insertions and the false positive rate that the filter was made for.
    std::uint64_t expected_insertions() const { return header_.expected_insertions; }
    double design_rate() const { return header_.false_positive_rate; }

    /// Returns when all insertions are on the disk. Throws std::system_error if writing fails.
    void flush();

private:
    struct Header {
        GeneralSize size;
        std::uint64_t expected_insertions = 1;
        double false_positive_rate = 0;
    };
    struct Unmap {
        std::size_t bytes = 0;
        void operator()(chain::Byte* start) const;
    };
    using Map = std::unique_ptr<chain::Byte, Unmap>;

    LargeFilterFile(chain::FileDescriptor descriptor, std::filesystem::path path, Access access,
                    const Header& header);

    static Map map(const chain::FileDescriptor& opened, const std::filesystem::path& path,
                   Access access, std::size_t bytes);
    static chain::Bytes encode(const Header& header);
    static chain::Expected<Header, LargeFilterError> decode(chain::ByteView bytes);

    chain::FileDescriptor descriptor_;
    std::filesystem::path path_;
    Access access_;
    Header header_;
    Map map_;
    LargeFilter filter_;
};

}  // namespace petal::bloom
