/// The version of petal, and of the libraries that it was built with.
#pragma once

#include <string>

#include "cli/json.h"

namespace petal::cli {

/// The commit that petal was built from, `-dirty` behind it if files were changed since; empty
/// where nothing says which. From a source that each build makes: cmake/PetalCommit.cmake.
extern const char* const kCommit;

/// A version such as 0.1.0.
const char* petal_version();

/// The text of `petal --version`, without a last line end: the version with its commit, then the
/// libraries: those in use now if they can tell, else those that petal was compiled with.
std::string version_text();

/// The object of `version --json`: {"version", "commit" (null if not known), "libraries":{name:
/// version}}.
Json version_json();

}  // namespace petal::cli
