#include "tests/support/history_owner.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "tests/support/mnemonic.h"
#include "tests/support/random_history.h"
#include "tests/support/test_chain.h"
#include "wallet/keys/extended_key.h"
#include "wallet/keys/key_path.h"
#include "wallet/keys/mnemonic.h"

namespace petal::test {

namespace {

/// The receive addresses of kMnemonic's first account, derived when they are first needed.
class ReceiveKeys {
public:
    static ReceiveKeys& shared() {
        static ReceiveKeys keys;
        return keys;
    }

    struct Key {
        chain::Bytes secret;
        chain::Bytes script;
    };

    const Key& at(std::uint32_t number) {
        while (keys_.size() <= number) {
            const auto index = static_cast<std::uint32_t>(keys_.size());
            const auto key = parent_->derive(index);
            const auto secret = key->key().view();
            const auto script =
                wallet::script_for(wallet::ScriptKind::wpkh, key->public_key().key());
            numbers_.emplace(script, index);
            keys_.push_back({{secret.begin(), secret.end()}, script});
        }
        return keys_[number];
    }

    /// The number of a derived script. Only derived scripts were paid.
    std::optional<std::uint32_t> number_of(chain::ByteView script) const {
        const auto found = numbers_.find(chain::Bytes(script.begin(), script.end()));
        return found == numbers_.end() ? std::nullopt : std::optional(found->second);
    }

    const std::vector<Key>& derived() const { return keys_; }

private:
    ReceiveKeys() {
        const auto seed = wallet::Mnemonic::parse(kMnemonic)->seed("");
        const auto master = wallet::ExtendedPrivateKey::from_seed(seed->view());
        const auto account =
            master->derive_path(wallet::account_path({}, regtest_params().coin_type));
        parent_ = *account->derive(static_cast<std::uint32_t>(wallet::KeyChain::receive));
    }

    std::optional<wallet::ExtendedPrivateKey> parent_;
    std::vector<Key> keys_;
    std::map<chain::Bytes, std::uint32_t> numbers_;
};

/// The file of a new wallet. Made only once, because PBKDF2 on the words takes time.
const std::filesystem::path& new_wallet_file() {
    static const TemporaryFolder folder;
    static const std::filesystem::path file = [] {
        wallet::NewWallet made;
        made.mnemonic = kMnemonic;
        made.look_ahead = {HistoryOwner::kGap, 7};
        const auto path = folder.path() / "new";
        static_cast<void>(wallet::Wallet::create(path, regtest_params(), made));
        return path;
    }();
    return file;
}

}  // namespace

WalletOwner::WalletOwner() {
    std::filesystem::copy_file(new_wallet_file(), file_);
    restart();
}

chain::Bytes WalletOwner::script(std::uint32_t number) const {
    return ReceiveKeys::shared().at(number).script;
}

std::optional<std::uint32_t> WalletOwner::number_of(chain::ByteView script) const {
    return ReceiveKeys::shared().number_of(script);
}

chain::Bytes WalletOwner::key(std::uint32_t number) const {
    return ReceiveKeys::shared().at(number).secret;
}

void WalletOwner::restart() {
    wallet_.reset();
    wallet_.emplace(wallet::Wallet::open(file_, regtest_params(), wallet::Access::sync));
}

void WalletOwner::grow_elsewhere() {
    for (std::uint32_t i = 0; i < kGap; ++i) wallet_->receive_address(true);
}

// Addresses are not compared, because a made-up payment uses up an address: an address that was
// shown as paid is never given out again. Times at which unconfirmed transactions were first seen
// are not compared.
std::string WalletOwner::compare_with(const HistoryOwner& restored) const {
    const wallet::Wallet& other = *dynamic_cast<const WalletOwner&>(restored).wallet_;
    std::string wrong;
    const auto expect = [&](bool is_equal, const char* what) {
        if (!is_equal) wrong += std::string("not as restored: ") + what + "; ";
    };
    const auto spendable = [](const wallet::Wallet& of) {
        std::set<chain::Outpoint> outpoints;
        const auto found = of.spendable_coins();
        for (const auto& coin : found.coins) outpoints.insert(coin.outpoint);
        return std::tuple(outpoints, found.immature, found.unconfirmed, found.frozen);
    };
    const auto coins = [](const wallet::Wallet& of) {
        auto all = of.coins();
        std::ranges::sort(all, {}, &wallet::Coin::outpoint);
        return all;
    };
    expect(wallet_->sync_state().synced == other.sync_state().synced, "synced");
    expect(wallet_->balance() == other.balance(), "balance");
    expect(coins(*wallet_) == coins(other), "coins");
    expect(spendable(*wallet_) == spendable(other), "spendable coins");
    expect(wallet_->watched_outpoints() == other.watched_outpoints(), "watched outpoints");
    const auto history = without_seen_times(wallet_->history(0));
    const auto true_history = without_seen_times(other.history(0));
    expect(history == true_history, "history");
    for (const ReceiveKeys::Key& key : ReceiveKeys::shared().derived()) {
        for (const std::uint32_t confirmations : {0U, 1U, 6U}) {
            expect(wallet_->received(key.script, confirmations) ==
                       other.received(key.script, confirmations),
                   "received");
        }
    }
    return wrong;
}

Knowledge WalletOwner::knowledge() const {
    Knowledge known;
    for (const wallet::HistoryEntry& entry : wallet_->history(0)) known[entry.txid] = entry.height;
    return known;
}

std::string WalletOwner::compare_coins(const regtest::RegtestChain& chain) const {
    std::map<chain::Outpoint, chain::TxOutput> truth;
    chain::Satoshis total = 0;
    for (const ReceiveKeys::Key& key : ReceiveKeys::shared().derived()) {
        truth.merge(chain.blocks().coins().of_script(key.script));
    }
    for (const auto& [outpoint, output] : truth) total += output.value;
    std::string wrong;
    for (const wallet::Coin& coin : wallet_->coins()) {
        if (!coin.height) continue;
        const auto found = truth.find(coin.outpoint);
        const bool is_true = found != truth.end() && found->second.value == coin.value &&
                             found->second.script_pubkey == coin.script_pubkey;
        if (!is_true) wrong += "no coin of the chain at " + std::to_string(*coin.height) + "; ";
    }
    const wallet::Balance balance = wallet_->balance();
    const auto shown = balance.confirmed + balance.immature + balance.unconfirmed_spent;
    if (shown != total) {
        wrong += "balance " + std::to_string(shown) + " for " + std::to_string(total) + "; ";
    }
    return wrong;
}

}  // namespace petal::test
