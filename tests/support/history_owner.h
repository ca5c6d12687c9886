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

/// A watcher with numbered scripts and a gap limit of kGap, and the events that may happen to the
/// watcher between two syncs.
class HistoryOwner {
public:
    static constexpr std::uint32_t kGap = 5;

    virtual ~HistoryOwner() = default;

    virtual chain::Watcher& watcher() = 0;
    virtual chain::Bytes script(std::uint32_t number) const = 0;
    /// The number of an own script. Empty for a foreign script.
    virtual std::optional<std::uint32_t> number_of(chain::ByteView script) const = 0;
    /// The private key of a script. Empty if the script has no key.
    virtual chain::Bytes key(std::uint32_t number) const = 0;

    /// Begins the next process.
    virtual void restart() {}
    /// Lets the disk be full when the next blocks are stored. Returns whether the owner can
    /// simulate a full disk.
    virtual bool fail_next_apply(bool fails) = 0;
    /// Counts all blocks as not searched.
    virtual void rescan() = 0;
    /// As if another process had given out addresses.
    virtual void grow_elsewhere() = 0;

    /// Whether the owner withstands blocks that a hostile miner has made up.
    virtual bool endures_made_up_blocks() const { return false; }
    /// A new owner of the same keys. Null if the owner cannot be restored.
    virtual std::unique_ptr<HistoryOwner> restored() const { return nullptr; }
    /// Compares everything that this owner and the restored owner show, after the same chain and
    /// mempool. Returns the differences. Empty if there are none.
    virtual std::string compare_with(const HistoryOwner& /*restored*/) const { return {}; }

    virtual Knowledge knowledge() const = 0;
    /// Compares more than the heights of transactions. Returns the errors. Empty if there are none.
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

/// A wallet in a file, with words. Each process opens the file again.
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
    /// Compares the unspent outputs and the balance with the chain.
    std::string compare_coins(const regtest::RegtestChain& chain) const override;

private:
    TemporaryFolder folder_;
    std::filesystem::path file_ = folder_.path() / "wallet";
    std::optional<wallet::Wallet> wallet_;
};

}  // namespace petal::test
