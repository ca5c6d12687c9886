/// The command that pays.
#pragma once

#include <vector>

#include "cli/options/command_entry.h"
#include "cli/payment/payment_builder.h"
#include "cli/spending/payment_delivery.h"

namespace petal::cli {

struct SendOptions : PaymentOptions {
    DeliveryOptions delivery;
};

std::vector<CommandEntry> add_send_commands(CLI::App& root);

}  // namespace petal::cli
