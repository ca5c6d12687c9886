#include "cli/wallet/watch_commands.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include "cli/options/advice.h"
#include "cli/options/confirmation.h"
#include "cli/options/data_folder.h"
#include "cli/text/command_error.h"
#include "cli/text/json.h"
#include "cli/text/text.h"
#include "cli/wallet/address_commands.h"
#include "cli/wallet/info_commands.h"
#include "cli/wallet/wallet_commands.h"
#include "cli/wallet/wallet_text.h"
#include "client/data/stored_chain.h"
#include "wallet/descriptors/new_descriptors.h"

namespace petal::cli {
namespace {

/// Names the argument by number, because the text may be a private key.
CommandError bad_descriptor(const wallet::RefusedText& refused) {
    return {ExitStatus::failed, "bad-descriptor",
            "descriptor " + std::to_string(refused.given + 1) + ": " + refused.reason +
                "; nothing was done"};
}

std::vector<wallet::NewDescriptor> parse_descriptors(const WatchOptions& options,
                                                     const GlobalOptions& global,
                                                     Console& console) {
    std::vector<std::string> texts;
    for (const std::string& text : options.descriptors) texts.push_back(given_address(text));
    auto parsed = wallet::parse_new_descriptors(texts, *global.network);
    if (!parsed) throw bad_descriptor(parsed.error());
    for (const std::string& note : parsed->notes) console.warn(note);
    return std::move(parsed->descriptors);
}

/// Whether `a` is no later than `b`. Nothing for a height and a date that the headers can't
/// compare.
/// headers   null if none are stored
std::optional<bool> is_no_later(const chain::Birthday& a, const chain::Birthday& b,
                                const chain::HeaderChain* headers) {
    if (a.height <= b.height && a.time <= b.time) return true;
    if (b.height <= a.height && b.time <= a.time) return false;
    if (!headers) return std::nullopt;
    const auto [lower, higher] =
        std::minmax({client::first_height_of(a, *headers), client::first_height_of(b, *headers)});
    if (higher <= headers->root().height || lower > headers->tip().height) return std::nullopt;
    return client::first_height_of(a, *headers) == lower;
}

struct SearchStart {
    chain::Birthday birthday;             // the wallet's new birthday, never later than before
    std::optional<chain::BlockRef> kept;  // the last block that stays searched, if any
};

/// Where a search from `from` on starts. The wallet's birthday becomes `from` if `from` is earlier,
/// and else stays. All searched blocks stay searched if `from` is later.
/// headers   null if none are stored
SearchStart start_of_search(const chain::Birthday& from, const wallet::Wallet& wallet,
                            const chain::HeaderChain* headers, const GlobalOptions& global) {
    const wallet::WalletInfo info = wallet.info();
    const auto is_earlier = is_no_later(wallet::with_margin(from), wallet.birthday(), headers);
    if (!is_earlier) {
        throw CommandError(ExitStatus::failed, "unknown-date",
                           "the stored headers don't tell whether " + birthday_text(from) +
                               " or the wallet's birthday, " + birthday_text(info.birthday) +
                               ", is earlier; " + advised("sync", global) +
                               " fetches more of them");
    }
    if (*is_earlier) return {from, {}};
    const SearchStart whole{info.birthday, {}};
    if (!info.synced || !headers || !headers->is_on_best_chain(info.synced->hash)) return whole;
    const std::uint32_t first = client::first_height_of(wallet::with_margin(from), *headers);
    if (first <= headers->root().height + 1) return whole;
    if (first > info.synced->height) return {info.birthday, info.synced};
    return {info.birthday, chain::BlockRef{first - 1, headers->hash_at(first - 1)}};
}

std::string search_text(const SearchStart& start) {
    return start.kept ? "block " + format_count(start.kept->height + 1)
                      : birthday_text(start.birthday);
}

}  // namespace

void run_watch(const WatchOptions& options, const GlobalOptions& global, Console& console) {
    check_new_wallet(global);
    wallet::NewWatchOnlyWallet recipe;
    recipe.descriptors = parse_descriptors(options, global, console);
    recipe.birthday = options.birthday;
    const wallet::WalletInfo info =
        wallet::Wallet::watch(wallet_file(global), *global.network, recipe).info();
    warn_of_shared_keys(info, global, console);
    if (global.json) return console.print_json(wallet_json(info, global));
    console.prose() << wallet_title(global, console) << " watches; " << advised("sync", global)
                    << " finds its coins.\n\n"
                    << wallet_lines(info, global) << descriptor_lines(info);
}

void run_import(const WatchOptions& options, const GlobalOptions& global, Console& console) {
    const auto descriptors = parse_descriptors(options, global, console);
    wallet::Wallet wallet = open_wallet(global, wallet::Access::sync);
    const auto stored = client::find_stored_chain(data_of(global));
    const chain::HeaderChain* const headers = stored ? &stored->chain : nullptr;
    SearchStart start = start_of_search(options.birthday, wallet, headers, global);
    const auto block_at = [headers](std::uint32_t height) -> std::optional<chain::BlockRef> {
        const bool is_known =
            headers && height > headers->root().height && height <= headers->tip().height;
        if (!is_known) return std::nullopt;
        return chain::BlockRef{height, headers->hash_at(height)};
    };
    const auto imported =
        wallet.import(descriptors, {options.birthday, start.birthday, start.kept, block_at});
    if (!imported) throw bad_descriptor(imported.error());
    const wallet::WalletInfo info = wallet.info();
    start.kept = info.synced;
    if (global.json) return console.print_json(info_json(info, global));
    console.prose() << wallet_title(global, console) << " watches more; the next "
                    << advised("sync", global) << " searches from " << search_text(start)
                    << " on.\n\n"
                    << descriptor_lines(info);
}

namespace {

/// Where a rescan begins. Throws CommandError if no block from there on is searched yet.
/// headers   null if none are stored
SearchStart rescan_start(const RescanOptions& options, const wallet::Wallet& wallet,
                         const chain::HeaderChain* headers, const GlobalOptions& global) {
    SearchStart start{wallet.info().birthday, {}};
    if (options.from) start = start_of_search(*options.from, wallet, headers, global);
    if (!start.kept || start.kept != wallet.info().synced) return start;
    throw CommandError(ExitStatus::failed, "not-searched-yet",
                       "the wallet is searched up to block " + format_count(start.kept->height) +
                           " only; " + advised("sync", global) + " searches the later ones anyway");
}

/// Asks before searched blocks are searched again. Asks nothing if no searched block is concerned.
/// headers   null if none are stored
void confirm_rescan(const SearchStart& start, const wallet::Wallet& wallet,
                    const chain::HeaderChain* headers, const GlobalOptions& global,
                    Console& console) {
    const auto synced = wallet.info().synced;
    if (!synced) return;
    std::optional<std::uint32_t> first;
    if (start.kept)
        first = start.kept->height + 1;
    else if (headers)
        first = client::first_height_of(wallet::with_margin(start.birthday), *headers);
    if (first && *first > synced->height) return;
    const std::string blocks =
        first ? count_of(synced->height - *first + 1, "block") + " again, from " +
                    format_count(*first) + " to " + format_count(synced->height)
              : "again from " + search_text(start) + " to block " + format_count(synced->height);
    confirm("The next " + advised("sync", global) + " searches " + blocks +
                ". Until then, the wallet's transactions in these blocks count as unconfirmed. "
                "Type yes to go on: ",
            kYes, "changed", global, console);
}

}  // namespace

void run_rescan(const RescanOptions& options, const GlobalOptions& global, Console& console) {
    if (!options.yes && can_ask(global, console)) {
        // Other processes may sync the wallet while the question is open.
        static_cast<void>(open_wallet(global, wallet::Access::sync));  // throws: in use
        const wallet::Wallet wallet = open_wallet(global, wallet::Access::read);
        const auto stored = client::find_stored_chain(data_of(global));
        const chain::HeaderChain* const headers = stored ? &stored->chain : nullptr;
        confirm_rescan(rescan_start(options, wallet, headers, global), wallet, headers, global,
                       console);
    }
    wallet::Wallet wallet = open_wallet(global, wallet::Access::sync);
    const auto stored = options.from ? client::find_stored_chain(data_of(global)) : nullptr;
    const SearchStart start =
        rescan_start(options, wallet, stored ? &stored->chain : nullptr, global);
    if (start.kept) {
        wallet.rescan_above(*start.kept);
    } else {
        wallet.rescan(start.birthday);
    }
    if (global.json) return console.print_json(info_json(wallet.info(), global));
    console.prose() << "The next " << advised("sync", global) << " searches from "
                    << search_text(start) << " on.\n";
}

}  // namespace petal::cli
