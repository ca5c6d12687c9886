/// Parses output descriptors.
#include "wallet/descriptors/descriptor_parser.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "chain/enum_table.h"
#include "wallet/descriptors/address.h"
#include "wallet/descriptors/descriptor_checksum.h"

namespace petal::wallet {

namespace {

using Kind = DescriptorError::Kind;

/// Bitcoin Core: MAX_PUBKEYS_PER_MULTISIG, and the standard limit for bare multisig.
constexpr std::size_t kMaxKeys = 20;
constexpr std::size_t kMaxBareKeys = 3;
/// A redeem script is pushed as one element (Bitcoin Core: MAX_SCRIPT_ELEMENT_SIZE).
constexpr std::size_t kMaxRedeemScriptBytes = 520;
/// Threshold, number of keys, OP_CHECKMULTISIG.
constexpr std::size_t kMultisigBytesBesideKeys = 3;

constexpr std::array<std::string_view, 4> kKnownElsewhere{"multi_a", "sortedmulti_a", "rawtr",
                                                          "musig"};

chain::Unexpected<DescriptorError> refuse_text(Kind kind, std::size_t position,
                                               std::string_view expected) {
    return chain::Unexpected{DescriptorError{kind, position, std::string{expected}}};
}

std::optional<ScriptFunction> find_function(std::string_view name) {
    for (auto i = ScriptFunction::pk; i <= ScriptFunction::raw;
         i = static_cast<ScriptFunction>(static_cast<int>(i) + 1)) {
        if (name_of(i) == name) return i;
    }
    return std::nullopt;
}

bool is_allowed(ScriptFunction function, ScriptWrapping wrapping) {
    using enum ScriptFunction;
    static constexpr auto kLastWrappings = chain::enum_table<ScriptFunction, ScriptWrapping>({
        {pk, ScriptWrapping::sh_wsh},
        {pkh, ScriptWrapping::sh_wsh},
        {wpkh, ScriptWrapping::sh},
        {tr, ScriptWrapping::none},
        {combo, ScriptWrapping::none},
        {multi, ScriptWrapping::sh_wsh},
        {sortedmulti, ScriptWrapping::sh_wsh},
        {addr, ScriptWrapping::none},
        {raw, ScriptWrapping::none},
    });
    return wrapping <= kLastWrappings[function];
}

std::string_view allowed_functions(ScriptWrapping wrapping) {
    if (wrapping == ScriptWrapping::sh) return "pk, pkh, wpkh, wsh, multi or sortedmulti in sh()";
    return "pk, pkh, multi or sortedmulti in wsh()";
}

/// Whether `name` may start a miniscript expression within wsh(), with or without wrappers before a
/// colon (BIP379).
bool is_miniscript(std::string_view name, ScriptWrapping wrapping) {
    constexpr std::array<std::string_view, 17> kFragments{
        "pk_k",  "pk_h",  "older", "after", "sha256", "hash256", "ripemd160", "hash160", "andor",
        "and_v", "and_b", "and_n", "or_b",  "or_c",   "or_d",    "or_i",      "thresh"};
    if (wrapping != ScriptWrapping::wsh && wrapping != ScriptWrapping::sh_wsh) return false;
    const std::size_t colon = name.find(':');
    if (colon != std::string_view::npos) return true;
    return std::ranges::find(kFragments, name) != kFragments.end();
}

bool is_segwit(const Descriptor& descriptor) {
    return descriptor.function() == ScriptFunction::wpkh ||
           descriptor.function() == ScriptFunction::tr ||
           descriptor.wrapping() == ScriptWrapping::wsh ||
           descriptor.wrapping() == ScriptWrapping::sh_wsh;
}

}  // namespace

chain::Expected<Descriptor, DescriptorError> DescriptorParser::parse() {
    for (const auto part : {&DescriptorParser::take_checksum, &DescriptorParser::parse_functions,
                            &DescriptorParser::parse_arguments, &DescriptorParser::parse_end}) {
        const Checked done = (this->*part)();
        if (!done) return chain::Unexpected{done.error()};
    }
    return result_;
}

DescriptorParser::Checked DescriptorParser::take_checksum() {
    if (text_.size() > kMaxDescriptorCharacters) {
        return refuse_text(Kind::too_long, kMaxDescriptorCharacters,
                           "at most " + std::to_string(kMaxDescriptorCharacters) + " characters");
    }
    const std::size_t foreign = find_foreign_character(text_);
    if (foreign != std::string_view::npos) {
        return refuse_text(Kind::invalid_character, foreign,
                           "printable ASCII characters only (BIP380)");
    }
    const std::size_t hash = text_.find('#');
    if (hash == std::string_view::npos) {
        if (!options_.require_checksum) return {};
        return refuse_text(Kind::missing_checksum, text_.size(), "'#' and 8 characters");
    }
    const std::string_view checksum = text_.substr(hash + 1);
    text_ = text_.substr(0, hash);
    if (checksum == *descriptor_checksum(text_)) return {};
    if (checksum.size() != kChecksumCharacters) {
        return refuse_text(Kind::wrong_checksum, hash + 1, "8 characters");
    }
    return refuse_text(Kind::wrong_checksum, hash + 1,
                       *descriptor_checksum(text_) + ", unless the text before it is wrong");
}

DescriptorParser::Checked DescriptorParser::parse_functions() {
    while (true) {
        const std::size_t begin = position_;
        const std::string_view name = take_argument();
        if (!at('(')) return refuse_text(Kind::syntax, begin, "a function, as in wpkh(KEY)");
        ++position_;
        ++open_brackets_;
        if (name == "sh" || name == "wsh") {
            Checked wrapped = parse_wrapping(name, begin);
            if (!wrapped) return wrapped;
            continue;
        }
        const auto function = find_function(name);
        if (!function) {
            const bool known = std::ranges::count(kKnownElsewhere, name) > 0;
            if (!known && is_miniscript(name, result_.wrapping_)) {
                return refuse_text(
                    Kind::unsupported, begin,
                    "no miniscript, but " + std::string(allowed_functions(result_.wrapping_)));
            }
            return refuse_text(
                known ? Kind::unsupported : Kind::unknown_function, begin,
                "pk, pkh, wpkh, sh, wsh, tr, combo, multi, sortedmulti, addr or raw");
        }
        if (!is_allowed(*function, result_.wrapping_)) {
            return refuse_text(Kind::not_allowed_here, begin, allowed_functions(result_.wrapping_));
        }
        result_.function_ = *function;
        return {};
    }
}

DescriptorParser::Checked DescriptorParser::parse_wrapping(std::string_view name,
                                                           std::size_t position) {
    const ScriptWrapping outside = result_.wrapping_;
    if (outside == ScriptWrapping::none) {
        result_.wrapping_ = name == "sh" ? ScriptWrapping::sh : ScriptWrapping::wsh;
    } else if (outside == ScriptWrapping::sh && name == "wsh") {
        result_.wrapping_ = ScriptWrapping::sh_wsh;
    } else {
        return refuse_text(Kind::not_allowed_here, position, allowed_functions(outside));
    }
    return {};
}

DescriptorParser::Checked DescriptorParser::parse_arguments() {
    switch (result_.function_) {
        case ScriptFunction::multi:
        case ScriptFunction::sortedmulti:
            return parse_multisig();
        case ScriptFunction::addr:
            return parse_address_argument();
        case ScriptFunction::raw:
            return parse_raw_argument();
        case ScriptFunction::tr: {
            Checked key = parse_key();
            if (!key || !at(',')) return key;
            return refuse_text(Kind::unsupported, position_, "tr(KEY) without a script tree");
        }
        case ScriptFunction::pk:
        case ScriptFunction::pkh:
        case ScriptFunction::wpkh:
        case ScriptFunction::combo:
            return parse_key();
    }
    return {};
}

DescriptorParser::Checked DescriptorParser::parse_key() {
    const std::size_t begin = position_;
    const std::string_view text = take_argument();
    if (at('(')) return refuse_text(Kind::not_allowed_here, begin, "a key, not a function");
    const KeyContext context{!is_segwit(result_), result_.function_ == ScriptFunction::tr};
    auto key = parse_key_expression(text, begin, context, network_, options_);
    if (!key) return chain::Unexpected{key.error()};
    result_.keys_.push_back(std::move(*key));
    result_.threshold_ = std::max<std::size_t>(result_.threshold_, 1);
    return {};
}

DescriptorParser::Checked DescriptorParser::parse_multisig() {
    const std::size_t begin = position_;
    Checked threshold = parse_threshold();
    if (!threshold) return threshold;
    Checked keys = parse_multisig_keys();
    if (!keys) return keys;
    if (result_.threshold_ > result_.keys_.size()) {
        return refuse_text(Kind::wrong_threshold, begin,
                           "at most the number of keys, " + std::to_string(result_.keys_.size()));
    }
    return {};
}

DescriptorParser::Checked DescriptorParser::parse_threshold() {
    const std::size_t begin = position_;
    const auto threshold = chain::parse_number<std::size_t>(take_argument());
    if (!threshold || *threshold < 1) {
        return refuse_text(Kind::wrong_threshold, begin,
                           "the number of signatures, from 1 to the number of keys");
    }
    result_.threshold_ = *threshold;
    if (!at(',')) return refuse_text(Kind::syntax, position_, "',' and a key");
    return {};
}

DescriptorParser::Checked DescriptorParser::parse_multisig_keys() {
    std::size_t script_bytes = kMultisigBytesBesideKeys;
    while (at(',')) {
        const std::size_t begin = ++position_;
        Checked key = parse_key();
        if (!key) return key;
        script_bytes += 1 + serialize(result_.keys_.back().root_key(),  //
                                      result_.keys_.back().form())
                                .size();
        Checked count = check_key_count(script_bytes, begin);
        if (!count) return count;
        Checked multipath = check_multipath(begin);
        if (!multipath) return multipath;
    }
    return {};
}

DescriptorParser::Checked DescriptorParser::check_key_count(std::size_t script_bytes,
                                                            std::size_t position) const {
    const bool is_bare = result_.wrapping_ == ScriptWrapping::none;
    const std::size_t limit = is_bare ? kMaxBareKeys : kMaxKeys;
    if (result_.keys_.size() > limit) {
        return refuse_text(Kind::too_many_keys, position,
                           "at most " + std::to_string(limit) +
                               (is_bare ? " keys outside sh() and wsh()" : " keys"));
    }
    if (result_.wrapping_ == ScriptWrapping::sh && script_bytes > kMaxRedeemScriptBytes) {
        return refuse_text(Kind::too_many_keys, position,
                           "a script of at most 520 bytes in sh(): 15 compressed keys");
    }
    return {};
}

DescriptorParser::Checked DescriptorParser::check_multipath(std::size_t position) const {
    const std::size_t paths = result_.path_count();
    const std::size_t own = result_.keys_.back().path_count();
    const auto differs = [&](const KeyExpression& key) {
        return key.path_count() != 1 && key.path_count() != paths;
    };
    if (own == 1 || std::ranges::none_of(result_.keys_, differs)) return {};
    return refuse_text(Kind::invalid_multipath, position,
                       "as many alternatives as the keys before have");
}

DescriptorParser::Checked DescriptorParser::parse_address_argument() {
    const std::size_t begin = position_;
    auto script = parse_address(take_argument(), network_);
    if (script) {
        result_.script_ = std::move(*script);
        return {};
    }
    if (script.error() == AddressError::wrong_network) {
        return refuse_text(Kind::wrong_network, begin, "an address of " + network_.name);
    }
    return refuse_text(
        Kind::invalid_address, begin,
        "an address of " + network_.name + " (" + std::string{describe(script.error())} + ')');
}

DescriptorParser::Checked DescriptorParser::parse_raw_argument() {
    const std::size_t begin = position_;
    auto script = chain::from_hex(take_argument());
    if (!script || script->empty()) {
        return refuse_text(Kind::invalid_hex, begin, "a script in hexadecimal");
    }
    result_.script_ = std::move(*script);
    return {};
}

DescriptorParser::Checked DescriptorParser::parse_end() {
    for (; open_brackets_ > 0; --open_brackets_) {
        if (!at(')')) return refuse_text(Kind::syntax, position_, "')'");
        ++position_;
    }
    if (position_ < text_.size()) {
        return refuse_text(Kind::syntax, position_, "the end of the descriptor");
    }
    return {};
}

std::string_view DescriptorParser::take_argument() {
    const std::size_t begin = position_;
    position_ = std::min(text_.find_first_of("(),", begin), text_.size());
    return text_.substr(begin, position_ - begin);
}

}  // namespace petal::wallet
