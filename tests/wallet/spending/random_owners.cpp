#include "tests/wallet/spending/random_owners.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "chain/hash.h"
#include "chain/script/script.h"
#include "tests/support/mnemonic.h"
#include "tests/support/test_chain.h"
#include "tests/support/wallet_scene.h"
#include "tests/wallet/wallet_fixture.h"
#include "wallet/descriptors/address.h"
#include "wallet/descriptors/new_descriptors.h"
#include "wallet/fee_bumper.h"
#include "wallet/keys/mnemonic.h"
#include "wallet/keys/wif.h"
#include "wallet/psbt/record_types.h"
#include "wallet/psbt_wallet.h"

namespace petal::wallet {
namespace {

using chain::Bytes;
using chain::Satoshis;
using test::foreign_coin;
using test::foreign_script;
using test::regtest_params;

constexpr std::uint32_t kOwners = 4;
/// No test pays an address beyond this index.
constexpr std::uint32_t kPaidIndexes = 6;
constexpr std::uint32_t kWatchedAhead = 16;
constexpr LookAhead kShortLookAhead{8, kWatchedAhead};

/// Random numbers that are the same for the same seed.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : random_(seed) {}

    std::uint32_t below(std::uint32_t bound) {
        return static_cast<std::uint32_t>(random_() % bound);
    }
    bool one_in(std::uint32_t count) { return below(count) == 0; }
    template <typename Value>
    const Value& of(const std::vector<Value>& values) {
        return values.at(below(static_cast<std::uint32_t>(values.size())));
    }
    RandomBits bits() {
        return [this] { return random_(); };
    }

private:
    std::mt19937_64 random_;
};

/// A person with keys of every kind.
class Person {
public:
    explicit Person(std::uint32_t number)
        : number_(number),
          master_(ExtendedPrivateKey::from_seed(Bytes(32, static_cast<chain::Byte>(number + 1)))
                      .value()) {}

    std::uint32_t number() const { return number_; }
    std::string origin(ScriptKind kind) const {
        return '[' + chain::to_hex(master_.fingerprint()) +
               path_to_string(account_path({kind, 0}, regtest_params().coin_type)) + ']';
    }
    /// The account key, without an origin.
    std::string account(ScriptKind kind) const {
        return below(account_path({kind, 0}, regtest_params().coin_type))
            .public_key()
            .to_string(regtest_params());
    }
    /// The key at /0/INDEX of an account.
    PublicKey account_key(ScriptKind kind, std::uint32_t index) const {
        const auto [purpose, coin, account] = account_path({kind, 0}, regtest_params().coin_type);
        return below({purpose, coin, account, 0, index}).public_key().key();
    }
    /// A key outside of all accounts.
    PrivateKey single(std::uint32_t index) const { return below({7 | kHardened, index}).key(); }

private:
    template <typename Path>
    ExtendedPrivateKey below(const Path& path) const {
        return master_.derive_path(path).value();
    }
    ExtendedPrivateKey below(std::initializer_list<std::uint32_t> path) const {
        return master_.derive_path(std::vector(path)).value();
    }

