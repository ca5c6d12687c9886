#include "net/wire/messages.h"

#include <type_traits>

namespace petal::net {

std::string_view command_of(const Message& message) {
    return std::visit(
        [](const auto& value) -> std::string_view {
            using T = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<T, Unknown>) {
                return value.command;
            } else {
                return T::kCommand;
            }
        },
        message);
}

}  // namespace petal::net
