#include "net/sync/filters/watch_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "chain/script/script.h"

namespace petal::net {
namespace {

using chain::Byte;
using chain::Bytes;
using chain::ByteView;
using chain::Outpoint;

/// The rules of a BIP37 filter with UPDATE_ALL, over a set of byte strings: elements and outpoints
/// alike. Slow: each script is parsed.
class SlowIndex {
public:
    explicit SlowIndex(const std::vector<Bytes>& elements)
        : watched_(elements.begin(), elements.end()) {}

    void insert(const Outpoint& outpoint) {
        const auto bytes = outpoint.serialize();
        watched_.emplace(bytes.begin(), bytes.end());
    }
    void match_also(const FilterBase& base) { base_ = base.filter(); }

    bool contains(ByteView bytes) const { return watched_.contains({bytes.begin(), bytes.end()}); }

    bloom::MatchResult match_and_update(const chain::Transaction& transaction,
                                        const chain::Txid& txid) {
        bloom::MatchResult result;
        for (std::uint32_t i = 0; i < transaction.outputs.size(); ++i) {
            const chain::TxOutput& output = transaction.outputs[i];
            if (!bloom::contains_a_push(*this, output.script_pubkey) &&
                !(base_ && bloom::matches_output(*base_, output))) {
                continue;
            }
            insert({txid, i});
            result.inserted.push_back({txid, i});
        }
        result.matched = !result.inserted.empty() || bloom::contains_an_input(*this, transaction);
        return result;
    }

private:
    std::set<Bytes> watched_;
    std::optional<bloom::BloomFilter> base_;
};

/// Transactions with scripts of all templates, of several pushes and with malformed ones, which
/// push watched and foreign data and spend watched and foreign outpoints.
class RandomTransactions {
public:
    explicit RandomTransactions(std::uint32_t seed) : random_(seed) {}

    std::uint32_t below(std::uint32_t limit) {
        return static_cast<std::uint32_t>(random_() % limit);
    }
    Bytes bytes(std::size_t size) {
        Bytes made(size);
        for (Byte& byte : made) byte = static_cast<Byte>(random_());
        return made;
    }
    std::vector<Bytes> elements() {
        for (const std::size_t size : {1U, 20U, 20U, 20U, 32U, 32U, 33U, 36U, 65U, 80U, 200U}) {
            elements_.push_back(bytes(size));
        }
        return elements_;
    }
    chain::Transaction next() {
        chain::Transaction transaction;
        for (auto i = below(4); i > 0; --i) {
            transaction.inputs.push_back(
                {next_outpoint(), below(2) == 0 ? Bytes{} : script(), 0, {}});
        }
        for (auto i = below(4); i > 0; --i) transaction.outputs.push_back({1, script()});
        if (transaction.inputs.empty()) transaction.outputs.clear();  // else marks a witness form
        const chain::Txid txid = transaction.txid();
        for (std::uint32_t i = 0; i < transaction.outputs.size(); ++i)
            outpoints_.push_back({txid, i});
        return transaction;
    }

private:
    Outpoint next_outpoint() {
        if (outpoints_.empty() || below(2) == 0) return chain::to_outpoint(bytes(36));
        return outpoints_[below(static_cast<std::uint32_t>(outpoints_.size()))];
    }
    Bytes data(std::size_t size) {
        std::vector<Bytes> fitting;
        for (const Bytes& element : elements_) {
            if (element.size() == size) fitting.push_back(element);
        }
        if (fitting.empty() || below(3) != 0) return bytes(size);
        return fitting[below(static_cast<std::uint32_t>(fitting.size()))];
    }
    chain::Hash160 hash() {
        chain::Hash160 hash;
        std::ranges::copy(data(hash.size()), hash.begin());
        return hash;
    }
    Bytes any_data() {
        if (below(8) == 0) {
            const auto outpoint = next_outpoint().serialize();
            return {outpoint.begin(), outpoint.end()};
        }
        return below(2) == 0 ? bytes(below(90))
                             : elements_[below(static_cast<std::uint32_t>(elements_.size()))];
    }
    Bytes script() {
        Bytes made;
        switch (below(7)) {
            case 0:
                made = chain::p2wpkh_script(hash());
                break;
            case 1:
                made = chain::p2pkh_script(hash());
                break;
            case 2:
                made = chain::p2sh_script(hash());
                break;
            case 3:
                made = chain::witness_program_script(static_cast<Byte>(below(3)), data(32));
                break;
            case 4:
                made = chain::push_data(data(33));
                made.push_back(chain::kOpCheckSig);
                break;
            default:
                for (auto i = below(4); i > 0; --i) {
                    const Bytes push = chain::push_data(any_data());
                    made.insert(made.end(), push.begin(), push.end());
                    made.push_back(static_cast<Byte>(below(256)));
                }
        }
        // A template with another opcode or length byte is none.
        if (below(4) == 0 && !made.empty()) {
            made[below(static_cast<std::uint32_t>(made.size()))] = static_cast<Byte>(below(256));
        }
        return made;
    }

    std::mt19937 random_;
    std::vector<Bytes> elements_;
    std::vector<Outpoint> outpoints_;
};

TEST(WatchIndex, FindsWhatParsingEachScriptFinds) {
    std::size_t matches = 0;
    std::size_t found = 0;
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
        RandomTransactions random(seed);
        const auto elements = random.elements();
        WatchIndex index(elements, {});
        SlowIndex slow(elements);
        if (seed % 2 == 0) {
            chain::FilterPadding padding;
            padding.first_elements = elements.size();
            const FilterBase base(elements, padding, 0.02, 1'000);
            index.match_also(base);
            slow.match_also(base);
        }
        const Outpoint known = chain::to_outpoint(random.bytes(36));
        index.insert(known);
        slow.insert(known);
        for (int i = 0; i < 200; ++i) {
            const chain::Transaction transaction = random.next();
            const chain::Txid txid = transaction.txid();
            const Bytes wire = transaction.serialize();
            chain::ByteReader reader{wire};
            std::size_t left = chain::kMaxStrippedBytes;
            const auto view = chain::read_transaction_view(reader, left);
            ASSERT_TRUE(reader.ok());
            const auto expected = slow.match_and_update(transaction, txid);
            const auto result = index.match_and_update(view, txid);
            ASSERT_EQ(result.matched, expected.matched) << "seed " << seed << ", " << i;
            ASSERT_EQ(result.inserted, expected.inserted) << "seed " << seed << ", " << i;
            matches += result.matched ? 1U : 0U;
            found += result.inserted.size();
        }
    }
    EXPECT_GT(matches, 3'000U);
    EXPECT_LT(matches, 11'000U);
    EXPECT_GT(found, 2'000U);
}

// To a filter, both are strings of 36 bytes.
TEST(WatchIndex, TakesAnElementOf36BytesForAnOutpoint) {
    const Outpoint outpoint{{{7}}, 5};
    const auto bytes = outpoint.serialize();
    WatchIndex index(std::vector<Bytes>{{bytes.begin(), bytes.end()}}, {});
    EXPECT_TRUE(index.contains(bytes));
    EXPECT_FALSE(index.contains(Outpoint{{{7}}, 6}.serialize()));
}

}  // namespace
}  // namespace petal::net