    std::uint32_t number_;
    ExtendedPrivateKey master_;
};

const Person& person(std::uint32_t number) {
    static const std::vector<Person> people = [] {
        std::vector<Person> result;
        for (std::uint32_t i = 0; i < kOwners; ++i) result.emplace_back(i);
        return result;
    }();
    return people.at(number);
}

std::string in_function(ScriptKind kind, const std::string& key) {
    switch (kind) {
        case ScriptKind::wpkh:
            return "wpkh(" + key + ")";
        case ScriptKind::tr:
            return "tr(" + key + ")";
        case ScriptKind::sh_wpkh:
            return "sh(wpkh(" + key + "))";
        case ScriptKind::pkh:
            return "pkh(" + key + ")";
    }
    return {};
}

std::string hex_of(const PublicKey& key) {
    return chain::to_hex(serialize(key, KeyForm::compressed));
}

/// A descriptor that a user may watch, and whose it is.
struct Part {
    std::string text;
    std::string keys;  ///< the same for parts that provably have the same keys
    bool has_change = false;
};

ScriptKind random_kind(Dice& dice) {
    return kScriptKinds.at(dice.below(kScriptKinds.size()));
}

Part random_account(Dice& dice) {
    const std::uint32_t owner = dice.below(kOwners);
    const ScriptKind kind = random_kind(dice);
    // An origin may be left out, and may be another person's.
    const std::uint32_t claimed = dice.one_in(3) ? 0 : owner;
    const std::string origin = dice.one_in(4) ? "" : person(claimed).origin(random_kind(dice));
    const bool has_change = !dice.one_in(4);
    return {in_function(kind,
                        origin + person(owner).account(kind) + (has_change ? "/<0;1>/*" : "/0/*")),
            "account " + std::to_string(owner) + std::string(describe(kind)), has_change};
}

Part random_single(Dice& dice) {
    const std::uint32_t owner = dice.below(kOwners);
    const std::uint32_t index = dice.below(3);
    const std::string key = hex_of(person(owner).single(index).public_key());
    return {in_function(random_kind(dice), key),
            "single " + std::to_string(owner) + '/' + std::to_string(index)};
}

/// A key or an address of an account, which may be watched as well.
Part random_part_of_account(Dice& dice) {
    const std::uint32_t owner = dice.below(kOwners);
    const ScriptKind kind = random_kind(dice);
    const std::uint32_t index = dice.below(kPaidIndexes);
    const PublicKey key = person(owner).account_key(kind, index);
    const std::string account = "account " + std::to_string(owner) + std::string(describe(kind));
    if (dice.one_in(2)) return {address_of(script_for(kind, key), regtest_params()), account};
    return {in_function(kind, hex_of(key)), account};
}

Part random_multisig(Dice& dice) {
    const std::uint32_t first = dice.below(kOwners);
    const std::uint32_t second = (first + 1 + dice.below(kOwners - 1)) % kOwners;
    const auto key = [](std::uint32_t owner) {
        return person(owner).origin(ScriptKind::wpkh) + person(owner).account(ScriptKind::wpkh) +
               "/8/<0;1>/*";
    };
    const std::string required = std::to_string(1 + dice.below(2));
    return {"wsh(sortedmulti(" + required + ',' + key(first) + ',' + key(second) + "))",
            required + " of " + std::to_string(std::min(first, second)) + " and " +
                std::to_string(std::max(first, second)),
            true};
}

Part random_part(Dice& dice) {
    switch (dice.below(6)) {
        case 0:
            return random_single(dice);
        case 1:
            return random_part_of_account(dice);
        case 2:
            return random_multisig(dice);
        default:
            return random_account(dice);
    }
}

/// A script of a random form that no wallet here has.
Bytes random_foreign_script(Dice& dice) {
    const Bytes hash(20, static_cast<chain::Byte>(200 + dice.below(50)));
    switch (dice.below(4)) {
        case 0:
            return chain::witness_program_script(0, hash);
        case 1:
            return chain::witness_program_script(1, Bytes(32, hash[0]));
        case 2:
            return script_for(ScriptKind::pkh, person(0).single(90 + dice.below(5)).public_key());
        default:
            return script_for(ScriptKind::sh_wpkh,
                              person(0).single(90 + dice.below(5)).public_key());
    }
}

/// The outputs of a payment without its change, in a comparable order.
using Paid = std::multiset<std::pair<Bytes, Satoshis>>;

Paid paid_by(const Payment& payment) {
    Paid paid;
    for (std::size_t i = 0; i < payment.transaction.outputs.size(); ++i) {
        const chain::TxOutput& output = payment.transaction.outputs[i];
        if (payment.change_index != i) paid.emplace(output.script_pubkey, output.value);
    }
    return paid;
}

Paid all_outputs_of(const chain::Transaction& transaction) {
    Paid all;
    for (const chain::TxOutput& one : transaction.outputs)
        all.emplace(one.script_pubkey, one.value);
    return all;
}

Paid asked_of(const std::vector<Recipient>& recipients) {
    Paid asked;
    for (const Recipient& one : recipients) asked.emplace(one.script_pubkey, one.amount);
    return asked;
}

/// A wallet that random blocks pay.
class PaidWallet {
public:
    void mine(const std::vector<chain::Transaction>& transactions) {
        const chain::ProvenBlock& block = blocks_.mine(transactions);
        chain::SyncState state;
        state.synced = block.block;
        while (wallet->apply({&block, 1}, state).grew) continue;
    }
    chain::Transaction payment_to(const Bytes& script, Satoshis amount) {
        return test::spend({foreign_coin(next_coin_++)}, {{amount, script}});
    }

    std::filesystem::path file() const { return folder_.path() / "wallet"; }

