// Label files: an accepted file does not change when it is written and read again.
#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "cli/backup/label_file.h"
#include "wallet/ledger/records.h"

namespace {

using namespace petal;

void check_bounds(const wallet::LabelRecord& record) {
    assert(!record.type.empty() && record.type.size() <= wallet::kMaxLabelRefBytes);
    assert(!record.ref.empty() && record.ref.size() <= wallet::kMaxLabelRefBytes);
    assert(!record.label || record.label->size() <= wallet::kMaxLabelBytes);
    assert(!record.origin ||
           (!record.origin->empty() && record.origin->size() <= wallet::kMaxLabelOriginBytes));
    assert(!record.spendable || record.type == "output");
    assert(record.other_members.size() <= wallet::kMaxLabelMembersBytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view content(reinterpret_cast<const char*>(data), size);
    const auto records = cli::parse_label_file(content);
    if (!records) {
        const std::string reason = cli::describe(records.error());
        assert(!reason.empty() && reason.find('\n') == std::string::npos);
        const auto lines = static_cast<std::size_t>(std::ranges::count(content, '\n')) + 1;
        assert(records.error().line <= lines);
        return 0;
    }
    std::string lines;
    for (const wallet::LabelRecord& record : *records) {
        check_bounds(record);
        const auto line = cli::to_label_line(record);
        assert(line && line->find('\n') == std::string::npos);
        lines += *line + '\n';
    }
    // Escapes make some lines longer than the limit for reading.
    const auto again = cli::parse_label_file(lines);
    if (again) {
        assert(*again == *records);
    } else {
        assert(again.error().kind == cli::LabelFileError::Kind::line_too_long);
    }
    return 0;
}
