/// The version of petal, and of the libraries that it was built with.
#pragma once

#include <string>

#include "cli/text/json.h"

namespace petal::cli {

/// The commit from which petal was built, followed by `-dirty` if files were changed since. Empty
/// if it is unknown. From a source that each build generates: cmake/PetalCommit.cmake.
extern const char* const kCommit;

/// A version such as 0.1.0.
const char* petal_version();

/// The text of `petal --version`, without a final line end: the version with `commit`, then the
/// versions of the libraries. A library that cannot be queried has its version at compile time.
std::string version_text(const char* commit = kCommit);

/// The object of `version --json`: {"version", "commit" (null if not known), "libraries":{name:
/// version}}.
Json version_json(const char* commit = kCommit);

}  // namespace petal::cli
