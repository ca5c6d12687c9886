// Loads a wallet. The stored data is not trusted.
#include "wallet/wallet_state.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

#include "chain/script/script.h"
#include "wallet/descriptors/awaited_pages.h"
#include "wallet/descriptors/filter_sharing.h"
#include "wallet/descriptors/new_descriptors.h"

namespace petal::wallet {

namespace {

std::vector<ScriptSource> sources_of(const std::vector<WalletDescriptor>& descriptors) {
    std::vector<ScriptSource> sources;
    sources.reserve(descriptors.size());
    for (const WalletDescriptor& descriptor : descriptors) sources.push_back(descriptor.source);
    return sources;
}

/// The txid. Hashes the stored bytes if they are the form that txid() would serialize.
chain::Txid txid_of(const chain::Transaction& transaction, chain::ByteView stored) {
    if (transaction.has_witness()) return transaction.txid();
    return {chain::sha256d(stored).bytes};
}

/// The minimum number of a descriptor's scripts.
std::uint32_t first_scripts(const WalletDescriptor& descriptor) {
    return descriptor.source.ranged ? descriptor.source.look_ahead.watched : 1;
}

}  // namespace

WalletState::WalletState(std::vector<WalletDescriptor> descriptors)
    : descriptors_(std::move(descriptors)),
      ring_(sources_of(descriptors_)),
      taken_(descriptors_.size(), 0) {
    const auto first_imported =
        std::ranges::find(descriptors_, DescriptorOrigin::imported,
                          [](const WalletDescriptor& one) { return one.stored.origin; });
    ledger_.set_first_imported(
        static_cast<std::uint32_t>(std::distance(descriptors_.begin(), first_imported)));
}

WalletState WalletState::with_new(std::vector<WalletDescriptor> descriptors) {
    WalletState wallet_state(std::move(descriptors));
    wallet_state.ring_.extend();
    return wallet_state;
}

void WalletState::add(WalletDescriptor descriptor) {
    ring_.add(descriptor.source);
    ring_.extend();
    descriptors_.push_back(std::move(descriptor));
    taken_.push_back(0);
}

std::optional<DescriptorNumber> WalletState::receive_descriptor() const {
    std::optional<DescriptorNumber> first;
    std::optional<DescriptorNumber> ranged;
    for (std::uint32_t number = 0; number < ring_.size(); ++number) {
        if (descriptor(number).stored.chain != KeyChain::receive) continue;
        if (!is_watch_only() && !descriptor(number).has_private_keys()) break;
        if (!first) first = number;
        if (!ring_.is_ranged(number) || !shares_owner(*first, number)) continue;
        if (!ranged) ranged = number;
        const bool is_candidate = descriptors_[number].stored.origin == DescriptorOrigin::candidate;
        if (is_candidate && ring_.used_end(number) > 0) return number;
    }
    return ranged ? ranged : first;
}

bool WalletState::shares_owner(DescriptorNumber a, DescriptorNumber b) const {
    if (a == b) return true;
    // The owner of a range owns all its addresses.
    return std::ranges::any_of(ring_.paths_of(ring_.script_at({a, 0})), [&](const KeyPath& path) {
        return path.descriptor == b || has_same_owner(descriptor(path.descriptor), descriptor(b));
    });
}

// Candidates are pairs of a receive and a change descriptor of an account.
bool WalletState::is_shown(DescriptorNumber number) const {
    if (descriptor(number).stored.origin != DescriptorOrigin::candidate) return true;
    const std::uint32_t receive = number.value & ~1U;
    return receive_descriptor() == DescriptorNumber(receive) || ring_.issued_end(receive) > 0 ||
           ring_.issued_end(receive + 1) > 0;
}

WalletState WalletState::load(WalletStore& store, const StoredIdentity& identity,
                              const chain::NetworkParams& network) {
    store.check_pages();
    WalletState wallet_state(load_descriptors(store, identity, network));
    wallet_state.load_scripts(store);
    wallet_state.load_handed_out(store);
    wallet_state.load_ledger(store);
    wallet_state.ledger_.set_synced(store.sync().state().synced);
    for (std::uint32_t number = 0; number < wallet_state.ring_.size(); ++number) {
        if (wallet_state.lacks_scripts(number)) throw store.damaged("scripts are missing");
    }
    return wallet_state;
}

// A change that extends a range also stores the new scripts. Earlier versions counted a payment to
// a script of several descriptors for only one descriptor. The next change stores the scripts that
// are then missing.
bool WalletState::lacks_scripts(DescriptorNumber number) const {
    const std::uint32_t stored = taken_[number.value];
    if (stored == ring_.watched(number)) return false;
    for (std::uint32_t index = 0; index < stored; ++index) {
        if (ring_.paths_of(ring_.script_at({number, index})).size() > 1) return false;
    }
    return true;
}

void WalletState::load_scripts(WalletStore& store) {
    std::vector<std::vector<chain::Bytes>> scripts(descriptors_.size());
    std::vector<std::optional<chain::ScriptType>> types(descriptors_.size());
    store.scripts().for_each([&](StoredScript script) {
        const auto [descriptor, index] = script.path;
        const std::uint32_t number = descriptor.value;
        if (number >= scripts.size()) throw store.damaged("scripts of no descriptor");
        if (index != scripts[number].size()) throw store.damaged("scripts are missing");
        auto& type = types[number];
        if (!type) type = chain::classify(descriptors_[number].source.script(0));
        const bool has_element = filter_element(script.script).size() >= kShortestElement;
        if (chain::classify(script.script) != type || !has_element) {
            throw store.damaged("bad script");
        }
        scripts[number].push_back(std::move(script.script));
        if (ranges_.empty() || ranges_.back().descriptor != descriptor) {
            ranges_.push_back({descriptor, index, index});
        }
        taken_[number] = ranges_.back().end = index + 1;
    });
    for (std::uint32_t number = 0; number < scripts.size(); ++number) {
        const WalletDescriptor& descriptor = descriptors_[number];
        const std::size_t count = scripts[number].size();
        const bool too_many = !descriptor.source.ranged && count > 1;
        if (count < first_scripts(descriptor) || too_many) {
            throw store.damaged("scripts are missing");
        }
        ring_.restore_scripts(number, std::move(scripts[number]));
    }
}

void WalletState::load_handed_out(WalletStore& store) {
    for (std::uint32_t number = 0; number < ring_.size(); ++number) {
        const std::uint32_t end = store.watched().handed_out(number);
        if (end > ring_.watched(number)) throw store.damaged("scripts are missing");
        if (end > 0) ring_.mark_handed_out({number, end - 1});
    }
}

void WalletState::load_ledger(WalletStore& store) {
    store.transactions().for_each_block([&](const LedgerBlock& block) {
        if (!ledger_.restore(block)) throw store.damaged("bad block");
    });
    const std::size_t count = store.transactions().count();
    ledger_.reserve(count);
    const std::set<chain::Txid> announced = store.announced().txids();
    store.transactions().for_each([&](const StoredTransaction& stored) {
        const auto transaction = chain::decode_transaction(stored.raw);
        if (!transaction || txid_of(*transaction, stored.raw) != stored.txid) {
            throw store.damaged("bad transaction");
        }
        auto entry = summarize(*transaction, stored.txid, credits_in(*transaction));
        if (!entry) throw store.damaged("impossible transaction");
        entry->announced = announced.contains(stored.txid);
        entry->stored_bytes = stored.raw.size();
        entry->seen_time = stored.seen_time;
        entry->seen_order = stored.seen_order;
        entry->placement = stored.placement;
        entry->shown = stored.shown || entry->announced;
        entry->awaits_search = stored.awaits_search;
        entry->evidence = stored.evidence;
        remember_foreign_outputs(*transaction, entry->credits);
        mark_used(entry->credits);
        if (!ledger_.restore(std::move(*entry))) throw store.damaged("contradicting transactions");
    });
    if (ledger_.transactions().size() != count) throw store.damaged("an index lacks transactions");
}

std::optional<LedgerTransaction> WalletState::recognise(const chain::Transaction& transaction,
                                                        const chain::Txid& txid) const {
    auto credits = credits_in(transaction);
    if (credits.empty() && !ledger_.touches(transaction)) return std::nullopt;
    return summarize(transaction, txid, std::move(credits));
}

std::vector<Credit> WalletState::credits_in(const chain::Transaction& transaction) const {
    std::vector<Credit> credits;
    for (std::size_t i = 0; i < transaction.outputs.size(); ++i) {
        const chain::TxOutput& output = transaction.outputs[i];
        if (const auto path = ring_.find(output.script_pubkey)) {
            credits.push_back({static_cast<std::uint32_t>(i), output.value, *path});
        }
    }
    return credits;
}

void WalletState::remember_foreign_outputs(const chain::Transaction& transaction,
                                           const std::vector<Credit>& credits) {
    auto own = credits.begin();
    for (std::size_t i = 0; i < transaction.outputs.size(); ++i) {
        if (own != credits.end() && own->index == i) {
            ++own;
        } else {
            foreign_tails_.push_back(script_tail(transaction.outputs[i].script_pubkey));
        }
    }
}

bool WalletState::known_transactions_may_pay(const std::vector<StoredScript>& scripts) {
    std::ranges::sort(foreign_tails_);
    foreign_tails_.erase(std::unique(foreign_tails_.begin(), foreign_tails_.end()),
                         foreign_tails_.end());
    return std::ranges::any_of(scripts, [this](const StoredScript& script) {
        // Known coins of this script may have been credited to another path.
        return ring_.paths_of(script.script).size() > 1 ||
               std::ranges::binary_search(foreign_tails_, script_tail(script.script));
    });
}

void WalletState::mark_used(const std::vector<Credit>& credits) {
    for (const Credit& credit : credits) ring_.mark_used(credit.path);
}

void WalletState::hand_out(WalletStore& store, KeyPath path) {
    ring_.mark_handed_out(path);
    store.watched().set_handed_out(path.descriptor, path.index + 1);
}

std::vector<StoredScript> WalletState::take_new_scripts() {
    std::vector<StoredScript> scripts;
    for (std::uint32_t number = 0; number < ring_.size(); ++number) {
        const std::uint32_t begin = taken_[number];
        const std::uint32_t end = ring_.watched(number);
        if (begin == end) continue;
        ranges_.push_back({number, begin, end});
        taken_[number] = end;
        for (std::uint32_t index = begin; index < end; ++index) {
            scripts.push_back({{number, index}, ring_.script_at({number, index})});
        }
    }
    return scripts;
}

std::size_t WalletState::watched_count() const {
    std::size_t count = 0;
    for (const std::uint32_t taken : taken_) count += taken;
    return count;
}

std::optional<KeyPath> WalletState::path_with_keys(chain::ByteView script_pubkey) const {
    for (const KeyPath& path : ring_.paths_of(script_pubkey)) {
        if (descriptor(path.descriptor).has_private_keys()) return path;
    }
    return std::nullopt;
}

std::vector<chain::Bytes> WalletState::watched_elements(std::size_t first) const {
    std::vector<chain::Bytes> elements;
    for (const chain::Bytes& script : watched_scripts(first)) {
        const auto element = filter_element(script);
        assert(!element.empty());
        elements.emplace_back(element.begin(), element.end());
    }
    return elements;
}

std::vector<chain::Bytes> WalletState::watched_scripts(std::size_t first) const {
    std::vector<chain::Bytes> scripts;
    for (const auto& [descriptor, begin, end] : ranges_) {
        const auto skipped = static_cast<std::uint32_t>(std::min<std::size_t>(first, end - begin));
        first -= skipped;
        for (std::uint32_t index = begin + skipped; index < end; ++index) {
            scripts.push_back(ring_.script_at({descriptor, index}));
        }
    }
    return scripts;
}

std::vector<std::vector<chain::Bytes>> WalletState::awaited_elements() const {
    std::vector<std::vector<chain::Bytes>> groups;
    std::vector<chain::Bytes> singles;
    const auto add = [this](std::vector<chain::Bytes>& group, KeyPath path) {
        const auto element = filter_element(ring_.script_at(path));
        group.emplace_back(element.begin(), element.end());
    };
    for (std::uint32_t number = 0; number < ring_.size(); ++number) {
        if (descriptor(number).stored.chain != KeyChain::receive || !is_shown(number)) continue;
        if (!ring_.is_ranged(number)) {
            add(singles, {number, 0});
            continue;
        }
        for (const IndexRange& page : awaited_pages(
                 ring_.look_ahead(number), ring_.used_end(number), ring_.issued_end(number))) {
            auto& group = groups.emplace_back();
            for (std::uint32_t index = page.begin; index < page.end; ++index) {
                add(group, {number, index});
            }
        }
    }
    if (!singles.empty()) groups.push_back(std::move(singles));
    return groups;
}

void expect_genuine(const WalletStore& store, const WalletState& state, KeyPath path) {
    if (!state.ring().is_genuine(path)) throw store.damaged("a wrong address");
}

}  // namespace petal::wallet
