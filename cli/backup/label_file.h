/// Files of labels (BIP329): one JSON object a line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chain/expected.h"
#include "cli/text/text_encoding.h"
#include "wallet/store/label_table.h"

namespace petal::cli {

inline constexpr std::size_t kMaxLabelFileBytes = 64 << 20;
/// The maximum length of a line, and the maximum number of lines that are not empty.
inline constexpr std::size_t kMaxLabelLineBytes = 256 << 10;
inline constexpr std::size_t kMaxLabelRecords = 100'000;

/// Why a file of labels, or one of its lines, is refused.
struct LabelFileError {
    enum class Kind : std::uint8_t {
        file_too_large,
        too_many_records,
        no_text,  ///< see `fault`
        line_too_long,
        not_an_object,  ///< no JSON, no UTF-8, or JSON of a kind other than an object
        too_deep,
        bad_type,
        bad_ref,
        secret_ref,    ///< a private key or a mnemonic
        bad_txid,      ///< of a transaction
        bad_outpoint,  ///< of an input or an output
        bad_label,
        bad_origin,
        bad_spendable,
    };
    Kind kind{};
    std::size_t line = 0;  ///< counted from 1. 0 for the file as a whole
    TextFault fault{};
};

/// The fault, with the line's number.
std::string describe(const LabelFileError& error);

/// The same without the line's number.
std::string reason_of(const LabelFileError& error);

/// The content of a file of labels.
struct LabelFile {
    /// At most this many skipped lines are named.
    static constexpr std::size_t kMostNamed = 5;

    std::vector<wallet::LabelRecord> records;  ///< in the order of the file
    std::size_t ignored = 0;                   ///< records of types that BIP329 does not define
    std::size_t shortened = 0;                 ///< labels that were cut to wallet::kMaxLabelBytes
    std::size_t skipped = 0;                   ///< lines that are no record
    std::vector<LabelFileError> named;         ///< the first of the skipped lines
};

/// Reads a file (see text_of()). Empty lines are ignored. Lines that are no record are skipped and
/// named. A file without any record is refused. Records of undefined types are ignored, but records
/// with a `ref` are kept for export. Unknown members are kept unchanged. A member that is null
/// counts as absent. `spendable` may be a boolean, or a text "true" or "false". Blanks around
/// `type` and `ref` are removed. Transaction ids are converted to lower case.
chain::Expected<LabelFile, LabelFileError> parse_label_file(std::string_view bytes);

/// A record as a line, without the line feed. Bytes that are not UTF-8 become U+FFFD. Nothing if
/// `other_members` does not have the format of parse_label_file().
std::optional<std::string> to_label_line(const wallet::LabelRecord& record);

}  // namespace petal::cli