    std::optional<Wallet> wallet;

private:
    test::TemporaryFolder folder_;
    test::SceneChain blocks_;
    std::uint32_t next_coin_ = 1;
};

/// A watch-only wallet of random parts.
class WatchedOwners {
public:
    explicit WatchedOwners(std::uint64_t seed) : dice_(seed) {
        const std::uint32_t first_parts = 1 + dice_.below(3);
        std::vector<std::string> texts;
        while (!scene_.wallet) {
            const Part part = random_part(dice_);
            texts.push_back(part.text);
            if (!parse_new_descriptors(texts, regtest_params())) {
                texts.pop_back();  // it must not share a filter with the others
                continue;
            }
            parts_.push_back(part);
            if (texts.size() < first_parts) continue;
            const auto descriptors =
                parse_new_descriptors(texts, regtest_params()).value().descriptors;
            scene_.wallet.emplace(
                Wallet::watch(scene_.file(), regtest_params(), {descriptors, {}, kShortLookAhead}));
        }
        for (std::uint32_t imports = dice_.below(4); imports > 0; --imports)
            import(random_part(dice_));
        record_owners();
        pay_all();
    }

    /// Returns how many payments were made.
    std::uint32_t check_payments(std::uint32_t attempts) {
        std::uint32_t made = 0;
        for (; attempts > 0; --attempts) {
            if (check_payment()) ++made;
        }
        return made;
    }

private:
    Wallet& wallet() { return *scene_.wallet; }

    void import(const Part& part) {
        const std::vector<std::string> texts{part.text};
        const auto descriptors = parse_new_descriptors(texts, regtest_params()).value().descriptors;
        if (wallet().import(descriptors, {{}, {}, {}})) parts_.push_back(part);
    }

    /// Which keys each script is of. An address that is also in an account has the account's.
    void record_owners() {
        std::uint32_t number = 0;
        for (const Part& part : parts_) {
            const bool is_ranged = part.text.find("/*") != std::string::npos;
            for (std::uint32_t chain = 0; chain < (part.has_change ? 2 : 1); ++chain, ++number) {
                for (std::uint32_t index = 0; index < (is_ranged ? kWatchedAhead : 1); ++index) {
                    const Bytes& script = wallet().script_at({number, index});
                    keys_of_[script] = part.keys;
                    if (part.has_change && chain == 1) change_scripts_.insert(script);
                    if (index < kPaidIndexes) payable_.push_back(script);
                }
                if (is_ranged) ranged_.insert(part.keys);
                if (part.has_change) with_change_.insert(part.keys);
            }
        }
        ASSERT_EQ(number, wallet().info().descriptors.size());
        // A key of an account that is not watched as a whole has no other addresses.
        for (const Part& part : parts_) {
            if (ranged_.contains(part.keys) || !part.keys.starts_with("account")) continue;
            for (auto& [script, keys] : keys_of_) {
                if (keys == part.keys) keys += ' ' + chain::to_hex(script);
            }
        }
    }

    void pay_all() {
        std::vector<chain::Transaction> payments;
        for (std::uint32_t i = 0; i < 12; ++i) {
            payments.push_back(
                scene_.payment_to(dice_.of(payable_), 20'000 + dice_.below(400'000)));
        }
        scene_.mine(payments);
    }

