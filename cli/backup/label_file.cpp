#include "cli/backup/label_file.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "chain/enum_table.h"
#include "chain/transaction.h"
#include "cli/text/json.h"
#include "cli/text/text.h"
#include "cli/text/text_encoding.h"
#include "wallet/keys/secret_text.h"
#include "wallet/ledger/records.h"

namespace petal::cli {
namespace {

using LabelKind = LabelFileError::Kind;
using wallet::LabelRecord;

constexpr int kMaxDepth = 16;

/// A JSON object. Deep nesting is refused, because later calls recurse into the nesting.
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

/// Readers ignore all types but the six of BIP329.
bool is_defined_type(std::string_view type) {
    constexpr std::array<std::string_view, 6> kTypes{"tx",    "addr",   "pubkey",
                                                     "input", "output", "xpub"};
    return std::ranges::find(kTypes, type) != kTypes.end();
}

/// Removes a member. Reads the member's text unless the member is null. False if the member is
/// neither a text nor null.
bool take_text(Json& json, const char* name, std::optional<std::string>& text) {
    const auto member = json.find(name);
    if (member == json.end()) return true;
    const bool is_null = member->is_null();
    const bool is_text = member->is_string();
    if (is_text) text = member->get<std::string>();
    json.erase(member);
    return is_text || is_null;
}

bool take_trimmed_text(Json& json, const char* name, std::optional<std::string>& text) {
    if (!take_text(json, name, text)) return false;
    if (text) text = std::string(without_outer_blanks(*text));
    return text && !text->empty();
}

/// The kind of object that a record of this type names. Converts a txid to the form in which txids
/// are compared.
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

/// True or false, also as a text: BIP329's example had "false" until 2025.
std::optional<bool> truth_of(const Json& value) {
    if (value.is_boolean()) return value.get<bool>();
    if (!value.is_string()) return std::nullopt;
    std::string text(without_outer_blanks(value.get<std::string>()));
    for (char& c : text) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    if (text == "true") return true;
    if (text == "false") return false;
    return std::nullopt;
}

/// BIP329 defines `spendable` for outputs only. In records of other types, `spendable` stays among
/// the unknown members.
std::optional<LabelKind> take_spendable(Json& json, LabelRecord& record) {
    const auto member = json.find("spendable");
    if (record.type != "output" || member == json.end()) return std::nullopt;
    if (!member->is_null()) {
        record.spendable = truth_of(*member);
        if (!record.spendable) return LabelKind::bad_spendable;
    }
    json.erase(member);
    return std::nullopt;
}

/// A record that may be of an undefined type.
struct ParsedRecord {
    LabelRecord record;
    bool is_shortened = false;
    std::optional<LabelKind> fault;  ///< behind a valid type
};

/// Reads the members behind the type.
std::optional<LabelKind> read_members(Json& json, ParsedRecord& parsed) {
    LabelRecord& record = parsed.record;
    std::optional<std::string> ref;
    if (!take_trimmed_text(json, "ref", ref) || ref->size() > wallet::kMaxLabelRefBytes) {
        return LabelKind::bad_ref;
    }
    record.ref = *std::move(ref);
    if (wallet::find_secret(record.ref)) return LabelKind::secret_ref;
    if (const auto wrong = normalise_ref(record)) return wrong;
    if (!take_text(json, "label", record.label)) return LabelKind::bad_label;
    if (record.label && record.label->size() > wallet::kMaxLabelBytes) {
        record.label = std::string(first_bytes(*record.label, wallet::kMaxLabelBytes));
        parsed.is_shortened = true;
    }
    if (!take_text(json, "origin", record.origin) ||
        record.origin.value_or("").size() > wallet::kMaxLabelOriginBytes) {
        return LabelKind::bad_origin;
    }
    if (record.origin && record.origin->empty()) record.origin.reset();
    if (const auto wrong = take_spendable(json, record)) return wrong;
    if (!json.empty()) record.other_members = json.dump();
    // May be longer than the line, because a number such as 1e9 is written out.
    if (record.other_members.size() > wallet::kMaxLabelMembersBytes) {
        return LabelKind::line_too_long;
    }
    return std::nullopt;
}

chain::Expected<ParsedRecord, LabelKind> parse_record(std::string_view line) {
    if (line.size() > kMaxLabelLineBytes) return chain::Unexpected(LabelKind::line_too_long);
    auto json = parse_object(line);
    if (!json) return chain::Unexpected(json.error());
    ParsedRecord parsed;
    std::optional<std::string> type;
    if (!take_trimmed_text(*json, "type", type)) return chain::Unexpected(LabelKind::bad_type);
    parsed.record.type = *std::move(type);
    parsed.fault = parsed.record.type.size() > wallet::kMaxLabelRefBytes
                       ? LabelKind::bad_type
                       : read_members(*json, parsed);
    return parsed;
}

}  // namespace

std::string reason_of(const LabelFileError& error) {
    using enum LabelFileError::Kind;
    static_assert(kMaxLabelFileBytes == 64 << 20 && kMaxLabelRecords == 100'000 &&
                  kMaxLabelLineBytes == 256 << 10 && wallet::kMaxLabelOriginBytes == 2'000);
    static constexpr auto kTexts = chain::enum_table<LabelKind, std::string_view>({
        {file_too_large, "the file is larger than 64 MiB"},
        {too_many_records, "the file has more than 100,000 records"},
        {no_text, ""},
        {line_too_long, "the line is longer than 256 KiB"},
        {not_an_object, "this is no JSON object in UTF-8"},
        {too_deep, "the JSON object is nested too deeply"},
        {bad_type, "\"type\" must be a short text"},
        {bad_ref, "\"ref\" must be a short text"},
        {secret_ref, "\"ref\" is a private key or a mnemonic, which is not stored as a label"},
        {bad_txid, "\"ref\" must be a transaction id, 64 hexadecimal digits"},
        {bad_outpoint, "\"ref\" must be TXID:INDEX"},
        {bad_label, "\"label\" must be a text"},
        {bad_origin, "\"origin\" must be a text of at most 2,000 bytes"},
        {bad_spendable, "\"spendable\" must be true or false"},
    });
    return std::string(error.kind == no_text ? describe(error.fault) : kTexts[error.kind]);
}

std::string describe(const LabelFileError& error) {
    const std::string reason = reason_of(error);
    return error.line == 0 ? reason : "line " + std::to_string(error.line) + ": " + reason;
}

chain::Expected<LabelFile, LabelFileError> parse_label_file(std::string_view bytes) {
    const auto failure = [](LabelKind kind, std::size_t line) {
        return chain::Unexpected(LabelFileError{kind, line});
    };
    if (bytes.size() > kMaxLabelFileBytes) return failure(LabelKind::file_too_large, 0);
    const auto text = text_of(bytes);
    if (!text) return chain::Unexpected(LabelFileError{LabelKind::no_text, 0, text.error()});
    std::string_view content = *text;
    LabelFile file;
    std::size_t count = 0;
    for (std::size_t number = 1; !content.empty(); ++number) {
        const std::size_t end = content.find('\n');
        const std::string_view line = content.substr(0, end);
        content.remove_prefix(end == std::string_view::npos ? content.size() : end + 1);
        if (without_outer_blanks(line).empty()) continue;
        if (++count > kMaxLabelRecords) return failure(LabelKind::too_many_records, number);
        auto parsed = parse_record(line);
        const auto fault = parsed ? parsed->fault : parsed.error();
        const bool is_ignored = parsed && !is_defined_type(parsed->record.type);
        const bool is_secret = fault == LabelKind::secret_ref;
        if (is_ignored && !is_secret) ++file.ignored;
        if (!fault) {
            if (parsed->is_shortened) ++file.shortened;
            file.records.push_back(std::move(parsed->record));
        } else if (!is_ignored || is_secret) {
            ++file.skipped;
            if (file.named.size() < LabelFile::kMostNamed) file.named.push_back({*fault, number});
        }
    }
    const bool has_record = !file.records.empty() || file.ignored > 0;
    if (!has_record && file.skipped > 0) return chain::Unexpected(file.named.front());
    return file;
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
