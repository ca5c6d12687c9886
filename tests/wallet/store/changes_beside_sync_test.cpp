// Small changes by other processes while one process syncs the wallet.
#include <gtest/gtest.h>

#include <unistd.h>

#include <fstream>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/wallet/wallet_fixture.h"
#include "wallet/descriptors/address.h"
#include "wallet/wallet.h"

namespace petal::wallet {
namespace {

using Kind = WalletError::Kind;
using test::all_of;
using test::error_of;
using test::regtest_params;

constexpr std::uint32_t kWatchedFirst = 10;
constexpr std::uint32_t kGap = 5;

/// `wallet` belongs to the process that syncs.
class ChangesBesideSync : public test::WalletFixture {
protected:
    ChangesBesideSync() : WalletFixture(test::new_wallet(kWatchedFirst, kGap)) {}

    Wallet open_beside() const { return Wallet::open(file, regtest_params(), Access::change); }

    /// Everything that the file holds.
    test::WholeWallet stored() const {
        return all_of(Wallet::open(file, regtest_params(), Access::read));
    }

    /// Another process hands out receive addresses until the watch list is longer than that of the
    /// syncing process.
    void grow_beside() {
        Wallet other = open_beside();
        const std::size_t before = other.watched_elements(0).size();
        while (other.watched_elements(0).size() == before) other.receive_address(true);
    }
};

TEST_F(ChangesBesideSync, AreAllowedButMovesOfTheFileAreNot) {
    {
        const Wallet other = open_beside();
        const Wallet third = open_beside();
        EXPECT_EQ(error_of([&] { return Wallet::open(file, regtest_params(), Access::sync); }),
                  Kind::locked_by_other);
        const auto move = [&] {
            Wallet::rename(file, folder.path() / "other");
            return 0;
        };
        EXPECT_EQ(error_of(move), Kind::locked_by_other);
        wallet.reset();
        EXPECT_EQ(error_of(move), Kind::locked_by_other);
        EXPECT_EQ(error_of([&] {
                      Wallet::remove(file);
                      return 0;
                  }),
                  Kind::locked_by_other);
        wallet.emplace(Wallet::open(file, regtest_params(), Access::sync));
        EXPECT_EQ(error_of([&] {
                      wallet->encrypt("", "correct horse", test::kCheapScrypt);
                      return 0;
                  }),
                  Kind::locked_by_other);
    }
    wallet->encrypt("", "correct horse", test::kCheapScrypt);
    EXPECT_EQ(error_of([&] { return open_beside(); }), std::nullopt) << "the lock is shared again";
    wallet.reset();
    Wallet::rename(file, folder.path() / "other");
}

TEST_F(ChangesBesideSync, HandOutNoAddressTwice) {
    Wallet other = open_beside();
    std::set<std::string> handed_out;
    for (Wallet* one : {&*wallet, &other, &other, &*wallet, &*wallet, &other}) {
        EXPECT_TRUE(handed_out.insert(one->receive_address(true).address).second);
    }
    const std::string shown = other.current_address(true).address;
    EXPECT_TRUE(handed_out.insert(shown).second);
    EXPECT_EQ(wallet->current_address(true).address, shown);
    const Wallet reader = Wallet::open(file, regtest_params(), Access::read);
    EXPECT_EQ(reader.addresses(KeyChain::receive, 0).size(), handed_out.size());
    EXPECT_EQ(wallet->addresses(KeyChain::receive, 0).size(), handed_out.size());
}

TEST_F(ChangesBesideSync, HandOutNoAddressTwiceInManyProcesses) {
    wallet.reset();
    constexpr int kProcesses = 4;
    constexpr std::size_t kAddressesEach = 25;
    std::vector<std::unique_ptr<test::ChildProcess>> processes;
    for (int process = 0; process < kProcesses; ++process) {
        processes.push_back(std::make_unique<test::ChildProcess>([&](const auto& begun) {
            const auto list = folder.path() / std::to_string(process);
            // One of the processes syncs.
            const auto access = process == 0 ? Access::sync : Access::change;
            Wallet its_own = Wallet::open(file, regtest_params(), access);
            begun();
            for (std::size_t i = 0; i < kAddressesEach; ++i) {
                std::ofstream(list, std::ios::app) << its_own.receive_address(true).address << '\n';
                ::usleep(1'000);  // SQLite's locks are not fair
            }
        }));
    }
    std::vector<std::string> handed_out;
    while (handed_out.size() < kProcesses * kAddressesEach) {
        handed_out.clear();
        for (int process = 0; process < kProcesses; ++process) {
            std::ifstream list(folder.path() / std::to_string(process));
            for (std::string address; list >> address;) handed_out.push_back(address);
        }
        ::usleep(10'000);
    }
    EXPECT_EQ(std::set(handed_out.begin(), handed_out.end()).size(), handed_out.size());
}

TEST_F(ChangesBesideSync, AreNoticedOnce) {
    EXPECT_FALSE(wallet->refresh());
    open_beside().set_label(script(1), "rent");
    EXPECT_FALSE(wallet->refresh());
    EXPECT_EQ(wallet->address(script(1))->label, "rent");
    EXPECT_EQ(wallet->receive_address(false).path.index, 0U);
    EXPECT_EQ(wallet->current_address(true).path.index, 0U);
    EXPECT_EQ(wallet->receive_address(false).path.index, 2U)
        << "the address with a label is not handed out";
    EXPECT_EQ(wallet->watched_elements(0).size(), 2 * kWatchedFirst);

    grow_beside();
    EXPECT_EQ(wallet->watched_elements(0).size(), 2 * kWatchedFirst);
    EXPECT_TRUE(wallet->refresh());
    EXPECT_EQ(wallet->watched_elements(0).size(), 3 * kWatchedFirst);
    EXPECT_FALSE(wallet->refresh());
    test::expect_equal(all_of(*wallet), stored());
}

// The block was searched without the new addresses. It pays one of them, so it must be searched
// again.
TEST_F(ChangesBesideSync, HaveTheNextBlockSearchedAgain) {
    mine();
    const auto before = wallet->sync_state().synced;
    grow_beside();
    const auto& block = chain.mine({pay(20, kWatchedFirst + 1)});
    chain::ApplyResult result = apply(block);
    EXPECT_TRUE(result.grew);
    EXPECT_EQ(result.applied, 1U);
    EXPECT_EQ(wallet->sync_state().synced, before);
    result = apply(block);
    EXPECT_FALSE(result.grew);
    EXPECT_EQ(wallet->sync_state().synced, block.block);
    EXPECT_EQ(wallet->balance().confirmed, 20);
    EXPECT_FALSE(wallet->refresh()) << "apply() has reported the growth";
}

// An address that is newly watched was paid in a block that has been searched already.
TEST_F(ChangesBesideSync, KnowTheHeightToRescanFrom) {
    mine({pay(1, 0, 5)});
    mine({test::spend({test::foreign_coin(0)}, {{1, script(0)}, {10, script(kWatchedFirst + 1)}})});
    mine();
    grow_beside();
    wallet->apply({}, {chain.tip(), {}});
    EXPECT_EQ(stored().synced, chain.at(1).block);
    EXPECT_TRUE(wallet->refresh());
    EXPECT_EQ(wallet->take_unsearched_from(), 2U);
}

// This happens while blocks are searched by several peers.
TEST_F(ChangesBesideSync, KnowTheHeightToRescanFromAboveTheSyncedBlock) {
    chain.mine({pay(1, 0, 5)});
    chain.mine(
        {test::spend({test::foreign_coin(0)}, {{1, script(0)}, {10, script(kWatchedFirst + 1)}})});
    chain.mine();
    wallet->apply(chain.blocks(), {chain.at(1).block, {}});
    grow_beside();
    EXPECT_TRUE(wallet->refresh());
    EXPECT_EQ(wallet->take_unsearched_from(), 2U);
}

TEST_F(ChangesBesideSync, AreReportedWithUnconfirmedTransactions) {
    grow_beside();
    EXPECT_TRUE(test::see(*wallet, pay(20, kWatchedFirst + 1), 1'700'000'000));
    EXPECT_EQ(wallet->balance().pending, 20);
    EXPECT_FALSE(wallet->refresh());
}

TEST_F(ChangesBesideSync, AreReportedAfterAReorganisationToo) {
    mine();
    const auto fork = chain.tip();
    mine({pay(20)});
    grow_beside();
    wallet->undo_to(fork);
    EXPECT_EQ(wallet->watched_elements(0).size(), 3 * kWatchedFirst);
    EXPECT_TRUE(wallet->refresh()) << "undo_to() does not report the growth";
}

TEST_F(ChangesBesideSync, OfOwnTransactionsAreNoticed) {
    const chain::Transaction funding = pay(100);
    mine({funding});
    const auto spend = test::sign(
        test::spend({test::output_of(funding)}, {{90, test::foreign_script()}}), {&funding, 1});
    EXPECT_TRUE(open_beside().keep_own(spend, 1'700'000'000));
    EXPECT_TRUE(wallet->own_unconfirmed().empty());
    EXPECT_FALSE(wallet->refresh());
    ASSERT_EQ(wallet->own_unconfirmed().size(), 1U);
    EXPECT_EQ(wallet->balance().total(), 0);

    EXPECT_TRUE(open_beside().abandon(spend.txid()));
    EXPECT_FALSE(wallet->refresh());
    EXPECT_EQ(wallet->balance().total(), 100);
    EXPECT_FALSE(wallet->transaction(spend.txid()));
    mine({spend});
    EXPECT_EQ(wallet->balance().total(), 0);
}

/// Whatever the order of changes by several processes, the memory of the syncing wallet equals its
/// file.
TEST_F(ChangesBesideSync, LoseNothingInAnyOrder) {
    std::mt19937_64 random(11);
    Wallet other = open_beside();
    std::optional<chain::ProvenBlock> again;
    chain::Satoshis paid = 0;
    for (std::uint32_t step = 0; step < 300; ++step) {
        switch (random() % 6) {
            case 0:
                other.receive_address(true);
                break;
            case 1:
                open_beside().set_label(
                    script(static_cast<std::uint32_t>(random() % kWatchedFirst)),
                    std::to_string(step));
                break;
            case 2:
                wallet->current_address(true);
                break;
            case 3: {
                // An address that any of the processes watches.
                const auto index = random() % Wallet::open(file, regtest_params(), Access::read)
                                                  .addresses(KeyChain::receive, kGap)
                                                  .size();
                mine({pay(1'000, static_cast<std::uint32_t>(index), step)});
                paid += 1'000;
                break;
            }
            case 4:
                mine();
                break;
            default:
                wallet->refresh();
        }
        if (step % 50 == 49) {
            wallet->refresh();
            test::expect_equal(all_of(*wallet), stored());
        }
    }
    EXPECT_EQ(wallet->balance().confirmed, paid);
    const std::uint32_t last = other.receive_address(true).path.index;
    EXPECT_EQ(wallet->receive_address(true).path.index, last + 1);
}

// An address that was handed out stays handed out, even if the process is killed.
TEST_F(ChangesBesideSync, SurviveKills) {
    wallet.reset();
    const auto list_file = folder.path() / "handed-out";
    for (int round = 0; round < 20; ++round) {
        const test::ChildProcess child([&](const auto& begun) {
            Wallet its_own = Wallet::open(file, regtest_params(), Access::change);
            for (bool is_first = true;; is_first = false) {
                const AddressEntry entry = its_own.receive_address(true);
                std::ofstream(list_file, std::ios::app) << entry.address << std::endl;
                if (is_first) begun();
                ::usleep(5'000);  // SQLite's locks are not fair
            }
        });
        wallet.emplace(Wallet::open(file, regtest_params(), Access::sync));
        for (int block = 0; block < 1 + round % 5; ++block) mine({pay(10, 0, chain.next_height())});
        wallet.reset();
    }
    wallet.emplace(Wallet::open(file, regtest_params(), Access::sync));
    EXPECT_EQ(wallet->balance().confirmed, 10 * (chain.next_height() - 1));
    const std::size_t issued = wallet->addresses(KeyChain::receive, 0).size();
    std::set<std::string> handed_out;
    std::size_t lines = 0;
    std::ifstream list(list_file);
    for (std::string address; list >> address; ++lines) {
        const auto known = wallet->address(parse_address(address, regtest_params()).value());
        ASSERT_TRUE(known) << address;
        EXPECT_LT(known->path.index, issued);
        handed_out.insert(address);
    }
    EXPECT_EQ(handed_out.size(), lines);
    EXPECT_GE(lines, 20U) << "at least one address a round";
}

}  // namespace
}  // namespace petal::wallet
