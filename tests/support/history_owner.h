/// The owners of the scripts that a history pays (history.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "chain/bytes.h"
#include "chain/watcher.h"
#include "regtest/chain/regtest_chain.h"
#include "tests/support/list_watcher.h"
#include "tests/support/temporary_folder.h"
#include "wallet/wallet.h"

namespace petal::test {

/// A watcher with a gap limit of kGap, whose scripts have numbers, and what may happen to it
/// between two syncs.
class HistoryOwner {
public:
    static constexpr std::uint32_t kGap = 5;

    virtual ~HistoryOwner() = default;

    virtual chain::Watcher& watcher() = 0;
    virtual chain::Bytes script(std::uint32_t number) const = 0;
    /// The number of an own script; empty for any other.
    virtual std::optional<std::uint32_t> number_of(chain::ByteView script) const = 0;
    /// The private key of a script; empty if it has none.
    virtual chain::Bytes key(std::uint32_t number) const = 0;

    /// The next process begins.
    virtual void restart() {}
    /// The disk is full when the next blocks are stored. Returns whether the owner can play that.
    virtual bool fail_next_apply(bool fails) = 0;
    /// All blocks are to be searched again.
    virtual void rescan() = 0;
    /// Another process hands out addresses.
    virtual void grow_elsewhere() = 0;

    /// Whether it withstands blocks that a hostile miner has made up.
    virtual bool endures_made_up_blocks() const { return false; }
    /// A new owner of the same keys; null if the owner cannot be restored.
    virtual std::unique_ptr<HistoryOwner> restored() const { return nullptr; }
    /// Compares everything that is shown with that of the restored owner, after the same chain and
    /// mempool. Returns the differences; empty if there are none.
    virtual std::string compare_with(const HistoryOwner& /*restored*/) const { return {}; }

    virtual Knowledge knowledge() const = 0;
    /// Compares more than the heights of transactions. Returns the errors; empty if there are none.
    virtual std::string compare_coins(const regtest::RegtestChain& chain) const = 0;
};

/// A list of scripts.
class ListOwner final : public HistoryOwner {
public:
    explicit ListOwner(std::uint32_t birthday = 0) { list_.set_birthday({birthday, 0}); }

    chain::Watcher& watcher() override { return list_; }
    chain::Bytes script(std::uint32_t number) const override { return ListWatcher::script(number); }
    std::optional<std::uint32_t> number_of(chain::ByteView script) const override {
        return ListWatcher::number_of_any(script);
    }
    chain::Bytes key(std::uint32_t number) const override {
        return number < ListWatcher::kKeys ? ListWatcher::key(number) : chain::Bytes{};
    }
    bool fail_next_apply(bool fails) override {
        list_.fail_next_apply(fails);
        return true;
    }
    void rescan() override { list_.rescan(); }
    void grow_elsewhere() override { list_.grow_elsewhere(); }
    Knowledge knowledge() const override { return list_.knowledge(); }
    std::string compare_coins(const regtest::RegtestChain& /*chain*/) const override { return {}; }

private:
    ListWatcher list_{kGap, 7};
};

/// A wallet in a file, with words. Each process opens it again.
class WalletOwner final : public HistoryOwner {
public:
    WalletOwner();

    chain::Watcher& watcher() override { return *wallet_; }
    chain::Bytes script(std::uint32_t number) const override;
    std::optional<std::uint32_t> number_of(chain::ByteView script) const override;
    chain::Bytes key(std::uint32_t number) const override;
    void restart() override;
    bool fail_next_apply(bool /*fails*/) override { return false; }
    void rescan() override { wallet_->rescan({}); }
    void grow_elsewhere() override;
    bool endures_made_up_blocks() const override { return true; }
    std::unique_ptr<HistoryOwner> restored() const override {
        return std::make_unique<WalletOwner>();
    }
    std::string compare_with(const HistoryOwner& restored) const override;
    Knowledge knowledge() const override;
    /// Compares the unspent outputs and the balance with the chain's.
    std::string compare_coins(const regtest::RegtestChain& chain) const override;

private:
    TemporaryFolder folder_;
    std::filesystem::path file_ = folder_.path() / "wallet";
    std::optional<wallet::Wallet> wallet_;
};

}  // namespace petal::test
