/// Wallet files with changed bytes: they are refused, or the wallet answers every question, and its
/// seed and addresses are still its own; one in five also after it has taken a further block.
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
#include "tests/support/mnemonic.h"
#include "tests/support/temporary_folder.h"
#include "wallet/descriptors/address.h"
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

/// A wallet with records in each table.
void make_wallet(const std::filesystem::path& file) {
    wallet::NewWallet made;
    made.mnemonic = test::kMnemonic;
    made.look_ahead = {2, 4};
    auto wallet = wallet::Wallet::create(file, network(), made);
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

/// What no change of the file may alter: it would cost money.
struct Own {
    static constexpr std::uint32_t kAddresses = 20;  // of each chain

    chain::Bytes seed;
    std::map<std::pair<wallet::KeyChain, std::uint32_t>, std::string> addresses;  // by index

    void expect(const wallet::AddressEntry& shown, wallet::KeyChain chain) const {
        const auto own = addresses.find({chain, shown.path.index});
        assert(own == addresses.end() || own->second == shown.address);
    }
};

Own own_of(const std::filesystem::path& file) {
    Own own;
    wallet::NewWallet made;
    made.mnemonic = test::kMnemonic;
    made.look_ahead = {Own::kAddresses, Own::kAddresses};
    const auto wallet = wallet::Wallet::create(file, network(), made);
    const auto secret = wallet.secret("");
    own.seed.assign(secret.begin(), secret.end());
    for (const auto chain : wallet::kKeyChains) {
        for (const auto& entry : wallet.addresses(chain, Own::kAddresses)) {
            own.addresses[{chain, entry.path.index}] = entry.address;
        }
    }
    assert(own.addresses.size() == 2 * Own::kAddresses);
    return own;
}

void expect_own(wallet::Wallet& wallet, const Own& own) {
    assert(std::ranges::equal(wallet.secret(""), own.seed));
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const test::TemporaryFolder folder;
    static const std::filesystem::path file = folder.path() / "wallet";
    static const fuzz::ChangedFile original(file, make_wallet);
    static const Own own = own_of(folder.path() / "same-words");
    const bool is_changed = original.write(chain::ByteReader{{data, size}});
    try {
        // ChangedFile reads five bytes at a time. The number of those left over chooses.
        const bool writes = size % 5 == 1;
        const auto access = writes ? wallet::Access::sync : wallet::Access::read;
        auto wallet = wallet::Wallet::open(file, network(), access);
        if (writes) take_a_block(wallet);
        ask_everything(wallet);
        expect_own(wallet, own);
    } catch (const wallet::WalletError&) {
        assert(is_changed);  // only a changed file is refused
    }
    return 0;
}
