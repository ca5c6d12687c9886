#include "cli/regtest/event_text.h"

#include "cli/terminal/table.h"
#include "cli/text/text.h"

namespace petal::cli {
namespace {

Json place_json(const chain::BlockRef& block) {
    return {{"height", block.height}, {"hash", block.hash.to_hex()}};
}

std::string client(std::uint64_t id) {
    return "client " + std::to_string(id);
}

struct ToJson {
    Json operator()(const regtest::BlockEvent& event) const {
        return {{"event", "block"},
                {"height", event.block.height},
                {"hash", event.block.hash.to_hex()},
                {"time", event.time},
                {"transactions", event.transactions}};
    }
    Json operator()(const regtest::ReorganisationEvent& event) const {
        return {{"event", "reorg"},
                {"from", place_json(event.from)},
                {"to", place_json(event.to)},
                {"fork", place_json(event.fork)},
                {"disconnected", event.from.height - event.fork.height}};
    }
    Json operator()(const regtest::TransactionEvent& event) const {
        return {{"event", "transaction"}, {"txid", event.txid.to_hex()}};
    }
    Json operator()(const regtest::ConnectionEvent& event) const {
        return {{"event", "connection"},       {"id", event.id},
                {"address", event.address},    {"connected", true},
                {"inbound", event.is_inbound}, {"user_agent", printable(event.user_agent)}};
    }
    Json operator()(const regtest::EndOfConnectionEvent& event) const {
        return {{"event", "connection"},
                {"id", event.id},
                {"address", event.address},
                {"connected", false}};
    }
    Json operator()(const regtest::FilterEvent& event) const {
        return {{"event", "filter"},
                {"id", event.id},
                {"bytes", event.filter.bytes},
                {"hash_functions", event.filter.hash_functions}};
    }
};

struct ToWords {
    std::string operator()(const regtest::BlockEvent& event) const {
        return "block " + format_count(event.block.height) + " with " +
               count_of(event.transactions, "transaction") + ", " +
               short_ids(event.block.hash.to_hex());
    }
    std::string operator()(const regtest::ReorganisationEvent& event) const {
        return "reorganisation: " + count_of(event.from.height - event.fork.height, "block") +
               " above block " + format_count(event.fork.height) + " replaced";
    }
    std::string operator()(const regtest::TransactionEvent& event) const {
        return "payment " + short_ids(event.txid.to_hex());
    }
    std::string operator()(const regtest::ConnectionEvent& event) const {
        return client(event.id) + " at " + event.address + ": " + printable(event.user_agent);
    }
    std::string operator()(const regtest::EndOfConnectionEvent& event) const {
        return client(event.id) + " left";
    }
    std::string operator()(const regtest::FilterEvent& event) const {
        return client(event.id) + " loaded a filter of " + count_of(event.filter.bytes, "byte") +
               " with " + count_of(event.filter.hash_functions, "hash function");
    }
};

}  // namespace

Json to_json(const regtest::NodeEvent& event) {
    return std::visit(ToJson{}, event);
}

std::string words_of(const regtest::NodeEvent& event) {
    return std::visit(ToWords{}, event);
}

}  // namespace petal::cli
