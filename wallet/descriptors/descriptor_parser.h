/// Parses output descriptors.
#pragma once

#include <cstddef>
#include <string_view>

#include "chain/expected.h"
#include "chain/network_params.h"
#include "wallet/descriptors/descriptor.h"
#include "wallet/descriptors/descriptor_error.h"
#include "wallet/descriptors/key_expression_parser.h"

namespace petal::wallet {

/// Implements Descriptor::parse() with a function for each part of the grammar. Reads the text from
/// left to right and stops at the first error.
class DescriptorParser {
public:
    DescriptorParser(std::string_view text, const chain::NetworkParams& network,
                     const DescriptorOptions& options)
        : text_(text), network_(network), options_(options) {}

    chain::Expected<Descriptor, DescriptorError> parse();

private:
    using Checked = chain::Expected<void, DescriptorError>;

    /// Verifies and removes the checksum.
    Checked take_checksum();
    Checked parse_functions();
    Checked parse_wrapping(std::string_view name, std::size_t position);
    Checked parse_arguments();
    Checked parse_key();
    Checked parse_multisig();
    Checked parse_threshold();
    Checked parse_multisig_keys();
    Checked check_key_count(std::size_t script_bytes, std::size_t position) const;
    Checked check_multipath(std::size_t position) const;
    Checked parse_address_argument();
    Checked parse_raw_argument();
    Checked parse_end();

    /// Reads up to the next comma or bracket, or the end.
    std::string_view take_argument();
    bool at(char c) const { return position_ < text_.size() && text_[position_] == c; }

    std::string_view text_;
    const chain::NetworkParams& network_;
    DescriptorOptions options_;
    std::size_t position_ = 0;
    std::size_t open_brackets_ = 0;
    Descriptor result_;
};

}  // namespace petal::wallet
