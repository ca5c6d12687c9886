// Shows a filter from which elements can be removed, and what a false removal costs.
//
// A counting filter has a counter of four bits for each bit of a BIP37 filter: the number of
// elements that set it. So an inserted element can be removed again. Removing an element that only
// matches by chance clears bits of other elements: the filter then denies elements that it holds.
#include <iostream>
#include <string>

#include <petal/bloom/counting_filter.h>
#include <petal/bloom/sizing.h>
#include <petal/chain/bytes.h>

namespace {

using namespace petal;

constexpr int kElements = 2'000;
constexpr double kRate = 0.01;

std::string session(int number) {
    return "session " + std::to_string(number);
}
std::string stranger(int number) {
    return "stranger " + std::to_string(number);
}

bool contains(const bloom::CountingFilter& filter, const std::string& name) {
    return filter.contains(chain::as_bytes(name));
}

/// How many of the sessions from `first` on the filter denies.
int denied(const bloom::CountingFilter& filter, int first) {
    int count = 0;
    for (int i = first; i < kElements; ++i) count += contains(filter, session(i)) ? 0 : 1;
    return count;
}

}  // namespace

int main() {
    bloom::CountingFilter filter(bloom::filter_size(kElements, kRate), /*tweak=*/0);
    for (int i = 0; i < kElements; ++i) filter.insert(chain::as_bytes(session(i)));
    std::cout << kElements << " sessions inserted, " << denied(filter, 0) << " denied, "
              << filter.saturated() << " counters saturated\n";

    // Sessions that end are removed: they were inserted.
    for (int i = 0; i < kElements / 2; ++i) filter.remove(chain::as_bytes(session(i)));
    std::cout << kElements / 2 << " of them removed, " << denied(filter, kElements / 2)
              << " of the others denied\n";

    // Peers and nodes get a plain BIP37 filter of the remaining elements.
    const auto plain = filter.project(bloom::UpdateMode::none);
    std::cout << "the BIP37 filter of the rest has " << plain->bits_set() << " of "
              << plain->bit_count() << " bits set\n";

    // "Contained, so it can be removed" is the mistake: contains() is reliable only for members.
    int removed = 0;
    for (int i = 0; i < 100'000; ++i) {
        if (!contains(filter, stranger(i))) continue;
        filter.remove(chain::as_bytes(stranger(i)));
        ++removed;
    }
    std::cout << removed
              << " strangers removed that matched by chance: " << denied(filter, kElements / 2)
              << " of " << kElements / 2 << " sessions are denied now\n";
}
