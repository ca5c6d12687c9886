#include "cli/wallet/address_commands.h"

#include <algorithm>
#include <ostream>
#include <utility>
#include <vector>

#include "cli/options/advice.h"
#include "cli/options/data_folder.h"
#include "cli/options/given_txid.h"
#include "cli/options/option_values.h"
#include "cli/text/amount.h"
#include "cli/text/command_error.h"
#include "cli/text/json.h"
#include "cli/text/payment_uri.h"
#include "cli/text/text.h"
#include "cli/text/text_encoding.h"
#include "cli/wallet/coin_commands.h"
#include "cli/wallet/qr_code.h"
#include "cli/wallet/wallet_commands.h"
#include "cli/wallet/wallet_text.h"
#include "client/spending/sent_payment.h"
#include "wallet/ledger/records.h"

namespace petal::cli {
namespace {

constexpr std::uint32_t kUnusedAhead = 20;  // of the addresses that `addresses` lists

/// Warns if no block is searched and the keys are older than the wallet's file. Then an address
/// that looks unused may have been paid before.
void warn_if_unsearched(const wallet::WalletInfo& info, const GlobalOptions& global,
                        Console& console) {
    constexpr std::int64_t kDay = 86'400;
    const bool is_new = info.birthday.time > birthday_now(*global.network).time - kDay;
    if (info.synced || is_new) return;
    console.warn("the wallet was never synced: a payer may know this address already; " +
                 advised("sync", global) + " finds out which were paid");
}

void warn_if_watched(const wallet::Wallet& wallet, const wallet::AddressEntry& entry,
                     Console& console) {
    if (wallet.info().watch_only || wallet.signing_kind(wallet.script_at(entry.path))) return;
    console.warn("the wallet only watches this address: it cannot spend what is paid to it");
}

/// An address with a label or an amount is for one payer only.
wallet::AddressEntry choose_address(const ReceiveOptions& options, const GlobalOptions& global,
                                    Console& console) {
    using Kind = wallet::WalletError::Kind;
    std::optional<wallet::DescriptorNumber> named;
    if (options.descriptor) named = *options.descriptor;
    try {
        auto wallet = open_wallet(global, wallet::Access::change);
        warn_if_unsearched(wallet.info(), global, console);
        wallet::AddressEntry entry = options.is_for_one_payer()
                                         ? wallet.receive_address(/*hand_out=*/true, named)
                                         : wallet.current_address(/*remember=*/true, named);
        warn_if_watched(wallet, entry, console);
        if (!options.label.empty()) {
            wallet.set_label(wallet.script_at(entry.path), options.label);
            entry.label = options.label;
        }
        return entry;
    } catch (const wallet::WalletError& error) {
        const bool is_unchangeable =
            error.kind() == Kind::locked_by_other || error.kind() == Kind::storage;
        if (!is_unchangeable || options.is_for_one_payer()) throw;
        console.warn(
            "the wallet's file can't be changed now: this address may be given to another "
            "payer, too");
    }
    auto wallet = open_wallet(global, wallet::Access::read);
    wallet::AddressEntry entry = wallet.current_address(/*remember=*/false, named);
    warn_if_watched(wallet, entry, console);
    return entry;
}

CommandError not_in_wallet(const std::string& what, const GlobalOptions& global) {
    return {ExitStatus::failed, "not-in-wallet",
            printable(what, 120) + " is not in wallet '" + global.wallet + "'; " +
                advised("addresses", global) + " and " + advised("history", global) +
                " list what is"};
}

/// Empty if no code fits. Warns then if the user asked for a code.
std::string drawn_qr_code(const std::string& uri, bool is_demanded, Console& console) {
    const auto colours = console.colours_out() ? QrColours::fixed : QrColours::none;
    const auto code = qr_code(uri, colours);
    if (!code) {
        if (is_demanded) console.warn("the link is too long for a QR code; take a shorter label");
        return {};
    }
    const std::size_t columns = qr_code_columns(*code);
    if (columns <= console.out_columns()) return *code;
    if (is_demanded) {
        console.warn("the QR code takes " + std::to_string(columns) +
                     " columns and would wrap on this terminal; make it wider");
    }
    return {};
}

/// E.g. "an address of testnet3, testnet4 or signet, and this wallet is on regtest". Adds the
/// option --network if the command takes it and only one network has such addresses.
std::string of_another_network(std::string_view address, const std::string& own_network,
                               bool takes_network) {
    std::vector<std::string> names;
    for (const chain::NetworkParams& other : chain::all_networks()) {
        if (wallet::parse_address(address, other)) names.emplace_back(other.name);
    }
    if (names.empty()) return std::string(wallet::describe(wallet::AddressError::wrong_network));
    std::string list = names.front();
    for (std::size_t i = 1; i < names.size(); ++i) {
        list += (i + 1 == names.size() ? " or " : ", ") + names[i];
    }
    return "an address of " + list + ", and " + own_network +
           (takes_network && names.size() == 1 ? " (--network " + names.front() + ")" : "");
}

std::string describe(wallet::AddressError error, std::string_view address,
                     const chain::NetworkParams& network) {
    return describe_address_error(error, address, "this wallet is on " + std::string(network.name),
                                  /*takes_network=*/true);
}

/// The error of an address in the short form of tables.
CommandError shortened_address(std::string_view text, const GlobalOptions& global) {
    return {ExitStatus::failed, "bad-address",
            printable(text, 120) + " is a shortened address; " +
                advised("--full addresses", global) + " shows whole addresses"};
}

bool is_shortened(std::string_view text) {
    return text.find("…") != text.npos || text.find("...") != text.npos;
}

wallet::LabelTarget label_target(const std::string& given, const wallet::Wallet& wallet,
                                 const GlobalOptions& global) {
    const std::string text = given_address(given);
    if (const auto coin = GivenOutpoint::parse(text)) return coin->find(wallet, global);
    if (const auto txid = GivenTxid::parse(text)) return txid->find(wallet, global);
    auto script = wallet::parse_address(text, *global.network);
    if (script) return *std::move(script);
    if (is_shortened(text)) throw shortened_address(text, global);
    const bool is_other_text = script.error() == wallet::AddressError::not_an_address;
    throw CommandError(ExitStatus::failed, "bad-address",
                       printable(text, 120) + (is_other_text ? " is no address, TXID or TXID:VOUT"
                                                             : ": " + describe(script.error(), text,
                                                                               *global.network)));
}

/// The target as petal writes a target: an address in canonical form.
std::string target_text(const wallet::LabelTarget& target, const chain::NetworkParams& network) {
    if (const auto* outpoint = std::get_if<chain::Outpoint>(&target)) return outpoint->to_string();
    if (const auto* txid = std::get_if<chain::Txid>(&target)) return txid->to_hex();
    return wallet::address_of(std::get<chain::Bytes>(target), network);
}

std::string quoted_label(const std::string& label) {
    return "'" + printable(label, wallet::kMaxLabelBytes) + "'";
}

std::string label_text(const std::string& label, const std::string& target,
                       const std::string& previous) {
    const auto& quoted = quoted_label;
    if (!label.empty()) {
        const bool is_other = !previous.empty() && previous != label;
        return target + " has the label " + quoted(label) +
               (is_other ? " instead of " + quoted(previous) : "") + ".\n";
    }
    if (previous.empty()) return target + " has no label of its own: there is none to remove.\n";
    return "Removed the label " + quoted(previous) + " of " + target + ".\n";
}

}  // namespace

std::string describe_address_error(wallet::AddressError error, std::string_view address,
                                   const std::string& own_network, bool takes_network) {
    if (error == wallet::AddressError::wrong_checksum) {
        return std::string(wallet::describe(error)) + "; copy the address again";
    }
    if (error != wallet::AddressError::wrong_network) return std::string(wallet::describe(error));
    return of_another_network(address, own_network, takes_network);
}

std::string given_address(std::string_view text) {
    if (!is_payment_uri(text)) return std::string(without_outer_blanks(text));
    auto uri = parse_payment_uri(text);
    if (uri) return std::move(uri->address);
    throw CommandError(ExitStatus::failed, "bad-uri",
                       printable(text, 120) + ": " + std::string(describe(uri.error())));
}

chain::Bytes given_script(std::string_view text, const chain::NetworkParams& network) {
    const std::string address = given_address(text);
    auto script = wallet::parse_address(address, network);
    if (!script) {
        throw CommandError(
            ExitStatus::failed, "bad-address",
            printable(address, 120) + ": " + describe(script.error(), address, network));
    }
    return *std::move(script);
}

chain::Bytes own_script(const std::string& address, const wallet::Wallet& wallet,
                        const GlobalOptions& global) {
    if (is_shortened(given_address(address))) throw shortened_address(address, global);
    chain::Bytes script = given_script(address, *global.network);
    if (!wallet.address(script)) throw not_in_wallet(address, global);
    return script;
}

namespace {

void run_addresses(const AddressesOptions& options, const GlobalOptions& global, Console& console) {
    const auto chain = options.change ? wallet::KeyChain::change : wallet::KeyChain::receive;
    const wallet::Wallet wallet = open_wallet(global, wallet::Access::read);
    std::vector<wallet::AddressEntry> addresses;
    if (options.address.empty()) {
        addresses = wallet.addresses(chain, kUnusedAhead);
    } else {
        addresses.push_back(*wallet.address(own_script(options.address, wallet, global)));
    }
    if (options.unused) {
        std::erase_if(addresses, [](const wallet::AddressEntry& entry) { return entry.used; });
    }
    Json list = Json::array();
    for (const wallet::AddressEntry& entry : addresses) list.push_back(address_json(entry));
    print_list("addresses", std::move(list), addresses_text(addresses, global, console),
               client::wallet_sync_status(wallet.info(), data_of(global)), global, console);
}

void run_receive(const ReceiveOptions& options, const GlobalOptions& global, Console& console) {
    const wallet::AddressEntry entry = choose_address(options, global, console);
    const std::string uri = payment_uri(entry.address, options.amount, options.label);
    if (global.json) {
        return console.print_json({{"address", entry.address},
                                   {"path", entry.path_text},
                                   {"descriptor", entry.path.descriptor.value},
                                   {"uri", uri},
                                   {"label", entry.label}});
    }
    const std::string text = entry.address + '\n' + uri + '\n';
    const bool is_terminal = console.terminals().out;
    std::string code;
    if (options.qr || is_terminal) code = drawn_qr_code(uri, options.qr, console);
    if (code.empty()) {
        console.out() << text;
    } else if (is_terminal) {
        console.out() << code << '\n' << text;  // the code may scroll away, the address must not
    } else {
        console.out() << text << '\n' << code;  // programs read the address in the first line
    }
}

/// The error of a label's target that is not in the wallet. For a foreign address, the error says
/// to label the transaction that pays the address.
CommandError no_label_target(const wallet::LabelTarget& target, const LabelOptions& options,
                             const wallet::Wallet& wallet, const GlobalOptions& global) {
    const auto* const script = std::get_if<chain::Bytes>(&target);
    if (script == nullptr) return not_in_wallet(options.target, global);
    const client::SentPayments payments(wallet);
    for (const wallet::HistoryEntry& entry : wallet.history(0)) {
        const auto payment = payments.find(entry);
        const bool pays = payment && std::ranges::find(payment->recipients, *script,
                                                       &chain::TxOutput::script_pubkey) !=
                                         payment->recipients.end();
        if (!pays) continue;
        return {ExitStatus::failed, "not-in-wallet",
                target_text(target, *global.network) +
                    " is not one of the wallet's addresses; the payment to it is labelled with " +
                    advised("label " + entry.txid.to_hex(), global)};
    }
    return not_in_wallet(options.target, global);
}

Json label_json(const wallet::LabelTarget& target, const std::string& label,
                const GlobalOptions& global) {
    constexpr std::array kTypes{"addr", "tx", "output"};  // BIP329
    return {{"type", kTypes.at(target.index())},
            {"ref", target_text(target, *global.network)},
            {"label", label}};
}

void show_label(const LabelOptions& options, const GlobalOptions& global, Console& console) {
    const wallet::Wallet wallet = open_wallet(global, wallet::Access::read);
    const wallet::LabelTarget target = label_target(options.target, wallet, global);
    const auto label = wallet.label(target);
    if (!label) throw no_label_target(target, options, wallet, global);
    if (global.json) return console.print_json(label_json(target, *label, global));
    console.prose() << target_text(target, *global.network)
                    << (label->empty() ? " has no label" : " has the label " + quoted_label(*label))
                    << ".\n";
}

void run_label(const LabelOptions& options, const GlobalOptions& global, Console& console) {
    if (!options.text && !options.removes) return show_label(options, global, console);
    const std::string label = options.text.value_or("");
    auto wallet = open_wallet(global, wallet::Access::change);
    const wallet::LabelTarget target = label_target(options.target, wallet, global);
    const auto previous = wallet.set_label(target, label);
    if (!previous) throw no_label_target(target, options, wallet, global);
    if (global.json) {
        Json json = label_json(target, label, global);
        json["previous_label"] = *previous;
        return console.print_json(json);
    }
    console.prose() << label_text(label, target_text(target, *global.network), *previous);
}

/// Refuses a text of blanks alone. Refuses an empty text only with `must_have_text`.
CLI::Validator label_text(bool must_have_text) {
    return {[must_have_text](std::string& text) -> std::string {
                if (text.size() > wallet::kMaxLabelBytes) {
                    return "must be at most " + std::to_string(wallet::kMaxLabelBytes) +
                           " bytes long";
                }
                if (!is_utf8(text)) return "must be UTF-8";
                if (text.empty()) return must_have_text ? "must not be empty" : "";
                const bool is_blank = text.find_first_not_of(" \t\r\n") == std::string::npos;
                return is_blank ? "must not be of blanks alone" : "";
            },
            "", "label"};
}

CommandEntry add_addresses(CLI::App& root) {
    CLI::App* app =
        add_command(root, kSyncing, "addresses", "list addresses: used, handed out and next");
    auto options = std::make_shared<AddressesOptions>();
    app->add_option("ADDRESS", options->address, "show only this address, if it is the wallet's")
        ->check(not_empty());
    app->add_flag("--change", options->change,
                  "list change addresses instead of receive addresses");
    app->add_flag("--unused", options->unused, "list only addresses that were never paid");
    app->footer(
        "used: a transaction has paid the address. handed out: petal receive has "
        "shown it, it has a label, or a later address was paid; petal receive does "
        "not show it again.");
    return reading(plain_entry(app, options, run_addresses));
}

CommandEntry add_receive(CLI::App& root) {
    CLI::App* app = add_command(root, kSyncing, "receive", "show an address to be paid to");
    auto options = std::make_shared<ReceiveOptions>();
    app->add_flag("--new", options->hand_out, "show a new address, which is never shown again");
    app->add_option("--descriptor", options->descriptor,
                    "number of the descriptor to take the address from, as petal info shows it "
                    "(default: the wallet's first)")
        ->type_name("N")
        ->check(whole_number(0, 999));
    app->add_flag("--qr", options->qr, "show a QR code even if standard output is not a terminal");
    app->add_option_function<std::string>(
           "--amount",
           [options](const std::string& text) { options->amount = *parse_amount(text); },
           "amount to request: 0.001 in bitcoin, or 100000sat")
        ->type_name("AMOUNT")
        ->check(positive_amount());
    app->add_option("--label", options->label,
                    "purpose of the payment: stored with the address, and shown to the payer "
                    "(BIP21)")
        ->type_name("TEXT")
        ->check(label_text(/*must_have_text=*/true));
    app->footer(
        "Prints the address, then its payment link (BIP21); on a terminal, the link's QR "
        "code above them. Without --new, --amount and --label, the same address is "
        "shown until it is paid. With one of them, it is a new address that is never "
        "shown again: one for each payer. petal label changes a label.\n\n"
        "Example:\n"
        "  petal receive --amount 0.001 --label \"Lunch\"");
    return plain_entry(app, options, run_receive);
}

CommandEntry add_label(CLI::App& root) {
    CLI::App* app = add_command(root, kSyncing, "label",
                                "show or change the label of an address, transaction or coin");
    auto options = std::make_shared<LabelOptions>();
    app->add_option("TARGET", options->target,
                    "one of the wallet's addresses, transactions or coins")
        ->option_text("ADDRESS|TXID|TXID:VOUT")
        ->required();
    CLI::Option* const text =
        app->add_option_function<std::string>(
               "TEXT", [options](const std::string& given) { options->text = given; },
               "the new label; without it, the label is shown")
            ->check(label_text(/*must_have_text=*/false));
    app->add_flag("--remove", options->removes, "remove the label, as an empty TEXT does")
        ->excludes(text);
    app->footer(
        "petal receive shows no address that has a label.\n\n"
        "Examples:\n"
        "  petal label bc1q… \"Rent, May\"\n"
        "  petal label bc1q…\n"
        "  petal label bc1q… --remove");
    return plain_entry(app, options, run_label);
}

}  // namespace

std::vector<CommandEntry> add_address_commands(CLI::App& root) {
    return {add_addresses(root), add_receive(root), add_label(root)};
}

}  // namespace petal::cli
