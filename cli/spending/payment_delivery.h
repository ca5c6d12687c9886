/// The steps after a payment is built: the payment is shown, confirmed, signed, stored and
/// announced.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cli/options/command_entry.h"
#include "cli/options/options.h"
#include "cli/payment/fee_rate_choice.h"
#include "cli/payment/payment_builder.h"
#include "cli/terminal/console.h"
#include "cli/text/json.h"
#include "client/spending/announcement.h"
#include "client/sync/peer_source.h"
#include "wallet/spending/payment.h"
#include "wallet/wallet.h"

namespace CLI {
class App;
}  // namespace CLI

namespace petal::cli {

struct DeliveryOptions {
    std::optional<std::filesystem::path> password_file;
    bool dry_run = false;
    bool no_broadcast = false;
    bool yes = false;
    bool explain = false;  ///< see Explanations
    client::ConnectionOptions connection;
};

/// Adds --password-file, --dry-run, --no-broadcast, --yes, --explain, and the options that the
/// returned function reads (add_connection_options).
std::function<client::ConnectionOptions(const GlobalOptions&)> add_delivery_options(
    CLI::App* app, DeliveryOptions& options);

/// A command that delivers a payment. Adds the options of add_delivery_options() to the command's
/// own.
template <typename Options>
CommandEntry delivery_entry(CLI::App* app, std::shared_ptr<Options> options,
                            CommandFunction<Options> function) {
    auto read_connection = add_delivery_options(app, options->delivery);
    return {app, [options, read_connection, function](const GlobalOptions& global) {
                options->delivery.connection = read_connection(global);
                return make_action(std::move(*options), function);
            }};
}

/// A payment before it is signed.
struct PreparedPayment {
    wallet::Payment payment;
    bool minimum_work = false;  ///< warn_unless_proven()
    /// The output that pays a new address of the wallet, if any.
    std::optional<std::size_t> new_address_output;
    client::ChosenRate rate{wallet::FeeRate{0}, client::RateSource::asked};
    wallet::FeeTerms fee_terms = {};
    client::KeepPayment keep;
    std::string text;     ///< further lines for people
    Json json = nullptr;  ///< further members. Null for none
};

/// Shows and signs the payment, then client::deliver_payment(), as the options ask. Throws
/// CommandError, also for a fee that check_fee() refuses, even if the user confirms.
void deliver_payment(wallet::Wallet wallet, PreparedPayment prepared,
                     const DeliveryOptions& options, const GlobalOptions& global, Console& console);

}  // namespace petal::cli
