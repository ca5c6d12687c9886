/// The preamble and the records of a header file on disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "chain/bytes.h"
#include "chain/headers/header_record.h"
#include "chain/headers/header_table.h"
#include "chain/headers/locked_file.h"
#include "chain/network_params.h"

namespace petal::chain {

/// Reads and writes a header file's preamble and records, and tracks the number of undamaged
/// records. HeaderFile interprets the records. The layout is in chain/README.md. Throws
/// HeaderFileError. Not thread-safe.
class RecordFile {
public:
    /// The root's record in a file of this network. Empty if the record is missing or damaged.
    static std::optional<HeaderRecord> read_root(const std::filesystem::path& path,
                                                 const NetworkParams& network);

    /// Opens or creates the file, and reads the preamble.
    RecordFile(const std::filesystem::path& path, const NetworkParams& network, FileAccess access);

    LockedFile& file() { return file_; }
    const LockedFile& file() const { return file_; }

    /// The number of undamaged records at the start of the file.
    std::uint32_t size() const { return size_; }
    /// Whether the file has a preamble. False for a new or empty file.
    bool has_preamble() const { return has_preamble_; }
    /// The check of the preamble, and the check of the last undamaged record. Without records, both
    /// are the check of the preamble.
    const HeaderRecord::Check& first_check() const { return first_check_; }
    const HeaderRecord::Check& last_check() const { return last_check_; }

    /// The records that the index covers. Null if there is no usable index.
    std::unique_ptr<StoredHeaders> open_index() const;
    /// Counts the records of open_index() as undamaged.
    void skip(const StoredHeaders& stored);

    /// The bytes of up to `count` records after the undamaged records.
    Bytes read(std::size_t count) const;
    /// Whether the next record of the file is undamaged. `hash` is the hash of the record's header.
    bool is_next(const HeaderRecord& record, const BlockHash& hash) const {
        return record.check() == record.make_check(last_check_, hash);
    }
    /// Counts the next record as undamaged.
    void accept(const HeaderRecord& record);

    /// The number of complete records in the file, including damaged records.
    std::size_t records_on_disk() const;
    /// The number of bytes after the undamaged records.
    std::size_t bytes_behind() const;
    /// Appends the table's headers from size() on.
    void append(const HeaderTable& table);

    [[noreturn]] void refuse(const std::string& why) const;
    [[noreturn]] void refuse_future() const;
    /// Like refuse(), and tells the user to move the file away.
    [[noreturn]] void refuse_file(const std::string& why) const;

private:
    void read_preamble(const NetworkParams& network);
    std::size_t end() const;

    Bytes preamble_;
    LockedFile file_;
    bool has_preamble_ = false;
    std::uint32_t size_ = 0;
    HeaderRecord::Check first_check_;
    HeaderRecord::Check last_check_;
};

}  // namespace petal::chain
