#include "cli/reference/man_page.h"

#include <algorithm>
#include <cctype>
#include <sstream>

#include "cli/options/version.h"
#include "cli/terminal/wrap.h"

namespace petal::cli {
namespace {

/// The parts of the page that are not in the definitions.
constexpr std::string_view kAbout =
    "petal loads a Bloom filter (BIP37) onto a full node, receives filtered blocks with the "
    "transactions that match, proves each transaction against the header chain, and keeps the "
    "coins of its own addresses. The default network is testnet4.\n\n"
    "Options may stand before and after the command. Each may also stand in a config file (TOML), "
    "by its long name: at the top for all commands, or in a table with a command's name for that "
    "command alone. The command line has precedence, then the environment, then the config file.";

constexpr std::pair<std::string_view, std::string_view> kFiles[] = {
    {"DIR/petal.toml", "the config file, unless --config names another; DIR is that of --datadir"},
    {"DIR/NETWORK/wallets/NAME.db", "a wallet: back it up with petal backup, not by copying it"},
    {"DIR/NETWORK/wallets/NAME.db.filter-hosts", "the hosts that got the wallet's filter"},
    {"DIR/NETWORK/wallets/NAME.db.relay-node", "the node that relays its unconfirmed payments"},
    {"DIR/NETWORK/wallets/deleted.filter-hosts", "the same of deleted wallets"},
    {"DIR/NETWORK/headers.dat", "the validated block headers"},
    {"DIR/NETWORK/peers.db", "the known nodes"},
    {"DIR/NETWORK/fee-floor.json", "the fee rate that peers relayed at least"},
};

/// Text that roff shows unchanged. A dot at the beginning of a line would make it a macro.
std::string escaped(std::string_view text) {
    std::string roff;
    for (const char c : text) {
        const bool begins_line = roff.empty() || roff.back() == '\n';
        if (c == '.' && begins_line) roff += "\\&";
        switch (c) {
            case '\\':
                roff += "\\e";
                break;
            case '-':
                roff += "\\-";
                break;
            case '\'':
                roff += "\\(aq";
                break;
            case '`':
                roff += "\\(ga";
                break;
            case '^':
                roff += "\\(ha";
                break;
            case '~':
                roff += "\\(ti";
                break;
            default:
                roff += c;
        }
    }
    return roff;
}

std::string bold(std::string_view text) {
    return "\\fB" + escaped(text) + "\\fR";
}
std::string italic(std::string_view text) {
    return "\\fI" + escaped(text) + "\\fR";
}

std::string upper_case(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
    return text;
}

std::string as_sentence(std::string text) {
    if (!text.empty())
        text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return text + ".";
}

/// The name of the page on a command: petal-sync.
std::string page_name(const CommandDefinition& command) {
    std::string name = command.name;
    std::ranges::replace(name, ' ', '-');
    return name;
}

/// Builds the text of a page, macro by macro.
class PageText {
public:
    void macro(std::string_view name, const std::string& argument = "") {
        text_ += "." + std::string(name);
        text_ += argument.empty() ? "\n" : " \"" + argument + "\"\n";
    }
    void line(const std::string& roff) { text_ += roff + "\n"; }
    /// Adds lines unchanged and unfilled. The lines must fit a terminal with 80 columns, beside the
    /// margin.
    void verbatim(const std::string& lines) {
        constexpr std::size_t kColumns = 72;
        macro("PP");
        macro("nf");
        line(escaped(wrap(lines, kColumns)));
        macro("fi");
    }
    void item(const std::string& tag, std::string_view description) {
        macro("TP");
        line(tag);
        line(escaped(description));
    }
    std::string take() { return std::move(text_); }

private:
    std::string text_;
};

/// The footer of a command's help, taken apart.
struct Footer {
    std::vector<std::string> body;  ///< paragraphs, and blocks that begin with a space
    std::string examples;
    std::string exit_status;
};

bool is_indented(const std::string& line) {
    return line.starts_with(' ');
}

/// Adds a line to the last block of the body, or begins the next part.
void add_to_body(Footer& footer, const std::string& line, bool begins) {
    begins = begins || footer.body.empty() || !is_indented(footer.body.back());
    if (begins || !is_indented(line)) {
        footer.body.push_back(line);
    } else {
        footer.body.back() += "\n" + line;
    }
}

Footer read_footer(const std::string& text) {
    constexpr std::string_view kExitStatus = "Exit status: ";
    Footer footer;
    bool is_example = false;
    bool begins = true;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.empty()) {
            is_example = false;
            begins = true;
        } else if (line == "Example:" || line == "Examples:" || line == "Try it:") {
            is_example = true;
        } else if (line.starts_with(kExitStatus)) {
            footer.exit_status = line.substr(kExitStatus.size());
        } else if (is_example) {
            footer.examples += (footer.examples.empty() ? "" : "\n") + line.substr(2);
        } else {
            add_to_body(footer, line, begins);
            begins = false;
        }
    }
    return footer;
}

