#include "net/io/open_links.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace petal::net {

OpenLinks::Owned OpenLinks::add(PeerLink::Origin origin, asio::ip::tcp::socket socket) {
    auto* const link = new PeerLink{++last_peer_, origin, std::move(socket), magic_, pace_};
    Owned owned{link, {this}};
    links_.push_back(link);
    return owned;
}

void OpenLinks::Forget::operator()(PeerLink* link) const {
    std::erase(links->links_, link);
    links->on_forgotten_(*link);
    delete link;
}

PeerLink* OpenLinks::find(PeerId peer) const {
    const auto link =
        std::ranges::find_if(links_, [peer](const PeerLink* of) { return of->id() == peer; });
    return link == links_.end() ? nullptr : *link;
}

void OpenLinks::carry_out(const std::vector<Command>& commands) {
    for (const Command& command : commands) {
        const PeerId peer = std::visit([](const auto& what) { return what.peer; }, command);
        PeerLink* const link = find(peer);
        if (link == nullptr) continue;
        if (const auto* send = std::get_if<Send>(&command)) {
            link->send(send->message);
        } else {
            const auto& end = std::get<Disconnect>(command);
            link->disconnect({end.reason, end.detail});
        }
    }
}

Traffic OpenLinks::traffic() const {
    Traffic sum;
    for (const PeerLink* link : links_) sum += link->traffic();
    return sum;
}

}  // namespace petal::net
