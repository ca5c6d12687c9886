#include "tests/cli/scene.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "cli/run.h"

namespace petal::test {

std::string Scene::write(const std::string& name, const std::string& content) const {
    const std::filesystem::path file = path(name);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << content;
    return file.string();
}

Outcome Scene::run(std::vector<std::string> arguments, const std::string& input) const {
    const bool has_network =
        std::find(arguments.begin(), arguments.end(), "--network") != arguments.end();
    std::vector<std::string> all{"--datadir", folder().string()};
    if (!has_network) all.insert(all.end(), {"--network", "regtest"});
    all.insert(all.end(), arguments.begin(), arguments.end());
    return run_plain(all, input);
}

Outcome Scene::run_plain(const std::vector<std::string>& arguments, const std::string& input) {
    std::istringstream in(input);
    std::ostringstream out;
    std::ostringstream err;
    cli::Console console(in, out, err, {}, /*no_colour=*/true);
    const cli::ExitStatus status = cli::run(arguments, console);
    return {status, out.str(), err.str()};
}

ScopedVariable::ScopedVariable(std::string name, const char* value) : name_(std::move(name)) {
    if (const char* before = std::getenv(name_.c_str())) before_ = before;
    value == nullptr ? unsetenv(name_.c_str()) : setenv(name_.c_str(), value, 1);
}

ScopedVariable::~ScopedVariable() {
    before_ ? setenv(name_.c_str(), before_->c_str(), 1) : unsetenv(name_.c_str());
}

}  // namespace petal::test
