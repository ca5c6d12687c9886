#include "regtest/front/tip_notices.h"

#include <variant>

namespace petal::regtest::front {

void TipNotices::on_change(const RegtestChain& chain) {
    was_invalidated_ = false;
    const auto& records = chain.history().records();
    for (; records_ < records.size(); ++records_) {
        was_invalidated_ |= records[records_].kind == ChainRecord::Kind::invalidated;
    }
}

void TipNotices::on_event(const NodeEvent& event) {
    if (const auto* const move = std::get_if<ReorganisationEvent>(&event)) {
        if (was_invalidated_) notify_(move->fork.hash);
        unreported_to_ = was_invalidated_ ? move->fork.height : move->from.height;
    } else if (const auto* const block = std::get_if<BlockEvent>(&event)) {
        if (block->block.height > unreported_to_) notify_(block->block.hash);
    }
}

}  // namespace petal::regtest::front
