/// Parses key expressions of output descriptors (BIP380, BIP389).
#include "wallet/descriptors/key_expression_parser.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "wallet/descriptors/slip132.h"
#include "wallet/keys/wif.h"

namespace petal::wallet {

namespace {

using Kind = DescriptorError::Kind;
using ParsedKey = chain::Expected<KeyExpression::Key, DescriptorError>;
using Checked = chain::Expected<void, DescriptorError>;

constexpr std::size_t kDeepestKey = std::numeric_limits<std::uint8_t>::max();
constexpr std::size_t kFingerprintDigits = 8;
/// Between the lengths of WIF (51 or 52) and of extended keys (111).
constexpr std::size_t kLongerThanWif = 80;

constexpr std::string_view kHexDigits = "0123456789abcdefABCDEF";
constexpr std::string_view kStepExpected =
    "a number below 2147483648, with h or ' behind it if it is hardened";

/// A part of the descriptor.
struct Piece {
    std::string_view text;
    std::size_t position = 0;  ///< in the descriptor

    std::size_t end() const { return position + text.size(); }
    Piece from(std::size_t begin) const { return {text.substr(begin), position + begin}; }
    Piece first(std::size_t count) const { return {text.substr(0, count), position}; }
    /// Removes and returns the start up to the next `separator`, which is dropped.
    Piece take(char separator) {
        const std::size_t end = std::min(text.find(separator), text.size());
        const Piece taken = first(end);
        *this = from(std::min(end + 1, text.size()));
        return taken;
    }
};

chain::Unexpected<DescriptorError> refuse_key(Kind kind, std::size_t position,
                                              std::string_view expected) {
    return chain::Unexpected{DescriptorError{kind, position, std::string{expected}}};
}

bool is_hex(std::string_view text) {
    return !text.empty() && text.find_first_not_of(kHexDigits) == std::string_view::npos;
}

chain::Expected<std::uint32_t, DescriptorError> parse_step(Piece piece, Kind kind) {
    std::string_view digits = piece.text;
    const bool hardened = !digits.empty() && (digits.back() == 'h' || digits.back() == '\'');
    if (hardened) digits.remove_suffix(1);
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const auto read = static_cast<std::size_t>(end - digits.data());
    if (read < digits.size() || error == std::errc::invalid_argument) {
        return refuse_key(kind, piece.position + read, kStepExpected);
    }
    if (error == std::errc::result_out_of_range || number >= kHardened) {
        return refuse_key(kind, piece.position, kStepExpected);
    }
    return hardened ? number | kHardened : number;
}

chain::Expected<KeyOrigin, DescriptorError> parse_origin(Piece piece) {
    const Piece fingerprint = piece.take('/');
    const auto bytes = chain::from_hex(fingerprint.text);
    if (fingerprint.text.size() != kFingerprintDigits || !bytes) {
        return refuse_key(Kind::invalid_origin, fingerprint.position,
                          "the master key's fingerprint in 8 hexadecimal digits");
    }
    KeyOrigin origin;
    std::ranges::copy(*bytes, origin.fingerprint.begin());
    // A slash at the end of the origin is followed by an empty step.
    bool more = piece.position > fingerprint.end();
    while (more) {
        const std::size_t end = piece.end();
        const Piece step = piece.take('/');
        more = step.end() < end;
        const auto number = parse_step(step, Kind::invalid_origin);
        if (!number) return chain::Unexpected{number.error()};
        if (origin.path.size() == kDeepestKey) {
            return refuse_key(Kind::invalid_origin, step.position, "at most 255 steps");
        }
        origin.path.push_back(*number);
    }
    return origin;
}

/// Parses the path below an extended key.
class PathParser {
public:
    PathParser(KeyExpression& key, std::size_t depth, bool refuse_hardened)
        : key_(key), depth_(depth), refuse_hardened_(refuse_hardened) {}

    /// path   starts after the first slash
    Checked parse(Piece path) {
        for (bool more = true; more;) {
            const std::size_t end = path.end();
            const Piece step = path.take('/');
            more = step.end() < end;
            if (depth_ + key_.path.size() >= kDeepestKey) {
                return refuse_key(Kind::invalid_path, step.position,
                                  "at most 255 steps below the master key");
            }
            Checked read = parse_element(step, !more);
            if (!read) return read;
        }
        return {};
    }

private:
    Checked parse_element(Piece step, bool is_last) {
        if (step.text.starts_with('*')) return parse_wildcard(step, is_last);
        if (step.text.starts_with('<')) return parse_multipath(step);
        const auto number = parse_step(step, Kind::invalid_path);
        if (!number) return chain::Unexpected{number.error()};
        return add(*number, step.position);
    }

