#include "bloom/large_filter_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cerrno>
#include <system_error>
#include <utility>

#include "chain/byte_reader.h"
#include "chain/byte_writer.h"
#include "chain/enum_table.h"
#include "chain/files/file_lock.h"
#include "chain/files/regular_file.h"
#include "chain/files/write_all.h"
#include "chain/hash.h"

namespace petal::bloom {
namespace {

constexpr std::string_view kMagic = "petal filter";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHeaderBytes = 64;
constexpr std::size_t kCheckBytes = 8;
/// More than general_size() ever gives.
constexpr std::uint32_t kMostFunctions = 64;
constexpr std::uint64_t kMostBits = std::uint64_t{1} << 47;

[[noreturn]] void fail(int error, const std::filesystem::path& path) {
    throw std::system_error(error, std::generic_category(), path.string());
}

std::size_t file_bytes(const GeneralSize& size) {
    return kHeaderBytes + static_cast<std::size_t>(size.bits / 8);
}

std::array<chain::Byte, kCheckBytes> check_of(chain::ByteView header) {
    const auto hash = chain::sha256(header);
    std::array<chain::Byte, kCheckBytes> check{};
    std::copy_n(hash.begin(), check.size(), check.begin());
    return check;
}

/// Never blocks, e.g. not until a FIFO has a writer.
chain::FileDescriptor open_regular(const std::filesystem::path& path, int flags) {
    chain::FileDescriptor opened(path, flags | O_NONBLOCK | O_NOCTTY);
    struct stat status {};
    if (::fstat(opened.number(), &status) != 0) fail(errno, path);
    if (!S_ISREG(status.st_mode)) throw std::system_error(chain::not_regular_file(), path.string());
    return opened;
}

std::uint64_t size_of(const chain::FileDescriptor& opened, const std::filesystem::path& path) {
    struct stat status {};
    if (::fstat(opened.number(), &status) != 0) fail(errno, path);
    return static_cast<std::uint64_t>(status.st_size);
}

/// The first 64 bytes of the file, or all bytes of a shorter file.
chain::Bytes read_start(const chain::FileDescriptor& opened, const std::filesystem::path& path) {
    chain::Bytes start(kHeaderBytes);
    std::size_t got = 0;
    while (got < start.size()) {
        const ssize_t count = ::pread(opened.number(), start.data() + got, start.size() - got,
                                      static_cast<off_t>(got));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) fail(errno, path);
        if (count == 0) break;
        got += static_cast<std::size_t>(count);
    }
    start.resize(got);
    return start;
}

/// Reserves the bytes of the file that are not on the disk yet. Otherwise an insertion on a full
/// disk would end the process (SIGBUS). The free space is checked first, because a reservation that
/// fails may use up the rest of the disk.
void reserve(const chain::FileDescriptor& opened, std::uint64_t bytes,
             const std::filesystem::path& path) {
    constexpr std::uint64_t kBlockBytes = 512;  // of st_blocks, by stat(3)
    struct stat file {};
    struct statvfs disk {};
    if (::fstat(opened.number(), &file) != 0) fail(errno, path);
    if (::fstatvfs(opened.number(), &disk) != 0) fail(errno, path);
    const std::uint64_t reserved = static_cast<std::uint64_t>(file.st_blocks) * kBlockBytes;
    if (reserved >= bytes) return;
    if (disk.f_bavail * disk.f_frsize < bytes - reserved) fail(ENOSPC, path);
    const int error = ::posix_fallocate(opened.number(), 0, static_cast<off_t>(bytes));
    if (error != 0) fail(error, path);
}

}  // namespace

std::string_view describe(LargeFilterError error) {
    using enum LargeFilterError;
    static constexpr auto kTexts = chain::enum_table<LargeFilterError, std::string_view>({
        {not_a_filter, "it is no filter that petal made"},
        {newer_version, "a newer version made it"},
        {bad_header, "its header is damaged"},
        {wrong_size, "it is cut off, or has bytes too many"},
        {in_use, "another process is adding to it"},
    });
    return kTexts[error];
}

void LargeFilterFile::Unmap::operator()(chain::Byte* start) const {
    ::munmap(start, bytes);
}

chain::Bytes LargeFilterFile::encode(const Header& header) {
    chain::ByteWriter writer(kHeaderBytes);
    writer.bytes(chain::as_bytes(kMagic)).u32(kVersion);
    writer.u64(header.size.bits).u32(header.size.hash_functions).u32(0);
    writer.u64(header.expected_insertions)
        .u64(std::bit_cast<std::uint64_t>(header.false_positive_rate))
        .u64(0);
    writer.bytes(check_of(writer.view()));
    return writer.take();
}

