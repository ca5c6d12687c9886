/// Errors of header files.
#pragma once

#include <stdexcept>

namespace petal::chain {

/// The file can't be used: it is of another network or a newer format, or the disk refuses. What it
/// says is one line for the user. A torn or damaged tail is no such failure; it is cut off.
class HeaderFileError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The file is not one of this network's headers. It is left unchanged; the message says what to
/// do.
class HeaderFileUnusable : public HeaderFileError {
public:
    using HeaderFileError::HeaderFileError;
};

/// A record or page of the file is damaged. The next opening of the file finds the first bad
/// record, and drops all from there on.
class HeaderFileDamaged : public HeaderFileError {
public:
    using HeaderFileError::HeaderFileError;
};

}  // namespace petal::chain