    Checked parse_wildcard(Piece step, bool is_last) {
        const bool hardened = step.text == "*h" || step.text == "*'";
        if (!is_last || (!hardened && step.text != "*")) {
            return refuse_key(Kind::invalid_path, step.position, "*, *h or *' as the last step");
        }
        if (hardened && refuse_hardened_) return refuse_hardened(step.position);
        key_.range = hardened ? RangeKind::hardened : RangeKind::normal;
        return {};
    }

    Checked parse_multipath(Piece step) {
        if (key_.multipath) {
            return refuse_key(Kind::invalid_multipath, step.position,
                              "one multipath specifier in a key");
        }
        if (!step.text.ends_with('>')) {
            return refuse_key(Kind::invalid_multipath, step.end(), "'>'");
        }
        Multipath multipath{key_.path.size(), {}};
        Piece rest = step.first(step.text.size() - 1).from(1);
        const std::size_t end = rest.end();
        for (bool more = true; more;) {
            const Piece alternative = rest.take(';');
            more = alternative.end() < end;
            Checked read = parse_alternative(alternative, multipath);
            if (!read) return read;
        }
        if (multipath.numbers.size() < 2) {
            return refuse_key(Kind::invalid_multipath, step.position,
                              "at least two numbers, as in <0;1>");
        }
        key_.path.push_back(multipath.numbers.front());
        key_.multipath = std::move(multipath);
        return {};
    }

    Checked parse_alternative(Piece alternative, Multipath& multipath) const {
        const auto number = parse_step(alternative, Kind::invalid_multipath);
        if (!number) return chain::Unexpected{number.error()};
        if (*number >= kHardened && refuse_hardened_) return refuse_hardened(alternative.position);
        if (std::ranges::count(multipath.numbers, *number) > 0) {
            return refuse_key(Kind::invalid_multipath, alternative.position,
                              "a number that is not among those before it");
        }
        if (multipath.numbers.size() == kMaxMultipath) {
            return refuse_key(Kind::invalid_multipath, alternative.position,
                              "at most " + std::to_string(kMaxMultipath) + " numbers");
        }
        multipath.numbers.push_back(*number);
        return {};
    }

    Checked add(std::uint32_t number, std::size_t position) {
        if (number >= kHardened && refuse_hardened_) return refuse_hardened(position);
        key_.path.push_back(number);
        return {};
    }

    static Checked refuse_hardened(std::size_t position) {
        return refuse_key(Kind::hardened_from_public, position, "steps without h or '");
    }

