#include "cli/regtest/line_buffer.h"

#include <utility>

namespace petal::cli {

std::optional<LineBuffer::Line> LineBuffer::next() {
    const std::size_t end = text_.find('\n');
    if (end == std::string::npos) {
        skips_ = skips_ || text_.size() > max_bytes_;
        if (skips_) text_.clear();
        return std::nullopt;
    }
    Line line{text_.substr(0, end), std::exchange(skips_, false) || end > max_bytes_};
    if (line.too_long) line.text.clear();
    text_.erase(0, end + 1);
    return line;
}

}  // namespace petal::cli