    std::vector<Recipient> random_recipients() {
        std::vector<Recipient> recipients;
        for (std::uint32_t count = 1 + dice_.below(3); count > 0; --count) {
            const Bytes script =
                dice_.one_in(3) ? dice_.of(payable_) : random_foreign_script(dice_);
            recipients.push_back({script, 1'000 + dice_.below(100'000)});
        }
        recipients.back().takes_rest = dice_.one_in(6);
        return recipients;
    }

    bool check_payment() {
        std::optional<chain::Outpoint> beside;
        if (dice_.one_in(2)) beside = dice_.of(wallet().coins()).outpoint;
        PaymentRequest request;
        request.recipients = random_recipients();
        request.fee_rate = FeeRate{1'000 + dice_.below(10'000)};
        SpendableCoins spendable = wallet().spendable_coins(beside);
        if (spendable.coins.empty()) return false;  // only addresses
        if (beside && dice_.one_in(2)) {
            std::erase_if(spendable.coins,
                          [&](const InputCoin& coin) { return coin.outpoint != *beside; });
            request.spends_all_given = true;
        }
        request.change = wallet().change_for(request.recipients, beside);
        const auto payment = build_payment(request, spendable.coins, dice_.bits());
        if (!payment) return false;
        expect_right(*payment, request, beside);
        return true;
    }

    void expect_right(const Payment& payment, const PaymentRequest& request,
                      const std::optional<chain::Outpoint>& beside) {
        const std::string& keys = keys_of_.at(payment.coins.front().output.script_pubkey);
        for (const InputCoin& coin : payment.coins) {
            EXPECT_EQ(keys_of_.at(coin.output.script_pubkey), keys) << "coins of two owners";
        }
        if (beside) {
            for (const Coin& coin : wallet().coins()) {
                if (coin.outpoint != beside) continue;
                EXPECT_EQ(keys_of_.at(coin.script_pubkey), keys);
            }
        }
        if (payment.change_index) {
            const Bytes& change = payment.transaction.outputs[*payment.change_index].script_pubkey;
            EXPECT_EQ(keys_of_.at(change), keys) << "the change goes to another owner";
            EXPECT_EQ(change_scripts_.contains(change), with_change_.contains(keys));
        }
        if (!request.recipients.back().takes_rest) {
            EXPECT_EQ(paid_by(payment), asked_of(request.recipients));
        }
        const Psbt psbt = PsbtWallet(wallet()).create(payment);
        for (std::size_t i = 0; i < psbt.outputs().size(); ++i) {
            const auto owner = keys_of_.find(payment.transaction.outputs[i].script_pubkey);
            const bool is_same_owner = owner != keys_of_.end() && owner->second == keys;
            EXPECT_TRUE(is_same_owner || psbt.outputs()[i].records().empty())
                << "a signer might take the output of another owner for change";
        }
    }

    Dice dice_;
    PaidWallet scene_;
    std::vector<Part> parts_;
    std::map<Bytes, std::string> keys_of_;
    std::set<Bytes> change_scripts_;
    std::set<std::string> ranged_;
    std::set<std::string> with_change_;
    std::vector<Bytes> payable_;
};

/// The private descriptors of a wallet of the first person, of random forms.
std::string random_private_descriptors(Dice& dice) {
    const auto wif = [](std::uint32_t index) {
        return std::string(to_wif({person(0).single(index), true}, regtest_params()));
    };
    const std::string master(
        ExtendedPrivateKey::from_seed(Bytes(32, 1)).value().to_string(regtest_params()));
    switch (dice.below(4)) {
        case 0:
            return in_function(random_kind(dice), wif(0));
        case 1:
            return in_function(random_kind(dice), wif(0)) + "\nwpkh(" + wif(1) + ")";
        case 2:
            return in_function(random_kind(dice), master + "/84h/1h/0h/0/*");
        default:
            return "wpkh(" + wif(0) + ")\npkh(" + master + "/44h/1h/0h/<0;1>/*)\ntr(" + master +
                   "/86h/1h/0h/<0;1>/*)";
    }
}

/// A wallet with private keys, whose user sends, raises fees and imports others' descriptors.
class OwnPayments {
public:
    explicit OwnPayments(std::uint64_t seed) : dice_(seed) {
        if (dice_.one_in(2)) {
            NewDescriptorWallet recipe;
            const std::string text = random_private_descriptors(dice_);
            recipe.watched = {parse_private_descriptors(text, regtest_params()).value().descriptors,
                              {},
                              kShortLookAhead};
            scene_.wallet.emplace(Wallet::restore(scene_.file(), regtest_params(), recipe));
        } else {
            NewWallet recipe =
                test::new_wallet(kWatchedAhead, 8, {random_kind(dice_), dice_.below(2)});
            recipe.any_type = dice_.one_in(3);
            if (recipe.any_type) recipe.accounts = 1 + dice_.below(2);
            scene_.wallet.emplace(Wallet::create(scene_.file(), regtest_params(), recipe));
        }
        secret_.emplace(wallet().secret(""));
        for (int i = 0; i < 3; ++i) receive();
        mine();
    }

    /// Returns how many payments were checked.
    std::uint32_t check(std::uint32_t steps) {
        for (; steps > 0 && !testing::Test::HasFailure(); --steps) {
            switch (dice_.below(10)) {
                case 0:
                    mine();
                    break;
                case 1:
                    receive();
                    break;
                case 2:
                    import_from_a_stranger();
                    break;
                case 3:
                    reopen();
                    break;
                case 4:
                case 5:
                case 6:
                    raise();
                    break;
                case 7:
                    pay_for_by_child();
                    break;
                default:
                    send();
                    break;
            }
        }
        return checked_;
    }

private:
    /// An unconfirmed payment, and what its recipients get: nobody, if it has only change.
    struct Pending {
        chain::Transaction transaction;
        Paid paid;
    };

