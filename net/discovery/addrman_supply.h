/// Whether the address manager suffices, or DNS seeds are needed.
#pragma once

#include <chrono>
#include <optional>

namespace petal::net {

/// The address manager does not suffice once it could not fill the free slots, or has not led to a
/// node that serves after some seconds.
class AddrManSupply {
public:
    using Milliseconds = std::chrono::milliseconds;

    /// How long only nodes of the address manager are tried (Bitcoin Core:
    /// DNSSEEDS_DELAY_FEW_PEERS).
    static constexpr Milliseconds kAlone{11'000};

    explicit AddrManSupply(Milliseconds now) : alone_until_(now + kAlone) {}

    /// Nodes were chosen to be dialled.
    /// were_enough   whether they fill the free slots
    void on_choice(bool were_enough) { is_used_up_ = !were_enough; }
    /// The address manager has got nodes that it did not know.
    void on_new_nodes() { is_used_up_ = false; }
    /// A connection was useful.
    void on_service() { any_served_ = true; }

    bool any_served() const { return any_served_; }
    /// Whether the last choice left slots free.
    bool is_used_up() const { return is_used_up_; }
    /// Until when it suffices, unless a node serves by then; zero if it does not suffice now. Empty
    /// if time alone changes nothing.
    std::optional<Milliseconds> suffices_until() const {
        if (is_used_up_) return Milliseconds{0};
        return any_served_ ? std::nullopt : std::optional{alone_until_};
    }

private:
    Milliseconds alone_until_;
    bool any_served_ = false;
    bool is_used_up_ = false;
};

}  // namespace petal::net
