/// The versions of petal and of petal's libraries.
#pragma once

#include <string>

#include "cli/text/json.h"

namespace petal::cli {

/// The commit that petal was built from, followed by `-dirty` if files were changed since. Empty if
/// unknown. Defined in a source that each build generates (cmake/PetalCommit.cmake).
extern const char* const kCommit;

/// A version such as 0.1.0.
const char* petal_version();

/// The text of `petal --version`, without a final line end: the version with `commit`, then the
/// versions of the libraries. For a library that can't be queried, the version at compile time.
std::string version_text(const char* commit = kCommit);

/// The object of `version --json`: {"version", "commit" (null if not known), "libraries":{name:
/// version}}.
Json version_json(const char* commit = kCommit);

}  // namespace petal::cli
