// Control lines for a regtest node: each is answered with one JSON object, and the node keeps
// running.
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "cli/regtest/line_buffer.h"
#include "cli/regtest/node_control.h"

namespace {

using namespace petal;

/// The commands limit mining themselves. Here the limit is stricter, to be fast.
bool mines_much(std::string_view line) {
    int digits = 0;
    for (const char c : line) {
        digits = std::isdigit(static_cast<unsigned char>(c)) != 0 ? digits + 1 : 0;
        if (digits > 1) return line.find("mine") != line.npos || line.find("gen") != line.npos;
    }
    return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    regtest::EmbeddedNode node({},
                               regtest::RegtestChain({1'600'000'000, regtest::PurseKind::p2wpkh}));
    regtest::rpc::NodeSettings settings;
    settings.machine_time = [] { return std::int64_t{1'700'000'000}; };
    cli::NodeControl control(node, settings);
    cli::LineBuffer lines(1'000);
    std::string_view input(reinterpret_cast<const char*>(data), size);
    for (int answered = 0; !input.empty() && answered < 30;) {
        const std::size_t piece = std::min<std::size_t>(input.size(), 100);
        lines.append(input.substr(0, piece));
        input.remove_prefix(piece);
        while (const auto line = lines.next()) {
            if (line->too_long && !line->text.empty()) std::abort();
            if (mines_much(line->text)) continue;
            const cli::Json answer = control.answer(line->text);
            if (!answer.is_object() || answer.empty()) std::abort();
            ++answered;
        }
    }
    if (!control.status().contains("height")) std::abort();
    return 0;
}
