/// Errors of header files.
#pragma once

#include <stdexcept>

namespace petal::chain {

/// The file can't be used: it belongs to another network, has a newer format, or an I/O error
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

/// The file does not contain headers of this network. The file is left unchanged. The message says
/// what to do.
class HeaderFileUnusable : public HeaderFileError {
public:
    using HeaderFileError::HeaderFileError;
};

/// A record or page of the file is damaged. The next opening drops all records from the first bad
/// record on.
class HeaderFileDamaged : public HeaderFileError {
public:
    using HeaderFileError::HeaderFileError;
};

}  // namespace petal::chain