chain::Expected<LargeFilterFile::Header, LargeFilterError> LargeFilterFile::decode(
    chain::ByteView bytes) {
    using enum LargeFilterError;
    if (!is_start_of_one(bytes)) return chain::Unexpected(not_a_filter);
    chain::ByteReader reader(bytes);
    reader.read_view(kMagic.size());
    const std::uint32_t version = reader.read_u32();
    if (reader.ok() && version > kVersion) return chain::Unexpected(newer_version);
    Header header;
    header.size.bits = reader.read_u64();
    header.size.hash_functions = reader.read_u32();
    reader.read_u32();
    header.expected_insertions = reader.read_u64();
    header.false_positive_rate = std::bit_cast<double>(reader.read_u64());
    reader.read_u64();
    const chain::ByteView check = reader.read_view(kCheckBytes);
    if (!reader.ok()) return chain::Unexpected(bad_header);
    const GeneralSize& size = header.size;
    const bool is_sound =
        std::ranges::equal(check, check_of(bytes.first(kHeaderBytes - kCheckBytes))) &&
        version == kVersion && size.bits > 0 && size.bits % 64 == 0 && size.bits <= kMostBits &&
        size.hash_functions > 0 && size.hash_functions <= kMostFunctions &&
        header.false_positive_rate > 0 && header.false_positive_rate < 1;
    if (!is_sound) return chain::Unexpected(bad_header);
    return header;
}

bool LargeFilterFile::is_start_of_one(chain::ByteView bytes) {
    const chain::ByteView magic = chain::as_bytes(kMagic);
    return bytes.size() >= magic.size() && std::ranges::equal(bytes.first(magic.size()), magic);
}

LargeFilterFile::Map LargeFilterFile::map(const chain::FileDescriptor& opened,
                                          const std::filesystem::path& path, Access access,
                                          std::size_t bytes) {
    const int protection = access == Access::add ? PROT_READ | PROT_WRITE : PROT_READ;
    void* const start = ::mmap(nullptr, bytes, protection, MAP_SHARED, opened.number(), 0);
    if (start == MAP_FAILED) fail(errno, path);
    // Elements fall on pages far apart. A failure does no harm.
    ::madvise(start, bytes, MADV_RANDOM);
    return {static_cast<chain::Byte*>(start), Unmap{bytes}};
}

LargeFilterFile::LargeFilterFile(chain::FileDescriptor descriptor, std::filesystem::path path,
                                 Access access, const Header& header)
    : descriptor_(std::move(descriptor)),
      path_(std::move(path)),
      access_(access),
      header_(header),
      map_(map(descriptor_, path_, access, file_bytes(header.size))),
      filter_({map_.get() + kHeaderBytes, file_bytes(header.size) - kHeaderBytes},
              header.size.hash_functions) {}

LargeFilterFile LargeFilterFile::create(const std::filesystem::path& path,
                                        std::uint64_t expected_insertions,
                                        double false_positive_rate) {
    const Header header{general_size(expected_insertions, false_positive_rate), expected_insertions,
                        false_positive_rate};
    chain::FileDescriptor made(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW);
    try {
        if (!lock_at_once(made, chain::FileLock::Mode::exclusive, path)) fail(EBUSY, path);
        reserve(made, file_bytes(header.size), path);
        // The header is written last. A file without a header, e.g. of a process that was killed
        // before, is refused.
        write_all(made, encode(header), path, 0);
        if (::fsync(made.number()) != 0) fail(errno, path);
        return {std::move(made), path, Access::add, header};
    } catch (const std::system_error&) {
        ::unlink(path.c_str());
        throw;
    }
}

chain::Expected<LargeFilterFile, LargeFilterError> LargeFilterFile::open(
    const std::filesystem::path& path, Access access) {
    chain::FileDescriptor opened = open_regular(path, access == Access::add ? O_RDWR : O_RDONLY);
    if (access == Access::add && !lock_at_once(opened, chain::FileLock::Mode::exclusive, path)) {
        return chain::Unexpected(LargeFilterError::in_use);
    }
    const auto header = decode(read_start(opened, path));
    if (!header) return chain::Unexpected(header.error());
    if (size_of(opened, path) != file_bytes(header->size)) {
        return chain::Unexpected(LargeFilterError::wrong_size);
    }
    if (access == Access::add) reserve(opened, file_bytes(header->size), path);  // a sparse copy
    return LargeFilterFile(std::move(opened), path, access, *header);
}

bool LargeFilterFile::insert(chain::ByteView element) {
    assert(access_ == Access::add);
    return filter_.insert(element);
}

void LargeFilterFile::flush() {
    if (::msync(map_.get(), map_.get_deleter().bytes, MS_SYNC) != 0) fail(errno, path_);
}

}  // namespace petal::bloom
