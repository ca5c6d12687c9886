#include "net/sync/filters/privacy.h"

namespace petal::net {

std::string_view key_of(Privacy privacy) {
    switch (privacy) {
        case Privacy::fast:
            return "fast";
        case Privacy::balanced:
            return "balanced";
        case Privacy::high:
            return "private";
    }
    return "";
}

std::optional<Privacy> find_privacy(std::string_view key) {
    using enum Privacy;
    for (const auto privacy : {fast, balanced, high}) {
        if (key_of(privacy) == key) return privacy;
    }
    return std::nullopt;
}

double rate_of(Privacy privacy) {
    switch (privacy) {
        case Privacy::fast:
            return 1e-5;
        case Privacy::balanced:
            return 5e-5;
        case Privacy::high:
            return 2.5e-4;
    }
    return 1e-5;
}

}  // namespace petal::net
