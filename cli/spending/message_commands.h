/// The commands that sign messages and check signatures of messages.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/command_entry.h"
#include "wallet/spending/message.h"

namespace petal::cli {

struct SignMessageOptions {
    std::string address;
    std::string message;  ///< `-` for standard input
    std::optional<wallet::MessageFormat> format;
    std::optional<std::filesystem::path> password_file;
};

struct VerifyMessageOptions {
    std::string address;
    std::string signature;
    std::string message;  ///< `-` for standard input
};

/// Adds sign-message and verify-message.
std::vector<CommandEntry> add_message_commands(CLI::App& root);

}  // namespace petal::cli
