/// Why a text is not an output descriptor, and at which position.
#include "wallet/descriptors/descriptor_error.h"

#include "chain/enum_table.h"

namespace petal::wallet {

std::string_view describe(DescriptorError::Kind kind) {
    using enum DescriptorError::Kind;
    static constexpr auto kTexts = chain::enum_table<DescriptorError::Kind, std::string_view>({
        {too_long, "too long"},
        {invalid_character, "a character that descriptors do not have"},
        {missing_checksum, "the checksum is missing"},
        {wrong_checksum, "wrong checksum"},
        {syntax, "not a descriptor"},
        {unknown_function, "unknown function"},
        {not_allowed_here, "not allowed here"},
        {unsupported, "not supported"},
        {invalid_key, "invalid key"},
        {invalid_origin, "invalid key origin"},
        {invalid_path, "invalid derivation path"},
        {hardened_from_public, "hardened derivation from a public key"},
        {private_key, "a private key"},
        {missing_private_key, "a public key"},
        {wrong_network, "of another network"},
        {uncompressed_key, "an uncompressed key"},
        {too_many_keys, "too many keys"},
        {wrong_threshold, "wrong threshold"},
        {invalid_multipath, "invalid multipath specifier"},
        {invalid_address, "invalid address"},
        {invalid_hex, "invalid hexadecimal"},
    });
    return kTexts[kind];
}

std::string describe(const DescriptorError& error) {
    return "character " + std::to_string(error.position + 1) + ": " +
           std::string{describe(error.kind)} + "; expected " + error.expected;
}

}  // namespace petal::wallet
