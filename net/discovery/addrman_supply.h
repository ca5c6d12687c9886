/// Whether the known nodes suffice, or DNS seeds must be queried.
#pragma once

#include <chrono>
#include <optional>

namespace petal::net {

/// The known nodes no longer suffice once they could not fill the free slots, or if none of them
/// serves within kAlone.
class AddrManSupply {
public:
    using Milliseconds = std::chrono::milliseconds;

    /// How long only known nodes are dialled (Bitcoin Core: DNSSEEDS_DELAY_FEW_PEERS).
    static constexpr Milliseconds kAlone{11'000};

    explicit AddrManSupply(Milliseconds now) : alone_until_(now + kAlone) {}

    /// The address manager chose nodes to dial.
    /// were_enough   whether the nodes fill the free slots
    void on_choice(bool were_enough) { is_used_up_ = !were_enough; }
    /// New nodes were added to the address manager.
    void on_new_nodes() { is_used_up_ = false; }
    /// A connection was useful.
    void on_service() { any_served_ = true; }

    bool any_served() const { return any_served_; }
    /// Whether the last choice left slots free.
    bool is_used_up() const { return is_used_up_; }
    /// Until when the known nodes suffice if none serves. Zero if they do not suffice now. Empty if
    /// the passing of time changes nothing.
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
