// Filters as users enter them, as text or bytes, payload or message: an accepted filter is read
// from its own payload in every form, and inspecting it does not fail.
#include <cassert>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "bloom/measures/verdict.h"
#include "cli/filter/filter_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace petal;
    const std::string_view content(reinterpret_cast<const char*>(data), size);
    const auto filter = cli::parse_filter_file(content);
    if (!filter) {
        assert(!cli::describe(filter.error()).empty());
        return 0;
    }
    const chain::Bytes payload = filter->encode();
    const auto from_bytes = cli::parse_filter_bytes(payload);
    assert(from_bytes && *from_bytes == *filter);
    const auto from_hex = cli::parse_filter_hex(chain::to_hex(payload));
    assert(from_hex && *from_hex == *filter);

    const auto seen = bloom::inspect(*filter, {});
    assert(std::isfinite(seen.elements.value) && seen.elements.value >= 0);
    assert(seen.rate <= bloom::LogProbability::of(1));
    for (const auto& count : seen.counts) {
        assert(count.guess.value() >= 0 && count.guess.value() <= 1);
    }
    assert(!bloom::judge(seen).findings.empty());
    return 0;
}
