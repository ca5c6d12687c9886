#include "wallet/descriptors/awaited_pages.h"

#include <algorithm>

#include "wallet/keys/key_path.h"

namespace petal::wallet {

namespace {

constexpr std::uint32_t kGapsPerPage = 5;

/// The page that contains the index. Only the last page of a step is shorter than the others.
IndexRange page_with(std::uint32_t index, const LookAhead& look_ahead) {
    const std::uint32_t step = look_ahead.watched;
    const std::uint32_t pages = std::max<std::uint32_t>(
        static_cast<std::uint32_t>(step / (std::uint64_t{kGapsPerPage} * look_ahead.gap_limit)), 1);
    const std::uint32_t size = step / pages + (step % pages > 0 ? 1 : 0);
    const std::uint32_t first_of_step = index - index % step;
    const std::uint32_t begin = first_of_step + index % step / size * size;
    const std::uint64_t end =
        std::min(std::uint64_t{begin} + size, std::uint64_t{first_of_step} + step);
    return {begin, static_cast<std::uint32_t>(std::min<std::uint64_t>(end, kHardened))};
}

}  // namespace

std::vector<IndexRange> awaited_pages(const LookAhead& look_ahead, std::uint32_t used_end,
                                      std::uint32_t issued_end) {
    const std::uint32_t gap = look_ahead.gap_limit;
    const std::uint32_t first = std::min(used_end, issued_end - std::min(issued_end, gap));
    const std::uint64_t end = std::min<std::uint64_t>(std::uint64_t{issued_end} + gap, kHardened);
    std::vector<IndexRange> pages;
    for (std::uint64_t next = first; next < end; next = pages.back().end) {
        pages.push_back(page_with(static_cast<std::uint32_t>(next), look_ahead));
    }
    return pages;
}

}  // namespace petal::wallet
