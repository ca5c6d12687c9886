#include "client/sync/single_sync.h"

#include <utility>

namespace petal::client {

SingleSync::SingleSync(WalletSyncOptions options, DataFolder data, std::string wallet,
                       PeerSource::OnTrouble on_trouble, WalletSync::Until until)
    : SingleSync(std::move(options), data, wallet, data.open_wallet(wallet, wallet::Access::sync),
                 std::move(on_trouble), std::move(until)) {}

SingleSync::SingleSync(WalletSyncOptions options, DataFolder data, std::string name,
                       wallet::Wallet wallet, PeerSource::OnTrouble on_trouble,
                       WalletSync::Until until)
    : options_(std::move(options)),
      source_(options_, data, start_of(options_, wallet.birthday(), data.network()),
              std::move(on_trouble)),
      sync_(options_, std::move(name), std::move(wallet), source_, std::nullopt, std::move(until)) {
}

SyncReport SingleSync::run() {
    auto options = sync_.client_options([this] { stop(); });
    {
        const std::lock_guard lock(stopping_);
        client_ = std::make_unique<net::SpvClient>(sync_.engine(), source_.data.network(),
                                                   std::move(options));
        if (is_stopped_) client_->stop();
    }
    auto result = client_->run();
    return sync_.finish(std::move(result));
}

void SingleSync::stop() {
    const std::lock_guard lock(stopping_);
    is_stopped_ = true;
    if (client_) client_->stop();
}

}  // namespace petal::client
