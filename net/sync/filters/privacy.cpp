#include "net/sync/filters/privacy.h"

#include "chain/enum_table.h"

namespace petal::net {

namespace {

struct Level {
    std::string_view key;
    double rate;
};

constexpr auto kLevels = chain::enum_table<Privacy, Level>({
    {Privacy::fast, {"fast", 1e-5}},
    {Privacy::balanced, {"balanced", 5e-5}},
    {Privacy::private_, {"private", 2.5e-4}},
});

}  // namespace

std::string_view key_of(Privacy privacy) {
    return kLevels[privacy].key;
}

double rate_of(Privacy privacy) {
    return kLevels[privacy].rate;
}

}  // namespace petal::net
