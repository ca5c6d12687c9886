#include "cli/options/given_txid.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "cli/options/advice.h"
#include "cli/text/json.h"
#include "cli/text/text.h"

namespace petal::cli {
namespace {

constexpr std::size_t kTxidDigits = 64;
constexpr std::size_t kFewestDigits = 4;
/// The maximum number of candidates that an error names.
constexpr std::size_t kMostCandidates = 5;

/// The hexadecimal digits in lower case. Empty for a text with any other character.
std::optional<std::string> lower_hex(std::string_view text) {
    std::string digits(text);
    std::ranges::transform(digits, digits.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (digits.find_first_not_of("0123456789abcdef") != digits.npos) return std::nullopt;
    return digits;
}

CommandError ambiguous_txid(const std::string& text, const std::vector<chain::Txid>& candidates,
                            const GlobalOptions& global) {
    Json list = Json::array();
    std::vector<std::string> shown;
    for (const chain::Txid& txid : candidates) {
        if (shown.size() == kMostCandidates) break;
        list.push_back(txid.to_hex());
        shown.push_back(txid.to_hex());
    }
    CommandError error(ExitStatus::failed, "ambiguous-txid",
                       text + " fits " + count_of(candidates.size(), "transaction") +
                           " of wallet '" + global.wallet + "': " + comma_list(shown) +
                           (candidates.size() > shown.size() ? " and others" : "") +
                           "; give more digits");
    error.set_details({{"candidates", list}});
    return error;
}

}  // namespace

std::optional<GivenTxid> GivenTxid::parse(std::string_view text) {
    const std::string_view ellipsis = text.find("…") != text.npos ? "…" : "...";
    const std::size_t gap = std::min(text.find(ellipsis), text.size());
    const auto begin = lower_hex(text.substr(0, gap));
    const auto end = lower_hex(text.substr(std::min(gap + ellipsis.size(), text.size())));
    if (!begin || !end || begin->size() < kFewestDigits) return std::nullopt;
    if (begin->size() + end->size() > kTxidDigits) return std::nullopt;
    GivenTxid given;
    given.text_ = text;
    given.first_digits_ = *begin;
    given.last_digits_ = *end;
    return given;
}

std::optional<chain::Txid> GivenTxid::whole() const {
    return chain::Txid::from_hex(first_digits_ + last_digits_);
}

chain::Txid GivenTxid::find(const wallet::Wallet& wallet, const GlobalOptions& global) const {
    if (const auto txid = whole()) return *txid;
    std::vector<chain::Txid> own;
    for (const wallet::HistoryEntry& entry : wallet.history(0)) own.push_back(entry.txid);
    return find(own, global);
}

chain::Txid GivenTxid::find(const std::vector<chain::Txid>& own,
                            const GlobalOptions& global) const {
    std::vector<chain::Txid> fitting;
    for (const chain::Txid& txid : own) {
        const std::string hex = txid.to_hex();
        if (hex.starts_with(first_digits_) && hex.ends_with(last_digits_)) fitting.push_back(txid);
    }
    if (fitting.empty()) throw unknown_transaction(text_, global);
    if (fitting.size() > 1) throw ambiguous_txid(text_, fitting, global);
    return fitting.front();
}

std::optional<GivenOutpoint> GivenOutpoint::parse(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    if (colon == text.npos) return std::nullopt;
    // The grammar of outpoints decides on the index.
    const auto outpoint = chain::Outpoint::from_string(std::string(kTxidDigits, '0') +
                                                       std::string(text.substr(colon)));
    auto txid = GivenTxid::parse(text.substr(0, colon));
    if (!outpoint || !txid) return std::nullopt;
    return GivenOutpoint{*std::move(txid), outpoint->index};
}

chain::Outpoint GivenOutpoint::find(const wallet::Wallet& wallet,
                                    const GlobalOptions& global) const {
    return {txid.find(wallet, global), index};
}

CLI::Validator given_txid() {
    const auto check = [](std::string& text) -> std::string {
        return GivenTxid::parse(text) ? ""
                                      : "must be 64 hexadecimal digits, or at least the first 4 of "
                                        "a transaction of the wallet";
    };
    return {check, "", "txid"};
}

void add_txid(CLI::App* app, GivenTxid& txid, const char* description) {
    app->add_option_function<std::string>(
           "TXID", [&txid](const std::string& text) { txid = *GivenTxid::parse(text); },
           description)
        ->required()
        ->check(given_txid());
}

CommandError unknown_transaction(std::string_view txid, const GlobalOptions& global) {
    return {ExitStatus::failed, "unknown-transaction",
            "wallet '" + global.wallet + "' has no transaction " + std::string(txid) + "; " +
                advised("history", global) + " lists those that it has"};
}

}  // namespace petal::cli
