/// Serves compact block filters (BIP157).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "chain/block_filters/block_filter.h"
#include "net/wire/messages.h"
#include "regtest/chain/regtest_chain.h"
#include "regtest/message_queue.h"
#include "regtest/node_behaviour.h"

namespace petal::regtest {

/// Serves one request at a time, as Bitcoin Core does (net_processing.cpp: ProcessGetCFilters,
/// ProcessGetCFHeaders, ProcessGetCFCheckPt), with the planned faults. Works in small steps,
/// because filters may have to be computed, and the filters of one request may take 268 MB. The
/// chain must outlive the server.
class CompactFilterServer {
public:
    /// Why the node disconnects. Empty if it does not.
    using Complaint = std::optional<std::string>;

    CompactFilterServer(const RegtestChain& chain, const NodeBehaviour& behaviour);

    /// Serves with these faults from now on.
    void set_faults(const NodeBehaviour& behaviour);

    // Begin a request. The previous request must be finished.
    Complaint begin(const net::GetCFilters& request);
    Complaint begin(const net::GetCFHeaders& request);
    Complaint begin(const net::GetCFCheckpt& request);
    /// Drops the unfinished request.
    void clear();

    bool has_request() const { return stop_ != nullptr; }
    /// Computes one missing filter, or sends one message. Returns the number of bytes read or
    /// sent.
    std::size_t serve(MessageQueue& outbox);

private:
    using Block = Chainstate::Entry;
    enum class Answer : std::uint8_t { filters, hashes, checkpoints };

    Complaint begin(Answer answer, net::BlockFilterType type, std::uint32_t start_height,
                    const chain::BlockHash& stop, std::uint32_t max_blocks);
    void serve_filter(MessageQueue& outbox);
    net::CFHeaders filter_hashes();
    net::CFCheckpt checkpoints();
    bool lies(FaultKind kind, const Block& block) const;
    chain::FilterHash claimed_hash(const Block& block) const;
    chain::FilterHeader claimed_header(const Block& block);

    const RegtestChain& chain_;
    bool is_offered_;
    std::vector<Fault> faults_;
    Answer answer_ = Answer::filters;
    const Block* stop_ = nullptr;           ///< null: no request is unfinished
    std::vector<const Block*> uncomputed_;  ///< the blocks whose filters are missing, highest first
    std::vector<const Block*> blocks_;  ///< the blocks that are still to be served, highest first
    /// The filter headers from the lowest false one on.
    std::unordered_map<const Block*, chain::FilterHeader> false_headers_;
};

}  // namespace petal::regtest
