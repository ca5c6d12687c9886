#include "cli/reference/completion.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "chain/enum_table.h"

namespace petal::cli {
namespace {

/// The name of a kind of value in the scripts for bash and zsh, and the arguments for fish.
struct ValueRow {
    std::string_view name;
    std::string_view fish;
};

constexpr auto kValues = chain::enum_table<ValueKind, ValueRow>({
    {ValueKind::none, {"", ""}},
    {ValueKind::text, {"@text", " -x"}},
    {ValueKind::words, {"", " -x -a "}},
    {ValueKind::file, {"@file", " -r -F"}},
    {ValueKind::folder, {"@directory", " -x -a '(__fish_complete_directories)'"}},
});

/// The values of an option: the words, or the name of the kind of value.
std::string value_text(const OptionDefinition& option) {
    std::string text(kValues[option.kind].name);
    if (option.kind != ValueKind::words) return text;
    for (const std::string& word : option.words) text += (text.empty() ? "" : " ") + word;
    return text;
}

/// Words with escaped bars: zsh and fish would take a bare bar for a pipe.
std::string bars_escaped(const std::string& words) {
    std::string text;
    for (const char c : words) text += c == '|' ? "\\|" : std::string(1, c);
    return text;
}

std::logic_error other_values(const std::string& command, const std::string& option) {
    return std::logic_error(command + " " + option + " takes other values than " + option +
                            " elsewhere");
}

/// The values of each option, by the option's names. Empty for a flag.
std::map<std::string, std::string> option_values(const CommandDefinition& root) {
    std::map<std::string, std::string> values;
    for (const CommandDefinition* command : all_commands(root)) {
        for (const OptionDefinition& option : command->options) {
            for (const std::string& name : option.names) {
                const auto [row, is_new] = values.emplace(name, value_text(option));
                if (!is_new && row->second != value_text(option)) {
                    throw other_values(command->name, name);
                }
            }
        }
    }
    return values;
}

/// Quoted with single quotes, as in shells.
std::string quoted(const std::string& text, const char* quote) {
    std::string result = "'";
    for (const char c : text) result += c == '\'' ? std::string(quote) : std::string(1, c);
    return result + "'";
}
constexpr const char* kQuoteOfPosix = "'\\''";
constexpr const char* kQuoteOfFish = "\\'";

/// A description up to the first semicolon outside of parentheses, because each description gets
/// one line.
std::string brief(const std::string& description) {
    int open = 0;
    const auto end = std::ranges::find_if(description, [&open](char c) {
        if (c == '(') ++open;
        if (c == ')') --open;
        return c == ';' && open <= 0;
    });
    return {description.begin(), end};
}

/// A shell function that takes a name and answers with one of `rows`. Each row is a `case`.
std::string case_function(const std::string& name, const std::string& comment,
                          const std::string& rows) {
    return "\n# " + comment + "\n" + name + "() {\n    case $1 in\n" + rows +
           "        *) return 1 ;;\n    esac\n}\n";
}

std::string case_row(const std::string& pattern, const std::string& answer) {
    return "        " + pattern + ") " + answer + " ;;\n";
}

std::string names_of(const std::vector<OptionDefinition>& options) {
    std::string names;
    for (const OptionDefinition& option : options) {
        for (const std::string& name : option.names) names += (names.empty() ? "" : " ") + name;
    }
    return names;
}

std::string commands_of(const CommandDefinition& command) {
    std::string words = command.takes_files ? "@file" : "";
    for (const CommandDefinition& below : command.commands) {
        words += (words.empty() ? "" : " ") + below.word();
    }
    return words;
}

constexpr const char* kBash = R"shell(
_petal() {
    local current=${COMP_WORDS[COMP_CWORD]} at=petal option='' word words
    # Of --network=regtest, bash makes three words.
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        if [ "$word" = = ]; then
            continue
        elif [ -n "$option" ]; then
            option=''
        elif [[ $word == -* ]]; then
            [ -z "$(_petal_value "$word")" ] || option=$word
        elif _petal_commands "$at $word" >/dev/null; then
            at="$at $word"
        fi
    done
    [ "$current" != = ] || current=''
    if [ -n "$option" ]; then
        words=$(_petal_value "$option")
    elif [[ $current == -* ]]; then
        words="$(_petal_options "$at") $(_petal_options petal)"
    else
        words=$(_petal_commands "$at")
    fi
    COMPREPLY=()
    case $words in
        @file | @directory)
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -A "${words#@}" -- "$current") ;;
        @text) ;;
        *)
            mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
            [ "${#COMPREPLY[@]}" -eq 0 ] ||
                mapfile -t COMPREPLY < <(printf '%q\n' "${COMPREPLY[@]}") ;;
    esac
}
complete -F _petal petal
)shell";

