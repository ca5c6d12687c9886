#include "cli/wallet/wallet_text.h"

#include "cli/options/advice.h"
#include "cli/options/data_folder.h"
#include "cli/terminal/table.h"
#include "cli/text/amount.h"
#include "cli/text/json.h"
#include "cli/text/text.h"
#include "wallet/descriptors/address.h"

namespace petal::cli {
namespace {

using Align = Table::Align;
using Narrow = Table::Narrow;

std::string height_text(const std::optional<std::uint32_t>& height) {
    return height ? format_count(*height) : "unconfirmed";
}

std::string coin_state(const wallet::Coin& coin) {
    const std::string& label = coin.label;
    const bool is_immature = coin.coinbase && !coin.spendable;
    const std::string state = coin.watched  ? "watched only"
                              : coin.frozen ? "frozen"
                              : is_immature ? "immature"
                                            : "";
    return state + (state.empty() || label.empty() ? "" : ", ") + label;
}

/// A text of format_time() without the time zone: 2024-05-03 17:21.
std::string without_zone(std::string_view time) {
    return std::string(time.substr(0, time.rfind(' ')));
}

std::string signed_btc(chain::Satoshis amount) {
    return (amount > 0 ? "+" : "") + format_btc(amount);
}

std::string csv_text(const std::string& text) {
    std::string quoted = "\"";
    // Spreadsheets take a text with these first characters for a formula.
    if (!text.empty() && std::string_view("=+-@").find(text.front()) != std::string_view::npos) {
        quoted += '\'';
    }
    for (const char c : printable(text, std::string::npos)) {
        quoted += c == '"' ? "\"\"" : std::string(1, c);
    }
    return quoted + "\"";
}

/// The address, or `script` if the script has no address.
std::string recipient_text(const chain::TxOutput& output, const chain::NetworkParams& network) {
    const std::string address = wallet::address_of(output.script_pubkey, network);
    return address.empty() ? "script" : address;
}

/// The recipients in the notation of `petal send`.
std::string recipients_text(const client::SentPayment& payment,
                            const chain::NetworkParams& network) {
    std::string text;
    for (const chain::TxOutput& output : payment.recipients) {
        text += (text.empty() ? "" : " ") + recipient_text(output, network) + "=" +
                format_btc(output.value);
    }
    return text;
}

/// The label, or the recipients of a payment without a label.
std::string note_text(const wallet::HistoryEntry& entry, const client::SentPayments* payments,
                      const chain::NetworkParams& network) {
    if (entry.coinbase) return "mined";
    if (payments == nullptr || !entry.label.empty()) return entry.label;
    const auto payment = payments->find(entry);
    if (!payment || payment->recipients.empty()) return "";
    std::string text = "to " + recipient_text(payment->recipients.front(), network);
    const std::size_t others = payment->recipients.size() - 1;
    return others == 0 ? text : text + " and " + count_of(others, "other");
}

std::string state_of(const wallet::HistoryEntry& entry) {
    if (entry.coinbase && entry.replaced_by) return "orphaned";
    if (entry.coinbase && !entry.height) return "unsearched";
    if (entry.is_replaced_for_certain) return "replaced";
    if (entry.replaced_by) return "conflict";
    if (entry.undone) return "undone";
    return height_text(entry.height);
}

}  // namespace

std::string balance_text(const wallet::Balance& balance, const Console& console) {
    const auto line = [](std::string_view name, chain::Satoshis amount, std::string_view note) {
        const std::string text = format_btc(amount);
        const std::string padding(text.size() < 16 ? 16 - text.size() : 0, ' ');
        return field(name, padding + text + " BTC" + std::string(note));
    };
    std::string text;
    if (balance.confirmed != 0) text += line("confirmed", balance.confirmed, "");
    if (balance.pending != 0) text += line("pending", balance.pending, ", in no block yet");
    if (balance.immature != 0) text += line("immature", balance.immature, "");
    text += console.bold(line("total", balance.total(), ""));
    if (balance.frozen != 0) text += line("frozen", balance.frozen, " of the total");
    if (balance.unconfirmed_spent != 0) {
        text += line("being spent", balance.unconfirmed_spent, ", by unconfirmed payments");
    }
    return text;
}

std::string balance_notes(const wallet::Balance& balance, Explanations& explanations,
                          const GlobalOptions& global) {
    std::string text;
    if (balance.pending > 0 && explanations.take(Explanation::pending_amounts)) {
        text +=
            "Pending amounts are in no block yet. Until they are, a payment of others may be made "
            "up by a peer, or taken back by its sender.\n";
    }
    if (balance.frozen != 0 && explanations.take(Explanation::frozen_coins)) {
        text += "No payment spends frozen coins; " + advised("utxos", global) + " lists them.\n";
    }
    if (balance.unconfirmed_spent != 0 && explanations.take(Explanation::spent_coins)) {
        text +=
            "A coin that is being spent is not in the total, and its change is pending. A block "
            "usually confirms the payment soon. " +
            advised("history", global) + " shows unconfirmed payments, and " +
            advised("abandon TXID", global) + " forgets one that will not confirm.\n";
    }
    return text.empty() ? text : "\n" + text;
}

std::string abandoned_text(const std::vector<chain::Txid>& abandoned,
                           const wallet::HistoryEntry& before,
                           const std::vector<chain::Txid>& revived, const GlobalOptions& global) {
    std::string text = "Transaction " + abandoned.at(0).to_hex() + " is abandoned";
    if (abandoned.size() > 1) {
        text += ", and " + std::to_string(abandoned.size() - 1) + " that spend its outputs:\n";
        for (std::size_t i = 1; i < abandoned.size(); ++i) text += abandoned[i].to_hex() + "\n";
    } else {
        text += ".\n";
    }
    if (before.undone) {
        text += "Only a block that left the chain had it, so it did not count.\n";
    } else if (before.sent == 0) {
        text += "It paid the wallet, and counts no more.\n";
    } else if (before.replaced_by) {
        text += "Its coins stay spent, by " + before.replaced_by->to_hex() + ".\n";
    } else if (revived.empty()) {
        text += "The coins that it spends can be spent again.\n";
    }
    for (const chain::Txid& txid : revived) {
        text += "It had replaced " + txid.to_hex() + ", which counts again" +
                (before.sent > 0 ? " and spends some of the same coins" : "") + ";\n" +
                advised("abandon " + txid.to_hex(), global) + " forgets that, too.\n";
    }
    return text +
           "Nodes may still have it: if one shows it again or a block confirms it, it is back.\n";
}

std::string coins_text(const std::vector<wallet::Coin>& coins, const GlobalOptions& global,
                       const Console& console) {
    if (coins.empty()) return "no coins\n";
    Table table({{"BTC", Align::right},
                 {"height", Align::right},
                 {"address"},
                 {"outpoint"},
                 {"", Align::left, Narrow::below, short_label}});
    for (const wallet::Coin& coin : coins) {
        table.add_row({format_btc(coin.value), height_text(coin.height),
                       wallet::address_of(coin.script_pubkey, *global.network),
                       coin.outpoint.txid.to_hex() + ":" + std::to_string(coin.outpoint.index),
                       coin_state(coin)});
    }
    return fitted(table, global.full, console);
}

std::string history_text(const std::vector<wallet::HistoryEntry>& history,
                         const client::SentPayments* payments, const GlobalOptions& global,
                         const Console& console) {
    if (history.empty()) return "no transactions\n";
    Table table({{"time", Align::left, Narrow::stay, without_zone},
                 {"height", Align::right},
                 {"conf.", Align::right, Narrow::omit},
                 {"BTC", Align::right},
                 {"fee", Align::right, Narrow::omit},
                 {"txid"},
                 {"", Align::left, Narrow::below, short_label}});
    for (const wallet::HistoryEntry& entry : history) {
        const bool counts = !entry.replaced_by && !entry.undone;
        table.add_row({format_time(entry.time), state_of(entry),
                       counts ? format_count(entry.confirmations) : "", signed_btc(entry.net),
                       entry.fee ? format_btc(*entry.fee) : "", entry.txid.to_hex(),
                       note_text(entry, payments, *global.network)});
    }
    return fitted(table, global.full, console);
}

std::string history_csv(const std::vector<wallet::HistoryEntry>& history,
                        const client::SentPayments& payments, const chain::NetworkParams& network) {
    std::string text =
        "time,height,txid,net_btc,fee_btc,confirmations,replaced_by,label,recipients,"
        "fee_rate_sat_vb,undone\r\n";
    for (const wallet::HistoryEntry& entry : history) {
        const auto payment = payments.find(entry);
        text += format_iso_time(entry.time) + "," +
                (entry.height ? std::to_string(*entry.height) : "") + "," + entry.txid.to_hex() +
                "," + format_btc(entry.net) + "," + (entry.fee ? format_btc(*entry.fee) : "") +
                "," + std::to_string(entry.confirmations) + "," +
                (entry.is_replaced_for_certain ? entry.replaced_by->to_hex() : "") + "," +
                csv_text(entry.label) + "," +
                (payment ? csv_text(recipients_text(*payment, network)) : "") + "," +
                (payment && payment->fee_rate ? Json(*payment->fee_rate).dump() : "") + "," +
                (entry.undone ? "true" : "false") + "\r\n";
    }
    return text;
}

std::string addresses_text(const std::vector<wallet::AddressEntry>& addresses,
                           const GlobalOptions& global, const Console& console) {
    if (addresses.empty()) return "no such addresses\n";
    Table table({{"path"},
                 {"address"},
                 {"received BTC", Align::right},
                 {"unconfirmed", Align::right},
                 {"state"},
                 {"label", Align::left, Narrow::below, short_label}});
    for (const wallet::AddressEntry& entry : addresses) {
        table.add_row({entry.path_text, entry.address, entry.used ? format_btc(entry.received) : "",
                       entry.unconfirmed > 0 ? format_btc(entry.unconfirmed) : "",
                       entry.used ? "used" : (entry.handed_out ? "handed out" : ""), entry.label});
    }
    return fitted(table, global.full, console);
}

std::string birthday_text(const chain::Birthday& birthday) {
    if (birthday.height > 0) return "block " + format_count(birthday.height);
    // In UTC, because the local date may differ.
    return birthday.time > 0 ? format_iso_time(birthday.time).substr(0, 10) : "the first block";
}

void warn_of_clear_seed(const wallet::WalletInfo& info, const GlobalOptions& global,
                        Console& console) {
    if (info.encrypted || info.watch_only) return;
    console.warn(std::string(info.has_words ? "the seed is" : "the private keys are") +
                 " not encrypted: anyone who can read " + wallet_file(global).string() +
                 " can spend the coins; " + advised("encrypt", global) + " sets a password");
}

}  // namespace petal::cli
