#include "cli/sync/text/source_text.h"

#include <string_view>

#include "chain/enum_table.h"

namespace petal::cli {
namespace {

struct SourceRow {
    std::string_view word;
    std::string_view name;
    std::string_view revealed;
};

const SourceRow& row_of(net::MatchSourceKind source) {
    using enum net::MatchSourceKind;
    static constexpr auto kRows = chain::enum_table<net::MatchSourceKind, SourceRow>({
        {filtered_blocks,
         {"bloom", "Bloom filters", "a node with the filter can test every address against it"}},
        {full_blocks, {"blocks", "full blocks", "the nodes learn nothing about the wallet"}},
        {compact_filters,
         {"compact", "compact filters",
          "the nodes learn which blocks were downloaded, but no address"}},
    });
    return kRows[source];
}

std::string_view text_of(client::SourceReason reason) {
    using enum client::SourceReason;
    static constexpr auto kTexts = chain::enum_table<client::SourceReason, std::string_view>({
        {requested, "as --source says"},
        {by_default, "the default unless nodes are searched for"},
        {as_before, "as before: another way would search earlier blocks again"},
        {index, "the fastest way: the node has an index"},
        {slow_link, "the least traffic, on a slow link"},
        {unconfirmed, "they find unconfirmed payments, too"},
        {no_index, "not every named node serves compact filters"},
        {index_incomplete,
         "a named node left compact filters out: getindexinfo shows whether its index is synced"},
        {only_blocks, "the named nodes serve no filters"},
        {privacy_profile, "as --privacy says"},
        {none_found, "no node was found that serves what --privacy prefers"},
    });
    return kTexts[reason];
}

}  // namespace

std::string word_of(net::MatchSourceKind source) {
    return std::string(row_of(source).word);
}

std::string source_text(const client::SourceChoice& choice) {
    const SourceRow& row = row_of(choice.source);
    return std::string(row.name) + " (" + std::string(text_of(choice.reason)) + "); " +
           std::string(row.revealed);
}

Json source_json(const std::optional<client::SourceChoice>& choice) {
    if (!choice) return {{"source", nullptr}, {"source_reason", nullptr}};
    return {{"source", word_of(choice->source)}, {"source_reason", code_of(choice->reason)}};
}

}  // namespace petal::cli