constexpr const char* kZsh = R"shell(
_petal() {
    local at=petal option= word
    local -a reply
    for word in "${(@)words[2,CURRENT-1]}"; do
        if [[ -n $option ]]; then
            option=
        elif [[ $word == -*=* ]]; then
            continue
        elif [[ $word == -* ]]; then
            _petal_value $word && option=$word
        elif _petal_commands "$at $word"; then
            at="$at $word"
        fi
    done
    if [[ -z $option && $words[CURRENT] == --*=* ]]; then
        option=${words[CURRENT]%%=*}
        compset -P '*='
    fi
    if [[ -n $option ]]; then
        _petal_value $option
    elif [[ $words[CURRENT] == -* ]]; then
        local -a all
        _petal_options petal
        all=("${(@)reply}")
        [[ $at == petal ]] || _petal_options "$at"
        [[ $at == petal ]] || all+=("${(@)reply}")
        _describe -o option all
        return
    else
        _petal_commands "$at"
        if [[ -n $reply && $reply != @file ]]; then
            _describe command reply
            return
        fi
    fi
    case $reply in
        @file) _files ;;
        @directory) _files -/ ;;
        @text) _message value ;;
        *) compadd -a reply ;;
    esac
}
_petal "$@"
)shell";

constexpr const char* kFish = R"shell(
# The command that the words before the cursor lead to, such as: petal filter design.
function __petal_at
    set -l at petal
    set -l option
    for word in (commandline -opc)[2..-1]
        if set -q option[1]
            set -e option[1]
        else if contains -- $word $__petal_with_value
            set option $word
        else if contains -- "$at $word" $__petal_commands
            set at "$at $word"
        end
    end
    echo $at
end

complete -c petal -f
)shell";

std::string first_lines(const char* shell) {
    return std::string("# Completion of petal for ") + shell +
           ", made from the definitions of its commands: cli/reference.\n";
}

std::string fish_option(const OptionDefinition& option, const std::string& condition) {
    std::string line = "complete -c petal" + condition;
    for (const std::string& name : option.names) {
        const bool is_long = name.starts_with("--");
        line += (is_long ? " -l " : " -s ") + name.substr(is_long ? 2 : 1);
    }
    line += kValues[option.kind].fish;
    if (option.kind == ValueKind::words) {
        line += quoted(bars_escaped(value_text(option)), kQuoteOfFish);
    }
    return line + " -d " + quoted(brief(option.description), kQuoteOfFish) + "\n";
}

}  // namespace

std::string bash_completion(const CommandDefinition& root) {
    std::string commands;
    std::string options;
    for (const CommandDefinition* command : all_commands(root)) {
        const std::string name = quoted(command->name, kQuoteOfPosix);
        commands += case_row(name, "echo '" + commands_of(*command) + "'");
        options += case_row(name, "echo '" + names_of(command->options) + "'");
    }
    std::string values;
    for (const auto& [name, value] : option_values(root)) {
        if (!value.empty()) values += case_row(name, "echo '" + value + "'");
    }
    return first_lines("bash") +
           case_function("_petal_commands", "What may follow the command: commands, or files.",
                         commands) +
           case_function("_petal_options", "The command's own options.", options) +
           case_function("_petal_value", "What the option takes.", values) + kBash;
}

std::string zsh_completion(const CommandDefinition& root) {
    std::string commands;
    std::string options;
    for (const CommandDefinition* command : all_commands(root)) {
        const std::string name = quoted(command->name, kQuoteOfPosix);
        std::string below = command->takes_files ? " @file" : "";
        for (const CommandDefinition& each : command->commands) {
            below += " " + quoted(each.word() + ":" + each.description, kQuoteOfPosix);
        }
        std::string own;
        for (const OptionDefinition& option : command->options) {
            for (const std::string& each : option.names) {
                own += "\n            " +
                       quoted(each + ":" + brief(option.description), kQuoteOfPosix);
            }
        }
        commands += case_row(name, "reply=(" + below + " )");
        options += case_row(name, "reply=(" + own + " )");
    }
    std::string values;
    for (const auto& [name, value] : option_values(root)) {
        if (!value.empty()) values += case_row(name, "reply=(" + bars_escaped(value) + ")");
    }
    return "#compdef petal\n" + first_lines("zsh") +
           case_function("_petal_commands", "What may follow the command: commands, or files.",
                         commands) +
           case_function("_petal_options", "The command's own options.", options) +
           case_function("_petal_value", "What the option takes.", values) + kZsh;
}

std::string fish_completion(const CommandDefinition& root) {
    std::string names = "set -g __petal_commands";
    std::string rows;
    for (const CommandDefinition* command : all_commands(root)) {
        names += " " + quoted(command->name, kQuoteOfFish);
        const bool is_root = command == &root;
        const std::string here =
            " -n 'test (__petal_at | string collect) = \"" + command->name + "\"'";
        for (const CommandDefinition& below : command->commands) {
            rows += "complete -c petal" + here + " -a " + below.word() + " -d " +
                    quoted(below.description, kQuoteOfFish) + "\n";
        }
        if (command->takes_files) rows += "complete -c petal" + here + " -F\n";
        for (const OptionDefinition& option : command->options) {
            rows += fish_option(option, is_root ? "" : here);
        }
    }
    std::string with_value = "set -g __petal_with_value";
    for (const auto& [name, value] : option_values(root)) {
        if (!value.empty()) with_value += " " + name;
    }
    return first_lines("fish") + "\n" + names + "\n" + with_value + "\n" + kFish + rows;
}

}  // namespace petal::cli
