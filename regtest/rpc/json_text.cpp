#include "regtest/rpc/json_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "regtest/rpc/btc_amount.h"

namespace petal::regtest::rpc {
namespace {

/// The maximum depth. A request needs less: a batch of requests with lists of objects.
constexpr std::size_t kMaxDepth = 32;

/// A number as its original text. JSON text has no binary values.
Json raw_number(const std::string& text) {
    return Json::binary(std::vector<std::uint8_t>(text.begin(), text.end()));
}

/// Builds the value of a text through nlohmann's SAX interface. Returning false stops the parser.
/// (nlohmann's own parser has no limits, and does not keep the text of numbers.)
class BoundedBuilder {
public:
    /// is_request   whether an `id` is the id of a JSON-RPC request
    explicit BoundedBuilder(bool is_request) : is_request_(is_request) {}

    bool null() { return add(nullptr); }
    bool boolean(bool value) { return add(value); }
    bool number_integer(Json::number_integer_t value) {
        if (value == 0 && is_in_id()) return add(raw_number("-0"));  // other zeros are unsigned
        return add(value);
    }
    bool number_unsigned(Json::number_unsigned_t value) { return add(value); }
    bool number_float(Json::number_float_t value, const std::string& text) {
        constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
        if (is_in_id()) return add(raw_number(text));
        return add(parse_btc_text(text) ? value : kNone);
    }
    bool string(std::string& value) { return add(std::move(value)); }
    bool binary(Json::binary_t& /*value*/) { return false; }  // does not occur in text
    bool start_object(std::size_t /*size*/) { return open(Json::object()); }
    bool key(std::string& name) {
        key_ = std::move(name);
        return true;
    }
    bool end_object() { return close(); }
    bool start_array(std::size_t /*size*/) { return open(Json::array()); }
    bool end_array() { return close(); }
    bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                     const Json::exception& /*error*/) {
        return false;
    }

    Json take() { return std::move(root_); }

private:
    /// Whether the next value is the `id` of a request, possibly in a batch.
    bool is_id_next() const {
        const bool is_outermost =
            open_.size() == 1 || (open_.size() == 2 && open_.front()->is_array());
        return is_request_ && is_outermost && open_.back()->is_object() && key_ == "id";
    }
    bool is_in_id() const { return id_depth_ > 0 || is_id_next(); }
    /// Adds the value to the innermost open container.
    Json& put(Json value) {
        Json* place = &root_;
        if (!open_.empty()) {
            Json& parent = *open_.back();
            place = parent.is_array() ? &parent.emplace_back() : &add_member(parent);
        }
        *place = std::move(value);
        return *place;
    }
    /// Adds the member even if another one has the same name.
    Json& add_member(Json& object) {
        append_member(object, key_, nullptr);
        return object.get_ref<Json::object_t&>().back().second;
    }
    bool add(Json value) {
        put(std::move(value));
        return true;
    }
    bool open(Json value) {
        if (open_.size() > kMaxDepth) return false;
        if (id_depth_ == 0 && is_id_next()) id_depth_ = open_.size() + 1;
        open_.push_back(&put(std::move(value)));
        return true;
    }
    bool close() {
        if (id_depth_ == open_.size()) id_depth_ = 0;
        open_.pop_back();
        return true;
    }

    bool is_request_;
    Json root_;
    std::vector<Json*> open_;  // outermost first (only the last one grows)
    std::string key_;
    std::size_t id_depth_ = 0;  // depth of the open `id` value (0: none)
};

std::string leaf_text(const Json& json) {
    return json.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

void write_string(const std::string& string, std::string& text) {
    const auto needs_no_escape = [](char c) {
        return c >= ' ' && c <= '~' && c != '"' && c != '\\';
    };
    text += std::ranges::all_of(string, needs_no_escape) ? '"' + string + '"' : leaf_text(string);
}

// NOLINTNEXTLINE(misc-no-recursion): methods answer values of few levels
void write(const Json& json, std::string& text) {
    if (json.is_object()) {
        char separator = '{';
        if (json.empty()) text += separator;
        for (const auto& [name, value] : json.items()) {
            text += std::exchange(separator, ',');
            write_string(name, text);
            text += ':';
            write(value, text);
        }
        text += '}';
    } else if (json.is_array()) {
        char separator = '[';
        if (json.empty()) text += separator;
        for (const Json& value : json) {
            text += std::exchange(separator, ',');
            write(value, text);
        }
        text += ']';
    } else if (json.is_string()) {
        write_string(json.get_ref<const std::string&>(), text);
    } else if (json.is_binary()) {
        text.append(json.get_binary().begin(), json.get_binary().end());
    } else {
        const auto amount = json.is_number_float() ? btc_text(json.get<double>()) : std::nullopt;
        text += amount ? *amount : leaf_text(json);
    }
}

std::optional<Json> built_of(std::string_view text, BoundedBuilder builder) {
    // nlohmann's lexer takes a NUL for the end of the text. JSON text has no NUL.
    if (text.find('\0') != text.npos) return std::nullopt;
    if (!Json::sax_parse(text, &builder)) return std::nullopt;
    return builder.take();
}

}  // namespace

std::optional<Json> parse_bounded(std::string_view text) {
    return built_of(text, BoundedBuilder(/*is_request=*/false));
}

std::optional<Json> parse_request(std::string_view text) {
    return built_of(text, BoundedBuilder(/*is_request=*/true));
}

std::string to_text(const Json& json) {
    std::string text;
    write(json, text);
    return text;
}

}  // namespace petal::regtest::rpc
