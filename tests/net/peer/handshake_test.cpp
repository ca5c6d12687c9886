#include "net/peer/handshake.h"

#include <gtest/gtest.h>

#include <functional>

namespace petal::net {
namespace {

constexpr std::uint64_t kOurNonce = 7;

Version server_version() {
    Version version;
    version.services = kNodeNetwork | kNodeBloom;
    version.nonce = 8;
    version.start_height = 123;
    return version;
}

Handshake new_handshake() {
    Version ours;
    ours.nonce = kOurNonce;
    ours.relay = false;
    return Handshake{ours};
}

TEST(Handshake, AcceptsAnyServicesIfNoneAreRequired) {
    Version bare = server_version();
    bare.services = 0;
    Handshake handshake{Version{}, {.services = 0}};
    EXPECT_TRUE(handshake.on_message(bare));
}

TEST(Handshake, SpeaksFirst) {
    const Message opening = new_handshake().open();
    EXPECT_FALSE(std::get<Version>(opening).relay);
    EXPECT_EQ(std::get<Version>(opening).nonce, kOurNonce);
}

TEST(Handshake, AnswersTheVersionAndIsCompleteWithTheVerack) {
    Handshake handshake = new_handshake();
    const auto on_version = handshake.on_message(server_version());
    ASSERT_TRUE(on_version);
    EXPECT_EQ(*on_version, (std::vector<Message>{Verack{}}));
    EXPECT_FALSE(handshake.complete());

    const auto on_verack = handshake.on_message(Verack{});
    ASSERT_TRUE(on_verack);
    EXPECT_EQ(*on_verack, (std::vector<Message>{SendHeaders{}}));
    EXPECT_TRUE(handshake.complete());
    EXPECT_EQ(handshake.peer()->start_height, 123);
}

TEST(Handshake, AsksForAddressesOnRequest) {
    Handshake handshake{Version{}, {.addresses = true}};
    EXPECT_EQ(handshake.on_message(server_version()).value(),
              (std::vector<Message>{SendAddrV2{}, Verack{}}));
    EXPECT_EQ(handshake.on_message(Verack{}).value(),
              (std::vector<Message>{SendHeaders{}, GetAddr{}}));
}

TEST(Handshake, SendsOldNodesNoUnknownMessages) {
    Version old = server_version();
    old.protocol = kAddrV2ProtocolVersion - 1;
    Handshake handshake{Version{}, {.addresses = true}};
    EXPECT_EQ(handshake.on_message(old).value(), (std::vector<Message>{Verack{}}));
}

TEST(Handshake, IgnoresMessagesBetweenVersionAndVerack) {
    Handshake handshake = new_handshake();
    ASSERT_TRUE(handshake.on_message(Verack{}));
    EXPECT_FALSE(handshake.complete());
    ASSERT_TRUE(handshake.on_message(server_version()));
    for (const Message& message : {Message{WtxidRelay{}}, Message{SendAddrV2{}}, Message{Ping{1}},
                                   Message{Unknown{"feature"}}}) {
        const auto answer = handshake.on_message(message);
        ASSERT_TRUE(answer);
        EXPECT_TRUE(answer->empty());
    }
    EXPECT_FALSE(handshake.complete());
    ASSERT_TRUE(handshake.on_message(Verack{}));
    EXPECT_TRUE(handshake.complete());
}

TEST(Handshake, TakesOnlyTheFirstVersion) {
    Handshake handshake = new_handshake();
    ASSERT_TRUE(handshake.on_message(server_version()));
    Version second = server_version();
    second.start_height = 999;
    const auto answer = handshake.on_message(second);
    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->empty());
    EXPECT_EQ(handshake.peer()->start_height, 123);
}

struct RefusedCase {
    std::string name;
    std::function<void(Version&)> change;
    DisconnectReason reason;
};

void PrintTo(const RefusedCase& c, std::ostream* out) {
    *out << c.name;
}

class RefusedVersions : public testing::TestWithParam<RefusedCase> {};

TEST_P(RefusedVersions, NameTheReason) {
    Handshake handshake = new_handshake();
    Version version = server_version();
    GetParam().change(version);
    const auto answer = handshake.on_message(version);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().reason, GetParam().reason);
}

INSTANTIATE_TEST_SUITE_P(
    Handshake, RefusedVersions,
    testing::Values(
        RefusedCase{"NoBloom", [](Version& v) { v.services = kNodeNetwork; },
                    DisconnectReason::no_bloom},
        RefusedCase{"Pruned", [](Version& v) { v.services = kNodeBloom | kNodeNetworkLimited; },
                    DisconnectReason::pruned},
        RefusedCase{"PrunedAndNoBloom", [](Version& v) { v.services = kNodeNetworkLimited; },
                    DisconnectReason::pruned},
        RefusedCase{"NoBlocks", [](Version& v) { v.services = kNodeBloom; },
                    DisconnectReason::no_network},
        RefusedCase{"BeforeBip111", [](Version& v) { v.protocol = 70010; },
                    DisconnectReason::too_old},
        RefusedCase{"Ourselves", [](Version& v) { v.nonce = kOurNonce; }, DisconnectReason::self}),
    [](const auto& row) { return row.param.name; });

TEST(Handshake, RequiresCompactFiltersOnlyIfTheyAreTheAim) {
    Version version = server_version();
    version.services = kNodeNetwork;
    const HandshakeAims aims{.services = kNodeNetwork | kNodeCompactFilters};
    EXPECT_EQ(Handshake({}, aims).on_message(version).error().reason,
              DisconnectReason::no_compact_filters);
    version.services |= kNodeCompactFilters;
    EXPECT_TRUE(Handshake({}, aims).on_message(version));
}

TEST(Handshake, AcceptsAPrunedNodeWhereItIsOfUse) {
    Version version = server_version();
    version.services = kNodeNetworkLimited | kNodeBloom;
    const HandshakeAims aims{.services = kNodeNetwork | kNodeBloom, .accepts_pruned = true};
    EXPECT_TRUE(Handshake({}, aims).on_message(version));
    version.services = kNodeNetworkLimited;
    EXPECT_EQ(Handshake({}, aims).on_message(version).error().reason, DisconnectReason::no_bloom);
    version.services = kNodeBloom;
    EXPECT_EQ(Handshake({}, aims).on_message(version).error().reason, DisconnectReason::no_network);
}

TEST(Handshake, NamesTheFirstBlockOfAPrunedNode) {
    for (const auto& [height, detail] : std::initializer_list<std::pair<std::int32_t, const char*>>{
             {1'000, "it serves blocks from 713"},
             {288, "it serves blocks from 1"},
             {287, ""},
             {-1, ""}}) {
        Handshake handshake = new_handshake();
        Version version = server_version();
        version.services = kNodeBloom | kNodeNetworkLimited;
        version.start_height = height;
        EXPECT_EQ(handshake.on_message(version).error().detail, detail) << height;
    }
}

TEST(Handshake, TakesTheOldestProtocolThatNamesBloom) {
    Handshake handshake = new_handshake();
    Version version = server_version();
    version.protocol = 70011;
    EXPECT_TRUE(handshake.on_message(version));
}

}  // namespace
}  // namespace petal::net
