#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "chain/network_params.h"
#include "net/wire/codec.h"
#include "net/wire/message_header.h"
#include "tests/support/hex.h"
#include "tests/support/test_data.h"

namespace petal::net {
namespace {

using chain::Bytes;
using test::bytes_from_hex;

TEST(WireVectors, EveryMessageIsFramedDecodedAndWritten) {
    const auto vectors = test::read_test_json("vectors/messages.json");
    if (!vectors) GTEST_SKIP() << test::kNoTestData;

    for (const auto& row : vectors->at("messages")) {
        const auto name = row.at("name").get<std::string>();
        const Bytes wire = bytes_from_hex(row.at("wire").get<std::string>());
        const Bytes payload = bytes_from_hex(row.at("payload").get<std::string>());
        const auto* const network = chain::find_network(row.at("network").get<std::string>());
        ASSERT_NE(network, nullptr) << name;

        FrameDecoder decoder(network->magic);
        std::ranges::copy(wire, decoder.prepare(wire.size()).begin());
        decoder.commit(wire.size());
        const auto frame = decoder.next();
        ASSERT_TRUE(frame && *frame) << name;
        EXPECT_EQ((*frame)->command, row.at("command").get<std::string>()) << name;
        EXPECT_TRUE(std::ranges::equal((*frame)->payload, payload)) << name;
        EXPECT_EQ(encode_frame(network->magic, (*frame)->command, payload), wire) << name;

        const auto message = decode_message(**frame);
        ASSERT_TRUE(message) << name;
        // petal does not send its own address, and keeps only reachable addresses. So these
        // messages are not written as they were read.
        if (std::holds_alternative<Version>(*message) || std::holds_alternative<Addr>(*message) ||
            std::holds_alternative<Unknown>(*message)) {
            continue;
        }
        EXPECT_EQ(encode_message(network->magic, *message), wire) << name;
    }
}

TEST(WireVectors, EveryMerkleBlockIsReadAndWrittenBack) {
    const auto vectors = test::read_test_json("vectors/merkleblock.json");
    if (!vectors) GTEST_SKIP() << test::kNoTestData;

    std::size_t payloads = 0;
    for (const auto& row : vectors->at("cases")) {
        const Bytes payload = bytes_from_hex(row.at("merkleblock_payload").get<std::string>());
        const auto message = decode_message(Frame{"merkleblock", payload});
        ASSERT_TRUE(message) << row.dump();
        EXPECT_EQ(encode_payload(*message), payload) << row.dump();
        ++payloads;
    }
    EXPECT_EQ(payloads, 13U);
}

}  // namespace
}  // namespace petal::net
