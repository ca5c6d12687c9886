/// Commands about a wallet's addresses and labels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chain/bytes.h"
#include "chain/network_params.h"
#include "chain/transaction.h"
#include "cli/options/command_entry.h"
#include "wallet/descriptors/address.h"
#include "wallet/wallet.h"

namespace petal::cli {

struct AddressesOptions {
    std::string address;  ///< list only this address. Empty: list all
    bool change = false;
    bool unused = false;
};

struct ReceiveOptions {
    bool hand_out = false;
    bool qr = false;
    std::optional<std::uint32_t> descriptor;  ///< the number of the descriptor, as of `info`
    std::optional<chain::Satoshis> amount;
    std::string label;

    bool is_for_one_payer() const { return hand_out || amount || !label.empty(); }
};

struct LabelOptions {
    std::string target;  ///< an address, a txid or an outpoint
    /// The new label. An empty text removes the label. Without a text, the label is shown.
    std::optional<std::string> text;
    bool removes = false;
};

/// The address of a payment link (BIP21). The further parts of the link are ignored. A text that is
/// no payment link is returned without the blanks around, whether the text is an address or not.
/// Throws CommandError: bad-uri.
std::string given_address(std::string_view text);

/// Why a text is no address of the own network. Names the networks that the address is of.
/// own_network     such as "this wallet is on regtest"
/// takes_network   whether the command takes --network, so that the user can name the address's
///                 network
std::string describe_address_error(wallet::AddressError error, std::string_view address,
                                   const std::string& own_network, bool takes_network);

/// The scriptPubKey of given_address(). Throws CommandError: bad-address, bad-uri.
chain::Bytes given_script(std::string_view text, const chain::NetworkParams& network);

/// given_script() of one of the wallet's addresses. Throws CommandError: also not-in-wallet.
chain::Bytes own_script(const std::string& address, const wallet::Wallet& wallet,
                        const GlobalOptions& global);

/// Adds addresses, receive and label.
std::vector<CommandEntry> add_address_commands(CLI::App& root);

}  // namespace petal::cli
