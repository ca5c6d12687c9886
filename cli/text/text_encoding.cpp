#include "cli/text/text_encoding.h"

#include <algorithm>

#include "chain/enum_table.h"
#include "wallet/keys/secret_bytes.h"

namespace petal::cli {
namespace {

constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf";
constexpr std::string_view kBigEndianMark = "\xfe\xff";
constexpr std::string_view kLittleEndianMark = "\xff\xfe";

bool is_high_surrogate(char16_t unit) {
    return unit >= 0xd800 && unit < 0xdc00;
}
bool is_low_surrogate(char16_t unit) {
    return unit >= 0xdc00 && unit < 0xe000;
}

template <typename Text>
void append_utf8(char32_t code, Text& text) {
    const auto put = [&text](char32_t byte) {
        text += static_cast<char>(static_cast<unsigned char>(byte));
    };
    const auto put_rest = [&](unsigned shift) { put(0x80 | ((code >> shift) & 0x3f)); };
    if (code < 0x80) {
        put(code);
    } else if (code < 0x800) {
        put(0xc0 | code >> 6);
        put_rest(0);
    } else if (code < 0x10000) {
        put(0xe0 | code >> 12);
        put_rest(6);
        put_rest(0);
    } else {
        put(0xf0 | code >> 18);
        put_rest(12);
        put_rest(6);
        put_rest(0);
    }
}

}  // namespace

std::string_view describe(TextFault fault) {
    using enum TextFault;
    static constexpr auto kTexts = chain::enum_table<TextFault, std::string_view>({
        {nul,
         "it has a NUL character: it is no text in UTF-8, or in UTF-16 with a byte order mark"},
        {unpaired_surrogate,
         "it is not valid UTF-16: a surrogate stands alone; save the text as UTF-8"},
        {cut_off, "it is UTF-16 that ends within a character; save the text as UTF-8"},
    });
    return kTexts[fault];
}

bool has_byte_order_mark(std::string_view bytes) {
    return bytes.starts_with(kUtf8Mark) || bytes.starts_with(kBigEndianMark) ||
           bytes.starts_with(kLittleEndianMark);
}

void TextDecoder::take_mark(std::string_view& piece) {
    while (encoding_ == Encoding::unknown && !piece.empty()) {
        mark_ += piece.front();
        piece.remove_prefix(1);
        if (mark_ == kBigEndianMark) {
            encoding_ = Encoding::utf16_big_endian;
        } else if (mark_ == kLittleEndianMark) {
            encoding_ = Encoding::utf16_little_endian;
        } else if (mark_ == kUtf8Mark) {
            encoding_ = Encoding::utf8;
        } else if (!kUtf8Mark.starts_with(mark_) && !kBigEndianMark.starts_with(mark_) &&
                   !kLittleEndianMark.starts_with(mark_)) {
            encoding_ = Encoding::utf8;
            return;  // these bytes are text
        }
        if (encoding_ != Encoding::unknown) mark_.clear();
    }
}

template <typename Text>
std::optional<TextFault> TextDecoder::take(std::string_view piece, Text& text) {
    take_mark(piece);
    if (encoding_ == Encoding::unknown) return std::nullopt;
    if (encoding_ == Encoding::utf8) {
        if (mark_.find('\0') != mark_.npos || piece.find('\0') != piece.npos) {
            return TextFault::nul;
        }
        text += mark_;
        mark_.clear();
        text += piece;
        return std::nullopt;
    }
    for (const char byte : piece) {
        if (!half_) {
            half_ = byte;
            continue;
        }
        const bool is_big = encoding_ == Encoding::utf16_big_endian;
        const auto high = static_cast<unsigned char>(is_big ? *half_ : byte);
        const auto low = static_cast<unsigned char>(is_big ? byte : *half_);
        half_.reset();
        const auto fault = take_unit(static_cast<char16_t>(high << 8 | low), text);
        if (fault) return fault;
    }
    return std::nullopt;
}

template <typename Text>
std::optional<TextFault> TextDecoder::take_unit(char16_t unit, Text& text) {
    if (unit == 0) return TextFault::nul;
    if (is_low_surrogate(unit) != high_.has_value()) return TextFault::unpaired_surrogate;
    if (high_) {
        const char32_t code = 0x10000 + ((*high_ & 0x3ffU) << 10 | (unit & 0x3ffU));
        high_.reset();
        append_utf8(code, text);
    } else if (is_high_surrogate(unit)) {
        high_ = unit;
    } else {
        append_utf8(unit, text);
    }
    return std::nullopt;
}

template <typename Text>
std::optional<TextFault> TextDecoder::finish(Text& text) {
    text += mark_;  // too short for a byte order mark
    mark_.clear();
    if (half_ || high_) return TextFault::cut_off;
    return std::nullopt;
}

template std::optional<TextFault> TextDecoder::take(std::string_view, std::string&);
template std::optional<TextFault> TextDecoder::take(std::string_view, wallet::SecretString&);
template std::optional<TextFault> TextDecoder::finish(std::string&);
template std::optional<TextFault> TextDecoder::finish(wallet::SecretString&);

chain::Expected<std::string, TextFault> text_of(std::string_view bytes) {
    TextDecoder decoder;
    std::string text;
    text.reserve(bytes.size());
    auto fault = decoder.take(bytes, text);
    if (!fault) fault = decoder.finish(text);
    if (fault) return chain::Unexpected(*fault);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_before_feed = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
        if (!is_before_feed) text[kept++] = text[i];
    }
    text.resize(kept);
    return text;
}

std::string_view without_outer_blanks(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\r\n\v\f";
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

}  // namespace petal::cli
