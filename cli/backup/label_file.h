/// Files of labels (BIP329): one JSON object a line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "chain/expected.h"
#include "wallet/store/label_table.h"

namespace petal::cli {

/// No larger file is read.
inline constexpr std::size_t kMaxLabelFileBytes = 64 << 20;
/// The maximum length of a line, and the maximum number of records.
inline constexpr std::size_t kMaxLabelLineBytes = 32 << 10;
inline constexpr std::size_t kMaxLabelRecords = 100'000;

/// Why a file of labels is refused, and where.
struct LabelFileError {
    enum class Kind : std::uint8_t {
        file_too_large,
        too_many_records,
        line_too_long,
        not_an_object,  ///< no JSON, no UTF-8, or JSON of another kind
        too_deep,
        bad_type,
        bad_ref,
        bad_txid,      ///< of a transaction
        bad_outpoint,  ///< of an input or an output
        bad_label,
        label_too_long,
        bad_origin,
        bad_spendable,
    };
    Kind kind{};
    std::size_t line = 0;  ///< counted from 1; 0 for the file as a whole
};

/// The fault, with the line's number.
std::string describe(const LabelFileError& error);

/// The records of a file, in their order; empty lines are skipped. Records of unknown types, and
/// unknown members, are kept unchanged. Transaction ids are converted to lower case.
chain::Expected<std::vector<wallet::LabelRecord>, LabelFileError> parse_label_file(
    std::string_view content);

/// A record as a line, without the line feed. Bytes that are not UTF-8 become U+FFFD. Nothing if
/// `other_members` does not have the format of parse_label_file().
std::optional<std::string> to_label_line(const wallet::LabelRecord& record);

}  // namespace petal::cli
