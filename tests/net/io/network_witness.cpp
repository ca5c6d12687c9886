#include "tests/net/io/network_witness.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <mutex>
#include <optional>

namespace petal::test {

namespace {

struct Sight {
    std::set<std::uint16_t> overlooked;
    std::set<std::uint16_t> ports;
    std::set<std::string> names;
};

std::mutex mutex;
std::optional<Sight> sight;

void note_address(const sockaddr* address) {
    const std::lock_guard lock{mutex};
    if (!sight || address == nullptr) return;
    std::uint16_t port = 0;
    if (address->sa_family == AF_INET) {
        port = ntohs(reinterpret_cast<const sockaddr_in*>(address)->sin_port);
    } else if (address->sa_family == AF_INET6) {
        port = ntohs(reinterpret_cast<const sockaddr_in6*>(address)->sin6_port);
    } else {
        return;
    }
    if (!sight->overlooked.contains(port)) sight->ports.insert(port);
}

void note_name(const char* name) {
    const std::lock_guard lock{mutex};
    if (sight && name != nullptr) sight->names.insert(name);
}

/// The function of the C library that one below replaces.
template <typename Function>
Function* real(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

NetworkWitness::NetworkWitness(std::set<std::uint16_t> overlooked) {
    const std::lock_guard lock{mutex};
    sight = Sight{std::move(overlooked), {}, {}};
}

NetworkWitness::~NetworkWitness() {
    const std::lock_guard lock{mutex};
    sight.reset();
}

std::set<std::uint16_t> NetworkWitness::ports() const {
    const std::lock_guard lock{mutex};
    return sight->ports;
}

std::set<std::string> NetworkWitness::names() const {
    const std::lock_guard lock{mutex};
    return sight->names;
}

}  // namespace petal::test

// A function that the program defines takes precedence over the C library's for every caller.
extern "C" int connect(int socket, const sockaddr* address, socklen_t size) {
    petal::test::note_address(address);
    return petal::test::real<decltype(connect)>("connect")(socket, address, size);
}

extern "C" ssize_t sendto(int socket, const void* bytes, size_t size, int flags,
                          const sockaddr* address, socklen_t address_size) {
    petal::test::note_address(address);
    return petal::test::real<decltype(sendto)>("sendto")(socket, bytes, size, flags, address,
                                                         address_size);
}

extern "C" int getaddrinfo(const char* name, const char* service, const addrinfo* hints,
                           addrinfo** result) {
    petal::test::note_name(name);
    return petal::test::real<decltype(getaddrinfo)>("getaddrinfo")(name, service, hints, result);
}
