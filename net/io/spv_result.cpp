#include "net/io/spv_result.h"

namespace petal::net {

Traffic& Traffic::operator+=(const Traffic& more) {
    bytes_received += more.bytes_received;
    bytes_sent += more.bytes_sent;
    return *this;
}

std::string describe(const EndpointFailure& failure) {
    std::string text{describe(failure.reason)};
    if (!failure.detail.empty()) text.append(" (").append(failure.detail).append(")");
    return text;
}

}  // namespace petal::net
