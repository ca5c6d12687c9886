#include "cli/backup/label_file.h"

#include <optional>
#include <utility>

#include "chain/enum_table.h"
#include "chain/transaction.h"
#include "cli/json.h"
#include "wallet/ledger/records.h"

namespace petal::cli {
namespace {

using LabelKind = LabelFileError::Kind;
using wallet::LabelRecord;

constexpr int kMaxDepth = 16;

/// A JSON object, not nested too deeply: its nesting is followed by function calls later.
chain::Expected<Json, LabelKind> parse_object(std::string_view line) {
    bool too_deep = false;
    Json json = Json::parse(
        line,
        [&](int depth, Json::parse_event_t, Json&) {
            too_deep = too_deep || depth > kMaxDepth;
            return !too_deep;
        },
        /*allow_exceptions=*/false);
    if (too_deep) return chain::Unexpected(LabelKind::too_deep);
    if (!json.is_object()) return chain::Unexpected(LabelKind::not_an_object);
    return json;
}

/// Whether a member, if there is one, is a text of at most `max_bytes` bytes.
bool read_text(const Json& json, const char* name, std::size_t max_bytes,
               std::optional<std::string>& text) {
    const auto member = json.find(name);
    if (member == json.end()) return true;
    if (!member->is_string()) return false;
    text = member->get<std::string>();
    return text->size() <= max_bytes;
}

std::optional<LabelKind> read_label(const Json& json, LabelRecord& record) {
    if (read_text(json, "label", wallet::kMaxLabelBytes, record.label)) return std::nullopt;
    return record.label ? LabelKind::label_too_long : LabelKind::bad_label;
}

/// The kind of object that a record of this type names; converts transaction ids to the form in
/// which they are compared.
std::optional<LabelKind> normalise_ref(LabelRecord& record) {
    if (record.type == "tx") {
        const auto txid = chain::Txid::from_hex(record.ref);
        if (!txid) return LabelKind::bad_txid;
        record.ref = txid->to_hex();
    } else if (record.type == "input" || record.type == "output") {
        const auto outpoint = chain::Outpoint::from_string(record.ref);
        if (!outpoint) return LabelKind::bad_outpoint;
        record.ref = outpoint->to_string();
    }
    return std::nullopt;
}

/// BIP329 defines `spendable` for outputs only; for other types it is treated like any other
/// member.
std::optional<LabelKind> read_spendable(Json& json, LabelRecord& record) {
    const auto member = json.find("spendable");
    if (record.type != "output" || member == json.end()) return std::nullopt;
    if (!member->is_boolean()) return LabelKind::bad_spendable;
    record.spendable = member->get<bool>();
    json.erase(member);
    return std::nullopt;
}

chain::Expected<LabelRecord, LabelKind> parse_record(std::string_view line) {
    using chain::Unexpected;
    auto json = parse_object(line);
    if (!json) return Unexpected(json.error());
    LabelRecord record;
    std::optional<std::string> type;
    std::optional<std::string> ref;
    if (!read_text(*json, "type", wallet::kMaxLabelRefBytes, type) || !type || type->empty()) {
        return Unexpected(LabelKind::bad_type);
    }
    if (!read_text(*json, "ref", wallet::kMaxLabelRefBytes, ref) || !ref || ref->empty()) {
        return Unexpected(LabelKind::bad_ref);
    }
    record.type = *std::move(type);
    record.ref = *std::move(ref);
    if (const auto wrong = normalise_ref(record)) return Unexpected(*wrong);
    if (const auto wrong = read_label(*json, record)) return Unexpected(*wrong);
    if (!read_text(*json, "origin", wallet::kMaxLabelOriginBytes, record.origin)) {
        return Unexpected(LabelKind::bad_origin);
    }
    if (record.origin && record.origin->empty()) record.origin.reset();
    if (const auto wrong = read_spendable(*json, record)) return Unexpected(*wrong);
    for (const char* name : {"type", "ref", "label", "origin"}) json->erase(name);
    if (!json->empty()) record.other_members = json->dump();
    // Numbers such as 1e9 are written out.
    if (record.other_members.size() > wallet::kMaxLabelMembersBytes) {
        return Unexpected(LabelKind::line_too_long);
    }
    return record;
}

bool is_blank(std::string_view line) {
    return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

std::string describe(const LabelFileError& error) {
    using enum LabelFileError::Kind;
    static_assert(kMaxLabelFileBytes == 64 << 20 && kMaxLabelRecords == 100'000 &&
                  kMaxLabelLineBytes == 32 << 10 && wallet::kMaxLabelBytes == 1'020 &&
                  wallet::kMaxLabelOriginBytes == 2'000);
    static constexpr auto kTexts = chain::enum_table<LabelKind, std::string_view>({
        {file_too_large, "the file is larger than 64 MiB"},
        {too_many_records, "the file has more than 100,000 records"},
        {line_too_long, "the line is longer than 32 KiB"},
        {not_an_object, "this is no JSON object in UTF-8"},
        {too_deep, "the JSON object is nested too deeply"},
        {bad_type, "\"type\" must be a short text"},
        {bad_ref, "\"ref\" must be a short text"},
        {bad_txid, "\"ref\" must be a transaction id, 64 hexadecimal digits"},
        {bad_outpoint, "\"ref\" must be TXID:INDEX"},
        {bad_label, "\"label\" must be a text"},
        {label_too_long, "\"label\" is longer than 1,020 bytes"},
        {bad_origin, "\"origin\" must be a text of at most 2,000 bytes"},
        {bad_spendable, "\"spendable\" must be true or false"},
    });
    const std::string reason(kTexts[error.kind]);
    return error.line == 0 ? reason : "line " + std::to_string(error.line) + ": " + reason;
}

chain::Expected<std::vector<LabelRecord>, LabelFileError> parse_label_file(
    std::string_view content) {
    const auto failure = [](LabelKind kind, std::size_t line) {
        return chain::Unexpected(LabelFileError{kind, line});
    };
    if (content.size() > kMaxLabelFileBytes) return failure(LabelKind::file_too_large, 0);
    std::vector<std::pair<std::size_t, std::string_view>> lines;
    for (std::size_t number = 1; !content.empty(); ++number) {
        const std::size_t end = content.find('\n');
        const std::string_view line = content.substr(0, end);
        content.remove_prefix(end == std::string_view::npos ? content.size() : end + 1);
        if (line.size() > kMaxLabelLineBytes) return failure(LabelKind::line_too_long, number);
        if (is_blank(line)) continue;
        if (lines.size() == kMaxLabelRecords) return failure(LabelKind::too_many_records, number);
        lines.emplace_back(number, line);
    }
    std::vector<LabelRecord> records;
    records.reserve(lines.size());
    for (const auto& [number, line] : lines) {
        auto record = parse_record(line);
        if (!record) return failure(record.error(), number);
        records.push_back(*std::move(record));
    }
    return records;
}

std::optional<std::string> to_label_line(const LabelRecord& record) {
    Json json = {{"type", record.type}, {"ref", record.ref}};
    if (record.label) json["label"] = *record.label;
    if (record.origin) json["origin"] = *record.origin;
    if (record.spendable) json["spendable"] = *record.spendable;
    if (!record.other_members.empty()) {
        const auto others = parse_object(record.other_members);
        if (!others) return std::nullopt;
        for (const auto& [name, value] : others->items()) {
            if (!json.contains(name)) json[name] = value;
        }
    }
    return to_line(json);
}

}  // namespace petal::cli
