#include "cli/terminal/prose_stream.h"

#include <utility>

#include "cli/terminal/wrap.h"

namespace petal::cli {

ProseStream::ProseStream(std::ostream& target, std::function<std::size_t()> columns)
    : std::ostream(nullptr), buffer_(target, std::move(columns)) {
    rdbuf(&buffer_);
}

void ProseStream::Buffer::end_line() {
    if (!line_.empty()) out_ << wrap(std::exchange(line_, {}), columns_());
}

ProseStream::Buffer::int_type ProseStream::Buffer::overflow(int_type character) {
    if (traits_type::eq_int_type(character, traits_type::eof())) return 0;
    line_ += traits_type::to_char_type(character);
    if (line_.back() == '\n') end_line();
    return character;
}

int ProseStream::Buffer::sync() {
    end_line();
    out_.flush();
    return out_ ? 0 : -1;
}

}  // namespace petal::cli
