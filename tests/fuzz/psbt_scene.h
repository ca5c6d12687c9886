/// A wallet with private keys, for the fuzz target of a wallet that works on PSBTs. The coins are
/// the wallet's own, only watched, or foreign and similar to own coins.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chain/hash.h"
#include "chain/script/script.h"
#include "chain/transaction.h"
#include "tests/support/cosigners.h"
#include "tests/support/mnemonic.h"
#include "tests/support/temporary_folder.h"
#include "wallet/descriptors/new_descriptors.h"
#include "wallet/keys/key_path.h"
#include "wallet/keys/mnemonic.h"
#include "wallet/wallet.h"

namespace petal::fuzz {

/// A script that outputs pay, with the scripts that a spend needs.
struct SceneScript {
    chain::Bytes script_pubkey;
    chain::Bytes redeem_script = {};   ///< of P2SH
    chain::Bytes witness_script = {};  ///< of P2WSH
};

/// A script of one of the wallet's private keys, derived here from the words.
struct OwnScript {
    wallet::ScriptKind kind;
    wallet::KeyChain chain;
    std::uint32_t index;
    wallet::PublicKey key;
    std::string path;
};

/// A coin that an input of a PSBT can spend.
struct SceneCoin {
    chain::Outpoint outpoint;
    chain::TxOutput output;
    std::size_t script;    ///< the index in scripts()
    bool is_real = true;   ///< false if no transaction of this txid exists
    bool is_known = true;  ///< whether the wallet was shown the transaction
};

class PsbtScene {
public:
    /// Each chain of an account has these scripts. The wallet watches only a part of the scripts,
    /// but all scripts below kWatched.
    static constexpr std::uint32_t kDerived = 16;
    static constexpr std::uint32_t kWatched = 4;

    PsbtScene() : master_(master()), wallet_(make_wallet(folder_)), secret_(wallet_.secret("")) {
        derive_own();
        add_foreign();
        import_watched();
        pay_coins();
    }

    const wallet::Wallet& wallet() const { return wallet_; }
    const wallet::SecretBytes& secret() const { return secret_; }
    wallet::Fingerprint fingerprint() const { return master_.fingerprint(); }

    const std::vector<SceneScript>& scripts() const { return scripts_; }
    const std::vector<SceneCoin>& coins() const { return coins_; }
    /// Keys of the wallet: of the wallet's scripts, and of an account that the wallet does not
    /// watch.
    const std::vector<wallet::PublicKey>& keys() const { return keys_; }

    /// Null for any other script.
    const OwnScript* own(chain::ByteView script_pubkey) const {
        const auto found = own_.find({script_pubkey.begin(), script_pubkey.end()});
        return found == own_.end() ? nullptr : &found->second;
    }
    /// Null if there is no such transaction.
    const chain::Transaction* transaction(const chain::Txid& txid) const {
        const auto found = transactions_.find(txid);
        return found == transactions_.end() ? nullptr : &found->second;
    }
    /// The output at an outpoint. Empty if no transaction of the scene has the output.
    std::optional<chain::TxOutput> output(const chain::Outpoint& outpoint) const {
        const auto* made = transaction(outpoint.txid);
        if (made == nullptr || outpoint.index >= made->outputs.size()) return std::nullopt;
        return made->outputs[outpoint.index];
    }

private:
    static const chain::NetworkParams& network() { return *chain::find_network("regtest"); }

    static wallet::ExtendedPrivateKey master() {
        const auto seed = wallet::Mnemonic::parse(test::kMnemonic)->seed("");
        return wallet::ExtendedPrivateKey::from_seed(seed->view()).value();
    }

    static wallet::Wallet make_wallet(const test::TemporaryFolder& folder) {
        wallet::NewWallet made;
        made.mnemonic = test::kMnemonic;
        made.look_ahead = {2, kWatched};
        made.any_type = true;
        return wallet::Wallet::create(folder.path() / "wallet", network(), made);
    }

    wallet::PublicKey key_at(wallet::Account account, wallet::KeyChain chain,
                             std::uint32_t index) const {
        const auto path = wallet::account_path(account, network().coin_type);
        const std::array below{static_cast<std::uint32_t>(chain), index};
        return master_.derive_path(path)->derive_path(below)->key().public_key();
    }

    std::size_t add_script(SceneScript script) {
        scripts_.push_back(std::move(script));
        return scripts_.size() - 1;
    }

    void derive_own() {
        for (const auto kind : wallet::kScriptKinds) {
            const std::string account =
                wallet::path_to_string(wallet::account_path({kind, 0}, network().coin_type));
            for (const auto chain : wallet::kKeyChains) {
                const std::string path =
                    'm' + account + (chain == wallet::KeyChain::receive ? "/0/" : "/1/");
                for (std::uint32_t index = 0; index < kDerived; ++index) {
                    const auto key = key_at({kind, 0}, chain, index);
                    const auto script = script_for(kind, key);
                    own_.insert({script, {kind, chain, index, key, path + std::to_string(index)}});
                    if (index >= kWatched) continue;
                    keys_.push_back(key);
                    SceneScript own{script};
                    if (kind == wallet::ScriptKind::sh_wpkh) {
                        own.redeem_script = script_for(wallet::ScriptKind::wpkh, key);
                    }
                    add_script(std::move(own));
                }
            }
        }
        first_foreign_ = scripts_.size();
    }

    void add_p2sh(const chain::Bytes& inner, const chain::Bytes& witness_script = {}) {
        add_script({chain::p2sh_script(chain::hash160(inner)), inner, witness_script});
    }

