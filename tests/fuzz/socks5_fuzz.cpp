/// Whatever a proxy answers, the dialogue ends or wants a bounded number of further bytes, requests
/// the host at most once, and succeeds only if the proxy reports success.
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "net/io/dial/socks5.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using petal::chain::ByteView;
    constexpr std::size_t kMostAnswered = 2 + 2 + 2 + 3 + 255 + 2;
    petal::net::Socks5Dialogue dialogue{{"node.example", 8333}, {"user", "password"}};
    ByteView rest{data, size};
    std::size_t said = 0;
    while (!dialogue.done()) {
        const std::size_t wanted = dialogue.wanted();
        assert(wanted > 0 && wanted <= 257);
        if (rest.size() < wanted) return 0;
        const auto answer = dialogue.on_bytes(rest.first(wanted));
        rest = rest.subspan(wanted);
        if (!answer) return 0;
        said += answer->size();
    }
    assert(dialogue.wanted() == 0 && size - rest.size() <= kMostAnswered);
    assert(said == 19 || said == 19 + 15);  // the request, and perhaps the login
    assert(data[0] == 5 && (data[1] == 0 || data[1] == 2));
    return 0;
}
