/// How an embedded node serves block filters (BIP157).
#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "net/wire/codec.h"
#include "tests/regtest/regtest_peer.h"

namespace petal::regtest {
namespace {

using net::BlockFilterType;

/// A chain of 2,050 blocks, with a branch that was left at height 2,040.
class CompactFilters : public testing::Test {
protected:
    static const RegtestChain& chain() {
        static const RegtestChain made = [] {
            RegtestChain result;
            result.pay(script(1), 5'000);
            result.mine(2'040 - result.height());
            result.reorganise(2'030, 20);
            return result;
        }();
        return made;
    }
    static const Chainstate::Entry& at(std::uint32_t height) { return chain().blocks().at(height); }
    /// The former tip.
    static const Chainstate::Entry& left_block() {
        static const Chainstate::Entry& left = [&]() -> const Chainstate::Entry& {
            const auto& records = chain().history().records();
            for (const auto& record : records) {
                const auto& entry = *chain().blocks().find(record.hash);
                if (entry.height == 2'040 && !chain().blocks().is_active(entry)) return entry;
            }
            throw std::logic_error("no branch was left");
        }();
        return left;
    }
    static chain::FilterHeader header_at(std::uint32_t height) {
        return chain().filters().record(at(height)).header;
    }
    static net::CFilter filter_of_block(const Chainstate::Entry& block) {
        return {BlockFilterType::basic, block.hash, chain().filters().record(block).filter};
    }
    static chain::FilterHash hash_of_filter(const Chainstate::Entry& block) {
        return chain::hash_filter(chain().filters().record(block).filter);
    }

    static net::GetCFilters filters(std::uint32_t from, std::uint32_t to) {
        return {BlockFilterType::basic, from, at(to).hash};
    }
    static net::GetCFHeaders headers(std::uint32_t from, std::uint32_t to) {
        return {BlockFilterType::basic, from, at(to).hash};
    }
    static net::GetCFCheckpt checkpoints(std::uint32_t to) {
        return {BlockFilterType::basic, at(to).hash};
    }

    static RegtestPeer peer_with(std::vector<Fault> faults) {
        NodeBehaviour behaviour;
        behaviour.faults = std::move(faults);
        return RegtestPeer(chain(), behaviour);
    }
    template <typename Answer>
    static Answer answer_to(RegtestPeer& peer, const net::Message& request) {
        peer.send(request);
        const auto answers = peer.received();
        EXPECT_EQ(answers.size(), 1U);
        return answers.empty() ? Answer{} : std::get<Answer>(answers[0]);
    }
    /// The filter header after these hashes, lowest block first.
    static chain::FilterHeader header_after(const net::CFHeaders& message) {
        chain::FilterHeader header = message.previous;
        for (const auto& hash : message.hashes) header = chain::next_filter_header(hash, header);
        return header;
    }
};

TEST_F(CompactFilters, AreOfferedByTheServiceBit) {
    RegtestNode node(chain(), {}, 1);
    node.greet({});
    EXPECT_NE(std::get<net::Version>(node.take_output()[0]).services & net::kNodeCompactFilters,
              0U);
}

TEST_F(CompactFilters, AreSentForEachBlockOfTheRange) {
    RegtestPeer peer(chain());
    peer.send(filters(118, 121));
    std::vector<net::Message> expected;
    for (std::uint32_t i = 118; i <= 121; ++i) expected.emplace_back(filter_of_block(at(i)));
    EXPECT_EQ(peer.received(), expected);
    peer.send(filters(0, 0));
    EXPECT_EQ(peer.received(), std::vector<net::Message>{filter_of_block(at(0))});
    peer.send(filters(1, 1'000));
    EXPECT_EQ(peer.received().size(), 1'000U);
}

TEST_F(CompactFilters, HaveHeadersThatFollowThePreviousOne) {
    RegtestPeer peer(chain());
    const auto first = answer_to<net::CFHeaders>(peer, headers(0, 1'999));
    EXPECT_EQ(first.stop, at(1'999).hash);
    EXPECT_EQ(first.previous, chain::FilterHeader{});
    ASSERT_EQ(first.hashes.size(), 2'000U);
    EXPECT_EQ(first.hashes[0], hash_of_filter(at(0)));
    EXPECT_EQ(header_after(first), header_at(1'999));
    const auto second = answer_to<net::CFHeaders>(peer, headers(2'000, 2'050));
    EXPECT_EQ(second.previous, header_at(1'999));
    EXPECT_EQ(second.hashes.size(), 51U);
    EXPECT_EQ(header_after(second), header_at(2'050));
}

TEST_F(CompactFilters, HaveCheckpointsAtEachThousandBlocks) {
    RegtestPeer peer(chain());
    const std::vector<chain::FilterHeader> all = {header_at(1'000), header_at(2'000)};
    EXPECT_EQ(answer_to<net::CFCheckpt>(peer, checkpoints(2'050)).headers, all);
    EXPECT_EQ(answer_to<net::CFCheckpt>(peer, checkpoints(2'000)).headers, all);
    EXPECT_EQ(answer_to<net::CFCheckpt>(peer, checkpoints(1'999)).headers.size(), 1U);
    const auto none = answer_to<net::CFCheckpt>(peer, checkpoints(999));
    EXPECT_TRUE(none.headers.empty());
    EXPECT_EQ(none.stop, at(999).hash);
}

TEST_F(CompactFilters, AreServedForABranchThatWasLeft) {
    RegtestPeer peer(chain());
    peer.send(net::GetCFilters{BlockFilterType::basic, 2'029, left_block().hash});
    const auto answers = peer.received();
    ASSERT_EQ(answers.size(), 12U);
    EXPECT_EQ(answers[0], net::Message(filter_of_block(at(2'029))));
    EXPECT_EQ(answers[11], net::Message(filter_of_block(left_block())));
    const auto headers = answer_to<net::CFHeaders>(
        peer, net::GetCFHeaders{BlockFilterType::basic, 2'040, left_block().hash});
    EXPECT_EQ(headers.previous, chain().filters().record(*left_block().parent).header);
}

// A ping is answered after the filters. Meanwhile, the node holds no more than it may send.
TEST_F(CompactFilters, AreComputedAndSentInTurns) {
    const RegtestChain fresh = [] {
        RegtestChain result;
        result.mine(1'000);
        return result;
    }();
    NodeBehaviour behaviour;
    behaviour.limits.turn_bytes = 10'000;
    behaviour.limits.send_buffer_bytes = 1'000;
    RegtestPeer peer(fresh, behaviour);
    peer.send(net::GetCFilters{BlockFilterType::basic, 1, fresh.tip()});
    peer.send(net::Ping{7});
    EXPECT_FALSE(fresh.filters().missing(fresh.blocks().tip()).empty()) << "after one turn";
    std::vector<net::Message> answers;
    for (int turns = 0; answers.size() < 1'001 && turns < 10'000; ++turns) {
        const auto messages = peer.node.take_output();
        std::size_t bytes = 0;
        for (const auto& message : messages) bytes += net::encode_payload(message).size();
        EXPECT_LT(bytes, 1'200U);
        answers.insert(answers.end(), messages.begin(), messages.end());
    }
    ASSERT_EQ(answers.size(), 1'001U);
    EXPECT_EQ(answers.back(), net::Message(net::Pong{7}));
}

TEST_F(CompactFilters, AreNotComputedBeforeTheyAreRequested) {
    RegtestChain fresh;
    fresh.mine(10);
    RegtestPeer peer(fresh);
    EXPECT_EQ(fresh.filters().missing(fresh.blocks().tip()).size(), 11U);
}

TEST_F(CompactFilters, OfAnUndecodableRequestAreIgnored) {
    RegtestPeer peer(chain());
    for (const auto* command : {"getcfilters", "getcfheaders", "getcfcheckpt"}) {
        peer.node.on_undecodable(command, chain::DecodeError::truncated, peer.now);
    }
    EXPECT_FALSE(peer.node.disconnect_reason());
}

/// A request after which the node disconnects, and a similar request that it answers.
struct RefusedRequest {
    std::string name;
    std::function<net::Message()> refused;
    std::string reason;
    std::function<net::Message()> answered;
};

void PrintTo(const RefusedRequest& row, std::ostream* out) {
    *out << row.name;
}

class RefusedFilters : public CompactFilters, public testing::WithParamInterface<RefusedRequest> {
public:
    // For the rows.
    using CompactFilters::at;
    using CompactFilters::checkpoints;
    using CompactFilters::filters;
    using CompactFilters::headers;
};

TEST_P(RefusedFilters, EndTheConnection) {
    RegtestPeer peer(chain());
    peer.send(GetParam().answered());
    EXPECT_FALSE(peer.received().empty());
    ASSERT_FALSE(peer.node.disconnect_reason());
    peer.send(GetParam().refused());
    EXPECT_TRUE(peer.received().empty());
    EXPECT_EQ(peer.node.disconnect_reason(), GetParam().reason);
}

using R = RefusedFilters;
constexpr auto kOtherType = static_cast<BlockFilterType>(1);
const chain::BlockHash kUnknownStop{{1, 2, 3}};
constexpr const char* kBadType = "a request for an unsupported filter type";
constexpr const char* kBadStop = "a request for the block filters up to an unknown block";
constexpr const char* kBadStart =
    "a request for the block filters from a height above the stop block";
constexpr const char* kTooMany = "a request for too many block filters";

// clang-format off
INSTANTIATE_TEST_SUITE_P(Bip157, RefusedFilters, testing::ValuesIn(std::initializer_list<RefusedRequest>{
    {"OfAnotherType",            [] { return net::GetCFilters{kOtherType, 1, R::at(2).hash}; }, kBadType, [] { return R::filters(1, 2); }},
    {"WithHeadersOfAnotherType", [] { return net::GetCFHeaders{kOtherType, 1, R::at(2).hash}; }, kBadType, [] { return R::headers(1, 2); }},
    {"WithCheckpointsOfAnotherType", [] { return net::GetCFCheckpt{kOtherType, R::at(2).hash}; }, kBadType, [] { return R::checkpoints(2); }},
    {"UpToAnUnknownBlock",       [] { return net::GetCFilters{BlockFilterType::basic, 1, kUnknownStop}; }, kBadStop, [] { return R::filters(1, 2); }},
    {"WithHeadersUpToAnUnknownBlock", [] { return net::GetCFHeaders{BlockFilterType::basic, 1, kUnknownStop}; }, kBadStop, [] { return R::headers(1, 2); }},
    {"WithCheckpointsUpToAnUnknownBlock", [] { return net::GetCFCheckpt{BlockFilterType::basic, kUnknownStop}; }, kBadStop, [] { return R::checkpoints(2); }},
    {"FromAboveTheStopBlock",    [] { return R::filters(3, 2); }, kBadStart, [] { return R::filters(2, 2); }},
    {"WithHeadersFromAboveTheStopBlock", [] { return R::headers(3, 2); }, kBadStart, [] { return R::headers(2, 2); }},
    {"OfMoreThanAThousandBlocks", [] { return R::filters(0, 1'000); }, kTooMany, [] { return R::filters(1, 1'000); }},
    {"WithHeadersOfMoreThanTwoThousandBlocks", [] { return R::headers(0, 2'000); }, kTooMany, [] { return R::headers(1, 2'000); }},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST_F(CompactFilters, OfInvalidBlocksAndOfBlocksThatWereNeverActiveAreRefused) {
    RegtestChain other;
    other.mine(5);
    const chain::BlockHash marked = other.tip();
    other.invalidate(other.blocks().at(4).hash);
    RegtestChain branch;
    branch.set_time(1'400'000'000);
    branch.mine();
    const RegtestBlock rival = branch.block_at(1);
    ASSERT_TRUE(other.offer_block({rival.header, rival.transactions}).is_new());
    for (const auto& stop : {marked, rival.header.hash()}) {
        RegtestPeer peer(other);
        ASSERT_NE(other.blocks().find(stop), nullptr);
        peer.send(net::GetCFilters{BlockFilterType::basic, 1, stop});
        EXPECT_EQ(peer.node.disconnect_reason(), kBadStop);
    }
}

TEST_F(CompactFilters, ThatAreNotOfferedAreRefused) {
    NodeBehaviour behaviour;
    behaviour.services &= ~net::kNodeCompactFilters;
    for (const net::Message& request :
         {net::Message(filters(1, 2)), net::Message(headers(1, 2)), net::Message(checkpoints(2))}) {
        RegtestPeer peer(chain(), behaviour);
        peer.send(request);
        EXPECT_TRUE(peer.received().empty());
        EXPECT_EQ(peer.node.disconnect_reason(),
                  "a request for block filters, which are not offered");
    }
}

const chain::Bytes kEmptyFilter{0};

TEST_F(CompactFilters, AreEmptyFromTheHeightOfTheFaultOn) {
    auto peer = peer_with({{.kind = FaultKind::wrong_filter, .after_blocks = 119}});
    peer.send(filters(118, 120));
    const auto answers = peer.received();
    ASSERT_EQ(answers.size(), 3U);
    EXPECT_EQ(answers[0], net::Message(filter_of_block(at(118))));
    EXPECT_EQ(answers[1],
              net::Message(net::CFilter{BlockFilterType::basic, at(119).hash, kEmptyFilter}));
    EXPECT_EQ(std::get<net::CFilter>(answers[2]).filter, kEmptyFilter);
    EXPECT_EQ(header_after(answer_to<net::CFHeaders>(peer, headers(0, 120))), header_at(120));
}

TEST_F(CompactFilters, AreWithheldAtTheHeightsOfTheFault) {
    auto peer = peer_with({{.kind = FaultKind::withhold_filter, .after_blocks = 119, .times = 1}});
    peer.send(filters(118, 120));
    EXPECT_EQ(peer.received(),
              (std::vector<net::Message>{filter_of_block(at(118)), filter_of_block(at(120))}));
    peer.send(filters(119, 119));
    peer.send(net::Ping{5});
    EXPECT_EQ(peer.received(), std::vector<net::Message>{net::Pong{5}});
}

TEST_F(CompactFilters, HaveFalseHeadersThatAreConsistent) {
    auto peer =
        peer_with({{.kind = FaultKind::wrong_filter_header, .after_blocks = 100, .times = 2}});
    const auto first = answer_to<net::CFHeaders>(peer, headers(0, 101));
    EXPECT_EQ(first.hashes[99], hash_of_filter(at(99)));
    EXPECT_EQ(first.hashes[100], chain::hash_filter(kEmptyFilter));
    EXPECT_EQ(first.hashes[101], chain::hash_filter(kEmptyFilter));
    EXPECT_NE(header_after(first), header_at(101));
    const auto second = answer_to<net::CFHeaders>(peer, headers(102, 1'000));
    EXPECT_EQ(second.previous, header_after(first));
    EXPECT_EQ(second.hashes[0], hash_of_filter(at(102)));
    EXPECT_EQ(answer_to<net::CFCheckpt>(peer, checkpoints(1'000)).headers[0], header_after(second));
    EXPECT_EQ(answer_to<net::CFHeaders>(peer, headers(100, 100)).previous, header_at(99));

    peer.node.set_faults({});
    EXPECT_EQ(answer_to<net::CFHeaders>(peer, headers(1'000, 1'000)).previous, header_at(999));
}

TEST_F(CompactFilters, HaveFalseHeadersFromTheGenesisBlockOn) {
    auto peer = peer_with({{FaultKind::wrong_filter_header}});
    const auto answer = answer_to<net::CFHeaders>(peer, headers(0, 1));
    EXPECT_EQ(answer.previous, chain::FilterHeader{});
    EXPECT_EQ(answer.hashes[0], chain::hash_filter(kEmptyFilter));
    EXPECT_EQ(answer_to<net::CFHeaders>(peer, headers(2, 3)).previous, header_after(answer));
}

TEST_F(CompactFilters, HaveCheckpointsThatContradictTheHeaders) {
    auto peer = peer_with({{.kind = FaultKind::wrong_filter_checkpoint, .after_blocks = 1'001}});
    const auto answer = answer_to<net::CFCheckpt>(peer, checkpoints(2'000));
    EXPECT_EQ(answer.headers[0], header_at(1'000));
    EXPECT_NE(answer.headers[1], header_at(2'000));
    EXPECT_EQ(header_after(answer_to<net::CFHeaders>(peer, headers(1, 2'000))), header_at(2'000));
}

}  // namespace
}  // namespace petal::regtest
