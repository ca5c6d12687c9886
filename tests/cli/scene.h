/// Runs commands in this process, with streams and a data folder of the test.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/regtest/temporary_folder.h"
#include "cli/text/command_error.h"
#include "cli/text/json.h"
#include "tests/support/mnemonic.h"

namespace petal::test {

/// The result of a command.
struct Outcome {
    cli::ExitStatus status = cli::ExitStatus::done;
    std::string out;
    std::string err;

    /// Parses standard output as a single JSON object. Throws for any other output.
    cli::Json json() const { return cli::Json::parse(out); }
    /// The error code that a failed command printed with --json.
    std::string code() const { return json().at("error").at("code"); }
};

/// A data folder for commands, on regtest unless a command names a network.
class Scene {
public:
    const std::filesystem::path& folder() const { return folder_.path(); }
    std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }
    /// Writes a file into the folder and returns its path.
    std::string write(const std::string& name, const std::string& content) const;

    /// Runs a command with --datadir, and with --network regtest unless it has a --network.
    Outcome run(const std::vector<std::string>& arguments, const std::string& input = "") const;
    /// As run(), with a terminal as standard output.
    Outcome run_on_terminal(const std::vector<std::string>& arguments) const;
    /// Runs the command with exactly these arguments.
    static Outcome run_plain(const std::vector<std::string>& arguments,
                             const std::string& input = "");

private:
    std::vector<std::string> with_folder(const std::vector<std::string>& arguments) const;

    cli::TemporaryFolder folder_;
};

/// Sets an environment variable, or unsets it, until the end of the scope.
class ScopedVariable {
public:
    ScopedVariable(std::string name, const char* value);
    ~ScopedVariable();
    ScopedVariable(const ScopedVariable&) = delete;
    ScopedVariable& operator=(const ScopedVariable&) = delete;

private:
    std::string name_;
    std::optional<std::string> before_;
};

}  // namespace petal::test