void add_body(PageText& page, const Footer& footer) {
    for (const std::string& part : footer.body) {
        if (is_indented(part)) {
            page.verbatim(part);
        } else {
            page.macro("PP");
            page.line(escaped(part));
        }
    }
}

void add_options(PageText& page, const CommandDefinition& command) {
    for (const OptionDefinition& option : command.options) {
        std::string tag;
        for (const std::string& name : option.names) tag += (tag.empty() ? "" : ", ") + bold(name);
        if (!option.value.empty()) tag += " " + italic(option.value);
        page.item(tag, option.description);
    }
}

/// Adds a subcommand of the page's command.
void add_subcommand(PageText& page, const CommandDefinition& command) {
    const Footer footer = read_footer(command.footer);
    page.macro("SS", escaped(command.usage));
    page.line(escaped(as_sentence(command.description)));
    add_body(page, footer);
    add_options(page, command);
    if (!footer.exit_status.empty()) {
        page.macro("PP");
        page.line(escaped("Exit status: " + footer.exit_status));
    }
    if (!footer.examples.empty()) page.verbatim(footer.examples);
}

void begin_page(PageText& page, const CommandDefinition& command) {
    const std::string name = page_name(command);
    page.line(".\\\" Made from the definitions of petal's commands: cli/reference.");
    page.line(".TH \"" + escaped(upper_case(name)) + "\" 1 \"\" \"petal " + petal_version() +
              "\" \"User Commands\"");
    page.macro("SH", "NAME");
    page.line(escaped(name) + " \\- " + escaped(command.description));
    page.macro("SH", "SYNOPSIS");
    page.line(escaped(command.usage));
}

void end_page(PageText& page, const Footer& footer, const std::string& see_also) {
    if (!footer.examples.empty()) {
        page.macro("SH", "EXAMPLES");
        page.verbatim(footer.examples);
    }
    page.macro("SH", "EXIT STATUS");
    page.line(escaped(footer.exit_status.empty() ? "As in petal(1)." : footer.exit_status));
    page.macro("SH", "SEE ALSO");
    page.line(see_also);
}

ManPage command_page(const CommandDefinition& command) {
    const Footer footer = read_footer(command.footer);
    PageText page;
    begin_page(page, command);
    page.macro("SH", "DESCRIPTION");
    page.line(escaped(as_sentence(command.description)));
    add_body(page, footer);
    page.macro("SH", "OPTIONS");
    add_options(page, command);
    page.macro("PP");
    page.line(
        escaped("The global options, such as --network, --wallet and --json, are in petal(1)."));
    if (!command.commands.empty()) page.macro("SH", "COMMANDS");
    for (const CommandDefinition& below : command.commands) add_subcommand(page, below);
    end_page(page, footer, bold("petal") + "(1)");
    return {page_name(command), page.take()};
}

void add_environment(PageText& page, const CommandDefinition& root) {
    page.macro("SH", "ENVIRONMENT");
    for (const OptionDefinition& option : root.options) {
        if (option.variable.empty()) continue;
        page.item(bold(option.variable), "as " + option.names.front());
    }
}

ManPage root_page(const CommandDefinition& root) {
    PageText page;
    begin_page(page, root);
    page.macro("SH", "DESCRIPTION");
    add_body(page, read_footer(std::string(kAbout)));
    page.macro("SH", "COMMANDS");
    std::string group;
    for (const CommandDefinition& command : root.commands) {
        if (command.group != group) page.macro("SS", escaped(group = command.group));
        page.item(bold(page_name(command)) + "(1)", command.description);
    }
    page.macro("SH", "OPTIONS");
    add_options(page, root);
    add_environment(page, root);
    page.macro("SH", "FILES");
    for (const auto& [file, description] : kFiles) page.item(italic(file), description);
    std::string pages;
    for (const CommandDefinition& command : root.commands) {
        pages += (pages.empty() ? "" : ",\n") + bold(page_name(command)) + "(1)";
    }
    end_page(page, read_footer(root.footer), pages);
    return {page_name(root), page.take()};
}

}  // namespace

std::vector<ManPage> man_pages(const CommandDefinition& root) {
    std::vector<ManPage> pages{root_page(root)};
    for (const CommandDefinition& command : root.commands) pages.push_back(command_page(command));
    return pages;
}

}  // namespace petal::cli