    /// Adds scripts that the wallet's keys could spend but that are not the wallet's, and foreign
    /// scripts.
    void add_foreign() {
        using enum wallet::ScriptKind;
        const auto own_key = [&](wallet::ScriptKind kind) {
            return key_at({kind, 0}, wallet::KeyChain::receive, 0);
        };
        const auto foreign = test::Cosigner(9).key(wallet::KeyChain::receive, 0).public_key();
        for (const auto kind : wallet::kScriptKinds) {
            // The key of one type in an output of the next has the same element.
            const auto next = wallet::kScriptKinds[(static_cast<unsigned>(kind) + 1) %
                                                   wallet::kScriptKinds.size()];
            add_script({script_for(kind, foreign), {}, {}});
            for (const auto& key : {own_key(next), key_at({wpkh, 1}, {}, 0)}) {
                SceneScript script{script_for(kind, key)};
                if (kind == sh_wpkh) script.redeem_script = script_for(wpkh, key);
                add_script(std::move(script));
            }
        }
        keys_.push_back(key_at({wpkh, 1}, {}, 0));
        add_script({script_for(wpkh, own_key(pkh))});
        const auto p2pk = chain::p2pk_script(own_key(wpkh).compressed());
        chain::Bytes multisig = chain::push_number(1);
        for (const auto& key : {own_key(wpkh), foreign}) {
            const auto pushed = chain::push_data(key.compressed());
            multisig.insert(multisig.end(), pushed.begin(), pushed.end());
        }
        multisig.insert(multisig.end(), {chain::kOp1 + 1, chain::kOpCheckMultisig});
        for (const auto& inner : {p2pk, multisig, script_for(pkh, own_key(sh_wpkh))}) {
            const auto p2wsh = chain::witness_program_script(0, chain::sha256(inner));
            add_script({inner});
            add_p2sh(inner);
            add_script({p2wsh, {}, inner});
            add_p2sh(p2wsh, inner);
        }
        add_p2sh(script_for(tr, own_key(tr)));
        add_script({{chain::kOp1, 2, 0x4e, 0x73}});
        add_script({{chain::kOpReturn, 1, 7}});
        const auto far = key_at({wpkh, 0}, wallet::KeyChain::receive, 1'000);
        add_script({script_for(wpkh, far)});
    }

    /// Adds scripts that the wallet watches without private keys.
    void import_watched() {
        const test::Cosigner other(8);
        const auto key = other.key(wallet::KeyChain::receive, 0).public_key();
        const std::vector<std::string> texts{
            "wpkh(" + other.public_text() + "/0/*)",
            test::multisig_text("wsh(sortedmulti(1,KEYS))", test::cosigners(2), "/0/*")};
        const auto parsed = wallet::parse_new_descriptors(texts, network());
        assert(parsed);
        const bool is_imported = wallet_.import(parsed->descriptors, {}).has_value();
        assert(is_imported);
        assert(wallet_.address(script_for(wallet::ScriptKind::wpkh, key)));
        add_script({script_for(wallet::ScriptKind::wpkh, key)});
        add_script({parsed->descriptors[1].first_scripts.at(0)});
    }

    static constexpr std::size_t kFunding = 3;
    enum Funding : std::size_t { confirmed, unconfirmed, unknown };

    /// Three transactions pay each foreign script and some own scripts. One transaction is
    /// confirmed, one is unconfirmed, and one was never shown to the wallet.
    void pay_coins() {
        for (std::size_t number = 0; number < kFunding; ++number) {
            chain::Transaction funding;
            funding.inputs.resize(1);
            funding.inputs[0].prevout.index = static_cast<std::uint32_t>(number);
            std::vector<std::size_t> paid;
            for (std::size_t i = 0; i < scripts_.size(); ++i) {
                const bool is_own = i < first_foreign_;
                if (is_own && i % kWatched != number) continue;
                const auto value = static_cast<chain::Satoshis>(100'000 + 1'000 * i + number);
                funding.outputs.push_back({value, scripts_[i].script_pubkey});
                paid.push_back(i);
            }
            for (std::uint32_t i = 0; i < paid.size(); ++i) {
                coins_.push_back(
                    {{funding.txid(), i}, funding.outputs[i], paid[i], true, number != unknown});
            }
            show(funding, number);
            transactions_.emplace(funding.txid(), funding);
        }
        // Coins without a transaction, which a PSBT can only claim.
        for (std::size_t i = 0; i < first_foreign_; i += kWatched) {
            chain::Outpoint outpoint;
            outpoint.txid.bytes.fill(0xab);
            outpoint.index = static_cast<std::uint32_t>(i);
            coins_.push_back({outpoint, {50'000, scripts_[i].script_pubkey}, i, false, false});
        }
    }

    void show(const chain::Transaction& funding, std::size_t number) {
        if (number == confirmed) {
            chain::ProvenBlock block;
            block.block.height = 1;
            block.transaction_count = 2;
            block.transactions.push_back({1, funding.txid(), funding, {chain::Hash256{}}});
            while (wallet_.apply({&block, 1}, {block.block, chain::Bytes(20)}).grew) continue;
        } else if (number == unconfirmed) {
            const chain::UnconfirmedTransaction seen{funding.txid(), funding, 1};
            wallet_.apply_unconfirmed({&seen, 1}, wallet_.sync_state());
        }
    }

    test::TemporaryFolder folder_;
    wallet::ExtendedPrivateKey master_;
    wallet::Wallet wallet_;
    wallet::SecretBytes secret_;
    std::vector<SceneScript> scripts_;  ///< the wallet's own scripts first
    std::size_t first_foreign_ = 0;
    std::vector<SceneCoin> coins_;
    std::vector<wallet::PublicKey> keys_;
    std::map<chain::Bytes, OwnScript> own_;
    std::map<chain::Txid, chain::Transaction> transactions_;
};

}  // namespace petal::fuzz
