/// Wallet files with changed bytes or rows, of a wallet with words and of a watch-only one: they
/// are refused, or the wallet answers every question, and its seed and addresses are still its own.
/// So are its coins, if bytes were changed and it has not taken a further block.
#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "chain/byte_reader.h"
#include "tests/fuzz/changed_file.h"
#include "tests/fuzz/changed_rows.h"
#include "tests/support/mnemonic.h"
#include "tests/support/temporary_folder.h"
#include "wallet/descriptors/address.h"
#include "wallet/descriptors/new_descriptors.h"
#include "wallet/label_exchange.h"
#include "wallet/wallet.h"

namespace {

using namespace petal;

const chain::NetworkParams& network() {
    return *chain::find_network("regtest");
}

chain::Transaction pay(const chain::Bytes& script, std::uint32_t from) {
    chain::Transaction transaction;
    transaction.inputs.resize(1);
    transaction.inputs[0].prevout.index = from;
    transaction.outputs = {{1'000, script}};
    return transaction;
}

wallet::Wallet create_with_words(const std::filesystem::path& file, wallet::LookAhead look_ahead) {
    wallet::NewWallet made;
    made.mnemonic = test::kMnemonic;
    made.look_ahead = look_ahead;
    return wallet::Wallet::create(file, network(), made);
}

/// The account of the same words.
wallet::Wallet create_watch_only(const std::filesystem::path& file, wallet::LookAhead look_ahead) {
    const std::string descriptor =
        "wpkh([73c5da0a/84h/1h/0h]tpubDC8msFGeGuwnKG9Upg7DM2b4DaRqg3CUZa5g8v2SRQ6K4NSkxUgd7HsL2XVWb"
        "Vm39yBA4LAxysQAm397zwQSQoQgewGiYZqrA9DsP4zbQ1M/<0;1>/*)";
    wallet::NewWatchOnlyWallet made;
    made.descriptors =
        wallet::parse_new_descriptors({&descriptor, 1}, network()).value().descriptors;
    made.look_ahead = look_ahead;
    return wallet::Wallet::watch(file, network(), made);
}

void send_payment(wallet::Wallet& wallet) {
    const auto coins = wallet.spendable_coins().coins;
    wallet::Payment payment;
    payment.transaction.inputs.resize(1);
    payment.transaction.inputs[0].prevout = coins.at(0).outpoint;
    payment.transaction.outputs = {{900, wallet.change_for({}).script_pubkey}};
    payment.change_index = 0;
    wallet.sign(payment.transaction, {coins.data(), 1}, wallet.secret(""), {});
    [[maybe_unused]] const bool kept = wallet.keep_payment(payment, 1);
    assert(kept);
}

/// Fills each table that such a wallet uses. A wallet with words derives its descriptors and its
/// filter padding from the seed, and a watch-only wallet sends nothing.
void fill_tables(wallet::Wallet& wallet) {
    const auto script = *wallet::parse_address(wallet.receive_address(true).address, network());
    chain::ProvenBlock block;
    block.block.height = 1;
    const auto payment = pay(script, 1);
    block.transaction_count = 2;
    block.transactions.push_back({1, payment.txid(), payment, {chain::Hash256{}}});
    wallet.apply({&block, 1}, {block.block, chain::Bytes(20)});
    const auto unconfirmed = pay(script, 2);
    const chain::UnconfirmedTransaction seen{unconfirmed.txid(), unconfirmed, 1};
    wallet.apply_unconfirmed({&seen, 1}, wallet.sync_state());
    const wallet::LabelRecord record{"output",    payment.txid().to_hex() + ":0", "x", "o", false,
                                     R"({"a":1})"};
    wallet::LabelExchange(wallet).import({&record, 1});
    wallet.set_label(payment.txid(), "y");
}

void take_a_block(wallet::Wallet& wallet) {
    const auto script = *wallet::parse_address(wallet.receive_address(false).address, network());
    const auto payment = pay(script, 3);
    chain::ProvenBlock block;
    block.block.height = 2;
    block.transaction_count = 2;
    block.transactions.push_back({1, payment.txid(), payment, {chain::Hash256{}}});
    wallet.apply({&block, 1}, {block.block, chain::Bytes(20)});
}

using Create = wallet::Wallet (*)(const std::filesystem::path&, wallet::LookAhead);

/// What no change of the file may alter: it would cost money.
struct Own {
    static constexpr std::uint32_t kAddresses = 20;  // of each chain

    chain::Bytes seed;  ///< empty for a watch-only wallet
    std::map<std::pair<wallet::KeyChain, std::uint32_t>, std::string> addresses;  // by index

    Own(const std::filesystem::path& file, Create create) {
        const auto wallet = create(file, {kAddresses, kAddresses});
        if (!wallet.info().watch_only) {
            const auto secret = wallet.secret("");
            seed.assign(secret.begin(), secret.end());
        }
        for (const auto chain : wallet::kKeyChains) {
            for (const auto& entry : wallet.addresses(chain, kAddresses)) {
                addresses[{chain, entry.path.index}] = entry.address;
            }
        }
        assert(addresses.size() == 2 * kAddresses);
    }

    // Nothing proves which chain a given descriptor is; its addresses are own ones on either.
    void expect(const wallet::AddressEntry& shown, wallet::KeyChain chain) const {
        const auto own = addresses.find({chain, shown.path.index});
        if (own == addresses.end() || own->second == shown.address) return;
        const auto other = chain == wallet::KeyChain::receive ? wallet::KeyChain::change
                                                              : wallet::KeyChain::receive;
        assert(seed.empty() && addresses.at({other, shown.path.index}) == shown.address);
    }
};

void expect_own(wallet::Wallet& wallet, const Own& own) {
    if (!own.seed.empty()) assert(std::ranges::equal(wallet.secret(""), own.seed));
    for (const auto chain : wallet::kKeyChains) {
        for (const auto& entry : wallet.addresses(chain, 1)) own.expect(entry, chain);
    }
    own.expect(wallet.receive_address(false), wallet::KeyChain::receive);
    const auto change = wallet.address(wallet.change_for({}).script_pubkey);
    assert(change);
    own.expect(*change, wallet::KeyChain::change);
}

void ask_everything(wallet::Wallet& wallet) {
    const auto balance = wallet.balance();
    chain::Satoshis sum = 0;
    for (const auto& coin : wallet.coins()) sum = wallet::add_amounts(sum, coin.value);
    assert(sum == balance.total());
    for (const auto& entry : wallet.history(0)) {
        assert(wallet.transaction(entry.txid) == entry);
        const auto known = wallet.known_transaction(entry.txid);
        if (!known->proof || !known->position) continue;
        // Changing a few bytes cannot give a branch to another root.
        assert(!chain::check_merkle_branch({*known->position, entry.txid},
                                           known->proof->transaction_count, known->proof->branch,
                                           chain::Hash256{}));
    }
    for (const auto chain : wallet::kKeyChains) {
        assert(wallet.addresses(chain, 1).size() <= wallet.watched_elements(0).size());
    }
    static_cast<void>(wallet.sync_state());
    static_cast<void>(wallet.info());
    for (const auto& record : wallet::LabelExchange(wallet).export_all()) {
        assert(record.other_members.size() <= wallet::kMaxLabelMembersBytes);
    }
}

/// Outpoints with values.
std::map<chain::Outpoint, chain::Satoshis> coins_of(const wallet::Wallet& wallet) {
    std::map<chain::Outpoint, chain::Satoshis> coins;
    for (const auto& coin : wallet.coins()) coins.emplace(coin.outpoint, coin.value);
    return coins;
}

/// The file of one of the wallets, and what must stay.
struct BaseFile {
    std::filesystem::path file;
    fuzz::ChangedFile original;
    fuzz::ChangedRows rows;
    Own own;
    std::map<chain::Outpoint, chain::Satoshis> coins;

    BaseFile(const std::filesystem::path& folder, const std::string& name, Create create)
        : file(folder / name),
          original(file,
                   [create](const std::filesystem::path& made) {
                       auto wallet = create(made, {2, 4});
                       fill_tables(wallet);
                       if (!wallet.info().watch_only) send_payment(wallet);
                   }),
          rows(file),
          own(folder / (name + "-own"), create),
          coins(coins_of(wallet::Wallet::open(file, network(), wallet::Access::read))) {
        assert(!coins.empty());
    }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const test::TemporaryFolder folder;
    static const BaseFile with_words(folder.path(), "words", create_with_words);
    static const BaseFile watch_only(folder.path(), "watch-only", create_watch_only);
    // ChangedFile reads five bytes at a time. The number of those left over chooses.
    const std::size_t left_over = size % 5;
    const bool changes_rows = left_over == 4;
    const bool writes = left_over == 1 || left_over == 3 || (changes_rows && data[0] % 2 == 1);
    const bool is_watch_only =
        left_over == 2 || left_over == 3 || (changes_rows && data[1] % 2 == 1);
    const BaseFile& base = is_watch_only ? watch_only : with_words;
    const chain::ByteReader input{{data, size}};
    const bool is_changed = base.original.write(changes_rows ? chain::ByteReader{{}} : input);
    if (changes_rows) base.rows.change(base.file, chain::ByteReader{{data + 2, size - 2}});
    try {
        const auto access = writes ? wallet::Access::sync : wallet::Access::read;
        auto wallet = wallet::Wallet::open(base.file, network(), access);
        if (writes) {
            take_a_block(wallet);
        } else if (!changes_rows) {
            assert(coins_of(wallet) == base.coins);
        }
        ask_everything(wallet);
        expect_own(wallet, base.own);
    } catch (const wallet::WalletError&) {
        assert(is_changed || changes_rows);  // only a changed file is refused
    }
    return 0;
}
