#include "cli/regtest/command_words.h"

#include <algorithm>
#include <cstddef>

#include "cli/command_error.h"

namespace petal::cli {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\v\f";

bool is_blank(char c) {
    return kBlanks.find(c) != kBlanks.npos;
}

class WordReader {
public:
    explicit WordReader(std::string_view line) : rest_(line) { skip_blanks(); }

    bool at_end() const { return rest_.empty(); }

    std::string next() {
        const char first = rest_.front();
        const bool is_quoted = first == '"' || first == '\'';
        std::string word = is_quoted ? take_quoted() : take(word_size());
        skip_blanks();
        return word;
    }

private:
    void skip_blanks() { take(std::min(rest_.find_first_not_of(kBlanks), rest_.size())); }

    std::string take(std::size_t size) {
        std::string taken(rest_.substr(0, size));
        rest_.remove_prefix(size);
        return taken;
    }
    char take_one() {
        const char c = rest_.front();
        rest_.remove_prefix(1);
        return c;
    }

    std::string take_quoted() {
        const char quote = take_one();
        std::string word;
        while (!rest_.empty()) {
            const char c = take_one();
            if (c == quote) {
                if (rest_.empty() || is_blank(rest_.front())) return word;
                throw usage_error("a blank must follow a closing quote");
            }
            const bool escapes = c == '\\' && quote == '"' && !rest_.empty() &&
                                 (rest_.front() == '"' || rest_.front() == '\\');
            word += escapes ? take_one() : c;
        }
        throw usage_error("a quote is not closed");
    }

    std::size_t word_size() const {
        const bool is_json = rest_.front() == '[' || rest_.front() == '{';
        if (!is_json) return std::min(rest_.find_first_of(kBlanks), rest_.size());
        std::size_t open = 0;
        bool is_text = false;
        for (std::size_t i = 0; i < rest_.size(); ++i) {
            const char c = rest_[i];
            if (is_text && c == '\\') {
                ++i;
            } else if (c == '"') {
                is_text = !is_text;
            } else if (!is_text && (c == '[' || c == '{')) {
                ++open;
            } else if (!is_text && open > 0 && (c == ']' || c == '}')) {
                --open;
            } else if (!is_text && open == 0 && is_blank(c)) {
                return i;
            }
        }
        return rest_.size();
    }

    std::string_view rest_;
};

}  // namespace

std::vector<std::string> split_words(std::string_view line) {
    std::vector<std::string> words;
    for (WordReader reader(line); !reader.at_end();) words.push_back(reader.next());
    return words;
}

}  // namespace petal::cli
