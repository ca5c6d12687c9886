/// Errors of header files.
#pragma once

#include <stdexcept>

namespace petal::chain {

/// The file can't be used: it belongs to another network or has a newer format, or an I/O error
/// occurred. what() is one line for the user. A torn or damaged tail is cut off and is not an
/// error.
class HeaderFileError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The file's last header is more than two hours ahead of the clock. The file is left unchanged.
class HeadersFromFuture : public HeaderFileError {
public:
    using HeaderFileError::HeaderFileError;
};

/// The file does not hold headers of this network. It is left unchanged; the message names the
/// remedy.
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
