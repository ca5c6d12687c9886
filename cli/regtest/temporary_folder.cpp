#include "cli/regtest/temporary_folder.h"

#include <stdlib.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "cli/text/command_error.h"

namespace petal::cli {

TemporaryFolder::TemporaryFolder() {
    std::error_code error;
    const std::filesystem::path place = std::filesystem::temp_directory_path(error);
    if (error) {
        throw CommandError(ExitStatus::failed, "storage",
                           "there is no folder for temporary files; set TMPDIR to one");
    }
    std::string name = (place / "petal-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
        throw std::system_error(errno, std::generic_category(), "cannot make " + name);
    }
    path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;  // the failure can't be reported any more
    std::filesystem::remove_all(path_, ignored);
}

}  // namespace petal::cli