    KeyExpression& key_;
    std::size_t depth_;
    bool refuse_hardened_;
};

ParsedKey parse_public_key(Piece piece, KeyContext context) {
    const auto bytes = chain::from_hex(piece.text);
    if (bytes && bytes->size() == std::tuple_size_v<XOnlyKey> && context.is_taproot) {
        chain::Bytes even{2};
        even.insert(even.end(), bytes->begin(), bytes->end());
        if (const auto key = PublicKey::parse(even)) {
            return KeyExpression::Key{ConstantPublicKey{*key, KeyForm::x_only}};
        }
    } else if (bytes) {
        if (const auto key = PublicKey::parse(*bytes)) {
            return KeyExpression::Key{ConstantPublicKey{*key, KeyForm::compressed}};
        }
        if (const auto key = PublicKey::parse_uncompressed(*bytes)) {
            return KeyExpression::Key{ConstantPublicKey{*key, KeyForm::uncompressed}};
        }
    }
    return refuse_key(Kind::invalid_key, piece.position,
                      context.is_taproot ? "a valid public key of 64 or 66 hexadecimal digits"
                                         : "a valid public key of 66 or 130 hexadecimal digits");
}

/// The error for an unexpected version. SLIP132 versions are accepted only for bare keys, where
/// nothing else states the type.
chain::Unexpected<DescriptorError> refuse_version(Piece piece,
                                                  const chain::NetworkParams& network) {
    const auto key = parse_slip132(piece.text, network);
    if (!key) {
        return refuse_key(Kind::invalid_key, piece.position, "an extended key (unknown version)");
    }
    if (!key->is_of_network) {
        return refuse_key(Kind::wrong_network, piece.position, "a key of " + network.name);
    }
    const auto ordinary = ExtendedPublicKey::parse(key->ordinary, network);
    return refuse_key(Kind::unsupported, piece.position,
                      ordinary ? "this key as " + ordinary->to_string(network)
                               : "this key with the version of BIP32, as xprv or tprv");
}

ParsedKey parse_extended_key(Piece piece, const chain::NetworkParams& network) {
    const auto public_key = ExtendedPublicKey::parse(piece.text, network);
    if (public_key) return KeyExpression::Key{*public_key};
    ExtendedKeyError error = public_key.error();
    if (error == ExtendedKeyError::wrong_kind) {
        const auto private_key = ExtendedPrivateKey::parse(piece.text, network);
        if (private_key) return KeyExpression::Key{*private_key};
        error = private_key.error();
    }
    if (error == ExtendedKeyError::wrong_network) {
        return refuse_key(Kind::wrong_network, piece.position, "a key of " + network.name);
    }
    if (error == ExtendedKeyError::unknown_version) return refuse_version(piece, network);
    return refuse_key(Kind::invalid_key, piece.position,
                      "an extended key (" + std::string{describe(error)} + ')');
}

ParsedKey parse_wif_key(Piece piece, KeyContext context, const chain::NetworkParams& network) {
    const auto wif = parse_wif(piece.text, network);
    if (wif) {
        const KeyForm compressed = context.is_taproot ? KeyForm::x_only : KeyForm::compressed;
        return KeyExpression::Key{
            ConstantPrivateKey{wif->key, wif->compressed ? compressed : KeyForm::uncompressed}};
    }
    if (wif.error() == WifError::wrong_network) {
        return refuse_key(Kind::wrong_network, piece.position, "a key of " + network.name);
    }
    return refuse_key(Kind::invalid_key, piece.position,
                      "a public key in hexadecimal, an extended key, or a private key in WIF (" +
                          std::string{describe(wif.error())} + ')');
}

ParsedKey parse_key(Piece piece, KeyContext context, const chain::NetworkParams& network) {
    if (piece.text.empty()) return refuse_key(Kind::invalid_key, piece.position, "a key");
    if (is_hex(piece.text)) return parse_public_key(piece, context);
    if (piece.text.size() > kLongerThanWif) return parse_extended_key(piece, network);
    return parse_wif_key(piece, context, network);
}

Checked check_key(const KeyExpression& key, std::size_t position, KeyContext context,
                  const DescriptorOptions& options) {
    if (key.form() == KeyForm::uncompressed && !context.allows_uncompressed) {
        return refuse_key(Kind::uncompressed_key, position, "a compressed key in segwit outputs");
    }
    if (key.is_private() && options.keys == DescriptorOptions::Keys::only_public) {
        return refuse_key(Kind::private_key, position, "a public key (xpub, tpub or hexadecimal)");
    }
    if (!key.is_private() && options.keys == DescriptorOptions::Keys::only_private) {
        return refuse_key(Kind::missing_private_key, position, "a private key (xprv, tprv or WIF)");
    }
    return {};
}

Checked parse_path(Piece path, KeyExpression& key, const DescriptorOptions& options) {
    const auto* public_key = std::get_if<ExtendedPublicKey>(&key.key);
    const auto* private_key = std::get_if<ExtendedPrivateKey>(&key.key);
    if (public_key == nullptr && private_key == nullptr) {
        return refuse_key(Kind::invalid_path, path.position - 1,
                          "no path behind a key that is not extended");
    }
    const auto& place = public_key != nullptr ? public_key->position() : private_key->position();
    return PathParser{key, place.depth, public_key != nullptr && !options.allow_underivable}.parse(
        path);
}

}  // namespace

chain::Expected<KeyExpression, DescriptorError> parse_key_expression(
    std::string_view text, std::size_t position, KeyContext context,
    const chain::NetworkParams& network, const DescriptorOptions& options) {
    Piece rest{text, position};
    std::optional<KeyOrigin> origin;
    if (text.starts_with('[')) {
        const std::size_t end = text.find(']');
        if (end == std::string_view::npos) {
            return refuse_key(Kind::invalid_origin, rest.end(), "']'");
        }
        auto parsed = parse_origin(rest.first(end).from(1));
        if (!parsed) return chain::Unexpected{parsed.error()};
        origin = std::move(*parsed);
        rest = rest.from(end + 1);
    }
    if (const auto bracket = rest.text.find_first_of("[]"); bracket != std::string_view::npos) {
        return refuse_key(Kind::invalid_origin, rest.position + bracket,
                          "one origin, as [fingerprint/path], before the key");
    }

    const std::size_t key_end = rest.end();
    const Piece key_text = rest.take('/');
    auto parsed = parse_key(key_text, context, network);
    if (!parsed) return chain::Unexpected{parsed.error()};
    KeyExpression key{std::move(*parsed), std::move(origin)};
    const Checked right_key = check_key(key, key_text.position, context, options);
    if (!right_key) return chain::Unexpected{right_key.error()};
    if (key_text.end() == key_end) return key;
    const Checked path = parse_path(rest, key, options);
    if (!path) return chain::Unexpected{path.error()};
    return key;
}

}  // namespace petal::wallet