    Wallet& wallet() { return *scene_.wallet; }

    void reopen() {
        scene_.wallet.reset();
        scene_.wallet.emplace(Wallet::open(scene_.file(), regtest_params(), Access::sync));
    }

    /// An own address that its user has shown to somebody.
    Bytes shown_script() {
        const bool has_new = wallet().info().is_ranged;
        return wallet().script_at(has_new && dice_.one_in(2) ? wallet().receive_address(true).path
                                                             : wallet().current_address(true).path);
    }

    void receive() {
        received_.push_back(scene_.payment_to(shown_script(), 50'000 + dice_.below(500'000)));
    }

    void mine() {
        std::vector<chain::Transaction> block = std::exchange(received_, {});
        for (const Pending& one : pending_) {
            if (is_unconfirmed(one)) block.push_back(one.transaction);
        }
        pending_.clear();
        scene_.mine(block);
    }

    bool is_unconfirmed(const Pending& one) {
        const auto entry = wallet().transaction(one.transaction.txid());
        return entry && !entry->height && !entry->replaced_by;
    }

    void import_from_a_stranger() {
        if (!strangers_.empty()) return;  // an import takes long
        const std::uint32_t owner = 1 + dice_.below(kOwners - 1);
        const ScriptKind kind = random_kind(dice_);
        // The stranger claims to be the wallet.
        const std::string own = wallet().info().descriptors.front();
        const std::size_t begin = own.find('[');
        const std::string origin = begin == own.npos ? person(0).origin(kind)
                                                     : own.substr(begin, own.find(']') + 1 - begin);
        const std::vector<std::string> texts{
            dice_.one_in(3) ? in_function(kind, hex_of(person(owner).single(0).public_key()))
                            : in_function(kind, origin + person(owner).account(kind) + "/<0;1>/*")};
        const auto parsed = parse_new_descriptors(texts, regtest_params()).value().descriptors;
        if (!wallet().import(parsed, {{}, {}, wallet().sync_state().synced})) return;
        const std::uint32_t last = wallet().info().descriptor_numbers.back();
        const std::uint32_t first = last + 1 - static_cast<std::uint32_t>(parsed.size());
        for (std::uint32_t i = 0; i < parsed.size(); ++i) {
            const bool is_ranged = parsed[i].descriptor.is_range();
            for (std::uint32_t index = 0; index < (is_ranged ? 8U : 1U); ++index) {
                strangers_.push_back(wallet().script_at({first + i, index}));
            }
        }
    }

    Bytes random_recipient() {
        if (dice_.one_in(3)) return shown_script();
        if (!strangers_.empty() && dice_.one_in(3)) return dice_.of(strangers_);
        return random_foreign_script(dice_);
    }

    void send() {
        PaymentRequest request;
        for (std::uint32_t count = 1 + dice_.below(2); count > 0; --count) {
            const Bytes script = random_recipient();
            if (dice_.one_in(3)) wallet().set_label(script, "known");
            request.recipients.push_back({script, 1'000 + dice_.below(60'000)});
        }
        request.recipients.back().takes_rest = dice_.one_in(8);
        request.fee_rate = FeeRate{1'000 + dice_.below(4'000)};
        request.change = wallet().change_for(request.recipients);
        auto payment = build(request, wallet().spendable_coins().coins);
        if (!payment) return;
        expect_own_change(*payment);
        if (payment->change_index && wallet().info().is_ranged) {
            Bytes& change = payment->transaction.outputs[*payment->change_index].script_pubkey;
            change = wallet().reserve_change(change);
        }
        sign(*payment);
        const Paid paid = paid_by(*payment);
        if (!request.recipients.back().takes_rest) {
            EXPECT_EQ(paid, asked_of(request.recipients));
        }
        // Without the knowledge of its change, as a PSBT that is broadcast.
        const bool is_kept = dice_.one_in(4) ? wallet().keep_own(payment->transaction, ++time_)
                                             : wallet().keep_payment(*payment, ++time_);
        ASSERT_TRUE(is_kept);
        note(*payment, paid);
    }

    void raise() {
        std::erase_if(pending_, [&](const Pending& one) { return !is_unconfirmed(one); });
        if (pending_.empty()) return;
        const Pending old = dice_.of(pending_);
        const chain::Txid txid = old.transaction.txid();
        auto request = FeeBumper(wallet()).replacement_of(txid);
        if (!request) {
            ASSERT_EQ(request.error().error, BumpError::has_descendant);
            return;
        }
        request->fee_rate = FeeRate{request->replaced->fee_rate().sat_per_kvb() + 1'000 +
                                    static_cast<std::int64_t>(dice_.below(20'000))};
        auto payment = build(*request, wallet().spendable_coins().coins);
        if (!payment) return;
        expect_own_change(*payment);
        if (old.paid.empty()) {
            ASSERT_EQ(payment->transaction.outputs.size(), 1U);
            EXPECT_EQ(payment->transaction.outputs[0].script_pubkey,
                      old.transaction.outputs[0].script_pubkey);
        } else {
            // Change that is not known as such stays as it was.
            const Paid paid = paid_by(*payment);
            EXPECT_TRUE(std::ranges::includes(paid, old.paid)) << "a recipient gets less";
            EXPECT_TRUE(std::ranges::includes(all_outputs_of(old.transaction), paid));
        }
        sign(*payment);
        ASSERT_TRUE(FeeBumper(wallet()).keep_replacement(*payment, txid, ++time_));
        note(*payment, old.paid);
    }

    void pay_for_by_child() {
        std::erase_if(pending_, [&](const Pending& one) { return !is_unconfirmed(one); });
        if (pending_.empty()) return;
        const chain::Txid txid = dice_.of(pending_).transaction.txid();
        auto child = FeeBumper(wallet()).child_of(txid);
        if (!child) {
            ASSERT_EQ(child.error().error, BumpError::no_own_output);
            return;
        }
        child->request.fee_rate = FeeRate{2'000 + dice_.below(20'000)};
        auto payment = build(child->request, child->coins);
        if (!payment) return;
        ASSERT_EQ(payment->transaction.outputs.size(), 1U);
        EXPECT_TRUE(is_own(payment->transaction.outputs[0].script_pubkey));
        sign(*payment);
        ASSERT_TRUE(FeeBumper(wallet()).keep_child(*payment, txid, ++time_));
        note(*payment, {});
    }

    std::optional<Payment> build(const PaymentRequest& request,
                                 const std::vector<InputCoin>& coins) {
        auto payment = build_payment(request, coins, dice_.bits());
        if (!payment) return std::nullopt;
        for (const InputCoin& coin : payment->coins) {
            EXPECT_TRUE(is_own(coin.output.script_pubkey));
        }
        return *std::move(payment);
    }
    /// Fails if the wallet does not have the key of a spent coin.
    void sign(Payment& payment) { wallet().sign(payment.transaction, payment.coins, *secret_, {}); }

    void expect_own_change(const Payment& payment) {
        if (!payment.change_index) return;
        EXPECT_TRUE(is_own(payment.transaction.outputs[*payment.change_index].script_pubkey))
            << "the change goes to a stranger";
    }
    bool is_own(const Bytes& script) {
        return wallet().signing_kind(script) &&
               std::ranges::find(strangers_, script) == strangers_.end();
    }

    void note(const Payment& payment, const Paid& paid) {
        pending_.push_back({payment.transaction, paid});
        ++checked_;
    }

    Dice dice_;
    PaidWallet scene_;
    std::optional<SecretBytes> secret_;
    std::vector<Bytes> strangers_;
    std::vector<chain::Transaction> received_;
    std::vector<Pending> pending_;
    std::int64_t time_ = 0;
    std::uint32_t checked_ = 0;
};

}  // namespace

std::uint32_t check_watched_owners(std::uint64_t seed, std::uint32_t wallets) {
    constexpr std::uint32_t kPayments = 80;
    std::uint32_t made = 0;
    for (std::uint32_t i = 0; i < wallets; ++i) {
        SCOPED_TRACE("wallet " + std::to_string(i));
        made += WatchedOwners(seed * 1'000'003 + i).check_payments(kPayments);
        if (testing::Test::HasFailure()) break;
    }
    return made;
}

std::uint32_t check_own_payments(std::uint64_t seed, std::uint32_t wallets) {
    constexpr std::uint32_t kSteps = 150;
    std::uint32_t checked = 0;
    for (std::uint32_t i = 0; i < wallets; ++i) {
        SCOPED_TRACE("wallet " + std::to_string(i));
        checked += OwnPayments(seed * 1'000'003 + i).check(kSteps);
        if (testing::Test::HasFailure()) break;
    }
    return checked;
}

}  // namespace petal::wallet
