#include "client/spending/announcement.h"

#include <algorithm>
#include <set>
#include <utility>

#include "client/data/filter_hosts.h"
#include "net/io/clocks.h"
#include "net/io/dial/system_random.h"

namespace petal::client {
namespace {

net::BroadcastOptions broadcast_options(const ConnectionOptions& connection) {
    net::BroadcastOptions options;
    if (connection.timeout) options.timeout = *connection.timeout;
    options.random_seed = net::random_seed();
    return options;
}

/// The hosts that have got the filter of any wallet.
std::vector<FilterHosts> known_filter_hosts(const DataFolder& data, const std::string& wallet,
                                            const AnnouncementEvents& events) {
    auto known = all_filter_hosts(data.wallet_file(wallet));
    const bool is_unread = std::ranges::any_of(known, &FilterHosts::is_unread);
    if (is_unread && events.on_unread_filter_hosts) events.on_unread_filter_hosts();
    return known;
}

}  // namespace

std::vector<chain::OwnTransaction> unconfirmed_ancestors(const wallet::Wallet& wallet,
                                                         const chain::Transaction& transaction) {
    std::set<chain::Txid> spent;
    const auto add_inputs = [&spent](const chain::Transaction& spender) {
        for (const chain::TxInput& input : spender.inputs) spent.insert(input.prevout.txid);
    };
    add_inputs(transaction);
    std::vector<chain::OwnTransaction> ancestors;
    auto own = wallet.own_unconfirmed();  // ancestors first
    for (auto each = own.rbegin(); each != own.rend(); ++each) {
        if (!spent.contains(each->transaction.txid())) continue;
        add_inputs(each->transaction);
        ancestors.push_back(std::move(*each));
    }
    std::ranges::reverse(ancestors);
    return ancestors;
}

net::BroadcastResult announce(chain::OwnTransaction own,
                              std::vector<chain::OwnTransaction> ancestors,
                              const ConnectionOptions& connection, const DataFolder& data,
                              const std::string& wallet, const AnnouncementEvents& events) {
    PeerSource peers(connection, data, /*services=*/0, events.on_trouble);
    net::BroadcastRoute route;
    peers.apply(route);
    route.stop_on_signals = connection.stop_on_signals;
    route.on_progress = events.on_progress;
    const auto filter_hosts = known_filter_hosts(data, wallet, events);
    net::BroadcastOptions options = broadcast_options(connection);
    options.ancestors = std::move(ancestors);
    options.has_filter = [&filter_hosts](const std::string& node) {
        return std::ranges::any_of(filter_hosts, [&node](const FilterHosts& of_wallet) {
            return of_wallet.contains(node);
        });
    };
    auto result =
        net::broadcast(std::move(own), data.network(), std::move(route), std::move(options));
    peers.save();
    return result;
}

std::optional<net::BroadcastResult> deliver_payment(wallet::Wallet wallet,
                                                    const wallet::Payment& payment,
                                                    const KeepPayment& keep,
                                                    const ConnectionOptions& connection,
                                                    const DataFolder& data, const std::string& name,
                                                    const AnnouncementEvents& events) {
    std::optional<wallet::Wallet> open(std::move(wallet));
    const bool is_kept =
        keep ? keep(*open, payment) : open->keep_payment(payment, net::unix_time_now());
    if (!is_kept) return std::nullopt;
    auto ancestors = unconfirmed_ancestors(*open, payment.transaction);
    open.reset();
    auto result = announce({payment.transaction, payment.fee}, std::move(ancestors), connection,
                           data, name, events);
    if (!net::has_spread(result.report.outcome)) return result;
    try {
        data.open_wallet(name, wallet::Access::change).mark_shown(payment.transaction.txid());
    } catch (const wallet::WalletError& error) {
        if (events.on_unnoted) events.on_unnoted(error);
    }
    return result;
}

}  // namespace petal::client
