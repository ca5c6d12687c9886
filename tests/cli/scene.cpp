#include "tests/cli/scene.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "cli/run.h"

namespace petal::test {
namespace {

Outcome run_with(const std::vector<std::string>& arguments, const std::string& input,
                 cli::Console::Terminals terminals) {
    std::istringstream in(input);
    std::ostringstream out;
    std::ostringstream err;
    cli::Console console(in, out, err, terminals, /*no_colour=*/true);
    const cli::ExitStatus status = cli::run(arguments, console);
    return {status, out.str(), err.str()};
}

}  // namespace

std::string Scene::write(const std::string& name, const std::string& content) const {
    const std::filesystem::path file = path(name);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << content;
    return file.string();
}

Outcome Scene::run(const std::vector<std::string>& arguments, const std::string& input) const {
    return run_plain(with_folder(arguments), input);
}

Outcome Scene::run_on_terminal(const std::vector<std::string>& arguments) const {
    return run_with(with_folder(arguments), "", {.out = true});
}

Outcome Scene::run_plain(const std::vector<std::string>& arguments, const std::string& input) {
    return run_with(arguments, input, {});
}

std::vector<std::string> Scene::with_folder(const std::vector<std::string>& arguments) const {
    const bool has_network =
        std::find(arguments.begin(), arguments.end(), "--network") != arguments.end();
    std::vector<std::string> all{"--datadir", folder().string()};
    if (!has_network) all.insert(all.end(), {"--network", "regtest"});
    all.insert(all.end(), arguments.begin(), arguments.end());
    return all;
}

ScopedVariable::ScopedVariable(std::string name, const char* value) : name_(std::move(name)) {
    if (const char* before = std::getenv(name_.c_str())) before_ = before;
    value == nullptr ? unsetenv(name_.c_str()) : setenv(name_.c_str(), value, 1);
}

ScopedVariable::~ScopedVariable() {
    before_ ? setenv(name_.c_str(), before_->c_str(), 1) : unsetenv(name_.c_str());
}

}  // namespace petal::test
