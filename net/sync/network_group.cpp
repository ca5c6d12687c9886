#include "net/sync/network_group.h"

namespace petal::net {

std::string network_group_of(std::string_view address) {
    const auto second_dot = address.find('.', address.find('.') + 1);
    const bool is_ipv4 = address.find_first_not_of("0123456789.:") == std::string_view::npos;
    const bool by_half = is_ipv4 && second_dot != std::string_view::npos;
    return std::string(by_half ? address.substr(0, second_dot) : address);
}

}  // namespace petal::net
