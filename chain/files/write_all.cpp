#include "chain/files/write_all.h"

#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace petal::chain {

void write_all(const FileDescriptor& opened, ByteView bytes, const std::filesystem::path& file,
               std::optional<std::size_t> offset) {
    while (!bytes.empty()) {
        const ssize_t count = offset ? ::pwrite(opened.number(), bytes.data(), bytes.size(),
                                                static_cast<off_t>(*offset))
                                     : ::write(opened.number(), bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) throw std::system_error(errno, std::generic_category(), file.string());
        const auto written = static_cast<std::size_t>(count);
        if (offset) *offset += written;
        bytes = bytes.subspan(written);
    }
}

}  // namespace petal::chain
