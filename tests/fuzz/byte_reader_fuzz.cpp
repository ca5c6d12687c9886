/// The byte reader never returns bytes that are not there, and returns nothing after a failure.
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "chain/byte_reader.h"
#include "chain/byte_writer.h"

namespace {

using namespace petal::chain;

// A decoded CompactSize is written back as the same bytes.
void check_compact_size(ByteReader& reader) {
    const ByteView before = reader.rest();
    const std::uint64_t value = reader.read_compact_size();
    if (!reader.ok()) {
        assert(value == 0);
        return;
    }
    const Bytes written = ByteWriter{}.compact_size(value).take();
    assert(written.size() == before.size() - reader.remaining());
    assert(Bytes(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(written.size())) ==
           written);
}

void check_count(ByteReader& reader, std::uint64_t max, std::size_t bytes_each) {
    const std::size_t count = reader.read_count(max, bytes_each);
    assert(count <= max && count * bytes_each <= reader.remaining());
    assert(reader.ok() || count == 0);
}

void step(ByteReader& reader, std::uint8_t operation) {
    const std::size_t argument = operation / 8;
    switch (operation % 8) {
        case 0:
            check_compact_size(reader);
            break;
        case 1:
            check_count(reader, argument * 100, argument + 1);
            break;
        case 2:
            assert(reader.read_view(argument).size() == (reader.ok() ? argument : 0));
            break;
        case 3:
            assert(reader.read_var_bytes(argument).size() <= argument);
            break;
        case 4:
            reader.read_u16_big_endian();
            break;
        case 5:
            reader.read_u32();
            break;
        case 6:
            reader.read_u64();
            break;
        default:
            assert(reader.read_u8() == 0 || reader.ok());
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::size_t operations = size / 4;
    ByteReader reader{ByteView{data, size}.subspan(operations)};
    for (std::size_t i = 0; i < operations; ++i) {
        const std::size_t before = reader.remaining();
        const bool was_ok = reader.ok();
        step(reader, data[i]);
        assert(reader.remaining() <= before);
        assert(was_ok || (!reader.ok() && reader.remaining() == before));
    }
    return 0;
}
