/// What the files of headers fail with.
#pragma once

#include <stdexcept>

namespace petal::chain {

/// The file can't be used: it is of another network or a newer format, or the disk refuses. What it
/// says is one line for the user. A torn or damaged tail is no such failure; it is cut off.
class HeaderFileError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// What lies there is no file of this network's headers, and nothing in it can be used. It is left
/// alone; what it says includes what to do.
class HeaderFileUnusable : public HeaderFileError {
public:
    using HeaderFileError::HeaderFileError;
};

/// What was read from the middle of the file is not what was written there. The next opening of the
/// file finds out where the damage starts, and cuts it off there.
class HeaderFileDamaged : public HeaderFileError {
public:
    using HeaderFileError::HeaderFileError;
};

}  // namespace petal::chain
