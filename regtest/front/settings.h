/// The settings of bitcoind: its command line and its config files.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chain/expected.h"
#include "regtest/front/config_text.h"

namespace petal::regtest::front {

/// The values of options, with Bitcoin Core's rules (common/args.cpp, common/settings.cpp). The
/// command line has precedence over the section of the chain, and the section over the lines above
/// all sections. On the command line, the last value of an option counts, and in a file the first.
/// `-noNAME` drops the values before it and those with less precedence.
class Settings {
public:
    /// The command line without the program's name. Returns what is wrong, in Bitcoin Core's words.
    static chain::Expected<Settings, std::string> parse(std::span<const std::string> arguments);

    /// Adds the lines of a file. Returns what is wrong. Unknown options are only noted.
    chain::Expected<void, std::string> add(const ConfigText& config);

    /// Whether there is a value or a negation.
    bool is_set(std::string_view name) const;
    bool is_negated(std::string_view name) const;
    /// Whether the option is true: a value without text, or with a number other than 0.
    bool boolean(std::string_view name, bool otherwise) const;
    /// Empty if the option is not set or is negated.
    std::optional<std::string> text(std::string_view name) const;
    /// All values, by precedence.
    std::vector<std::string> list(std::string_view name) const;

    /// `main`, `test`, `testnet4`, `signet`, `regtest`, or another text of -chain. Returns what is
    /// wrong if several options name a chain.
    chain::Expected<std::string, std::string> chain() const;
    /// Files that a config file names, if they are for this chain or for all chains.
    std::vector<std::string> included_files() const;

    /// Options that were set only above the sections, but count only in the section of regtest.
    std::vector<std::string> outside_section() const;
    /// Options in files that bitcoind does not have.
    const std::vector<std::string>& unknown() const { return unknown_; }
    /// The names of all options with a value or a negation.
    std::vector<std::string> names() const;

private:
    /// A value. Empty if the option is negated.
    using Value = std::optional<std::string>;
    using Values = std::map<std::string, std::vector<Value>, std::less<>>;

    /// The values of an option in one source after the last negation.
    struct Found {
        std::span<const Value> values;
        bool is_negated = false;  ///< a negation is among the values of the source
        bool is_last_first = false;
    };
    std::vector<Found> sources_of(std::string_view name) const;
    static void find_in(const Values& values, std::string_view name, bool is_last_first,
                        std::vector<Found>& found);
    /// The value that counts. Nothing if there is none.
    std::optional<Value> value(std::string_view name) const;

    Values command_line_;
    Values section_;  ///< of regtest
    Values base_;     ///< above all sections
    std::vector<std::string> unknown_;
};

}  // namespace petal::regtest::front
