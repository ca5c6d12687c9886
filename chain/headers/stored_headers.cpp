// The index of a header file. The layout is in chain/README.md.
#include "chain/headers/stored_headers.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "chain/byte_reader.h"
#include "chain/byte_writer.h"
#include "chain/headers/header_file_error.h"

namespace petal::chain {

namespace {

constexpr std::string_view kIndexMagic = "petalhdrindx";
constexpr std::uint32_t kIndexVersion = 1;
constexpr std::size_t kPage = 4096;
constexpr std::size_t kSumBytes = 8;
constexpr std::size_t kSlotBytes = 8;
// Magic, version, two checks, three counts, the hash of the sums, and the checksum of these fields.
constexpr std::size_t kIndexPreambleBytes = kIndexMagic.size() + 6 * sizeof(std::uint32_t) + 32 + 4;

constexpr std::size_t whole_pages(std::size_t bytes) {
    return (bytes + kPage - 1) / kPage * kPage;
}

// Five slots for four headers: a compromise between short searches and a small file.
std::uint32_t slots_for(std::uint32_t records) {
    return records + records / 4 + 1;
}

Bytes page_sums(ByteView pages) {
    ByteWriter sums{pages.size() / kPage * kSumBytes};
    for (; !pages.empty(); pages = pages.subspan(kPage)) {
        sums.bytes(ByteView{sha256(pages.first(kPage))}.first(kSumBytes));
    }
    return sums.take();
}

Bytes make_preamble(const HeaderIndexContents& contents, std::uint32_t slots, ByteView sums) {
    ByteWriter writer{kPage};
    writer.bytes(as_bytes(kIndexMagic)).u32(kIndexVersion);
    writer.bytes(contents.first).bytes(contents.last);
    writer.u32(contents.records).u32(static_cast<std::uint32_t>(contents.best.size())).u32(slots);
    writer.bytes(sha256(sums));
    writer.bytes(ByteView{sha256(writer.view())}.first(4));
    Bytes page = writer.take();
    page.resize(kPage);
    return page;
}

// Null if the index can't be opened for any reason, since a new index can be made.
std::unique_ptr<MappedFile> map_whole(const std::filesystem::path& path) {
    try {
        const FileDescriptor opened(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
        const off_t size = ::lseek(opened.number(), 0, SEEK_END);
        if (size <= 0) return nullptr;
        return std::make_unique<MappedFile>(opened.number(), static_cast<std::size_t>(size));
    } catch (const std::system_error&) {
        return nullptr;
    } catch (const HeaderFileError&) {
        return nullptr;
    }
}

}  // namespace

std::size_t StoredHeaders::Layout::best_offset() const {
    return kPage;
}
std::size_t StoredHeaders::Layout::slots_offset() const {
    return best_offset() + whole_pages(std::size_t{best} * 4);
}
std::size_t StoredHeaders::Layout::sums_offset() const {
    return slots_offset() + whole_pages(std::size_t{slots} * kSlotBytes);
}
std::size_t StoredHeaders::Layout::pages() const {
    return sums_offset() / kPage - 1;
}
std::size_t StoredHeaders::Layout::bytes() const {
    return sums_offset() + pages() * kSumBytes;
}

std::filesystem::path StoredHeaders::index_path(const std::filesystem::path& header_file) {
    std::filesystem::path path = header_file;
    return path += ".index";
}

std::optional<StoredHeaders::Layout> StoredHeaders::read_layout(ByteView index,
                                                                const HeaderRecord::Check& first,
                                                                const HeaderRecord::Check& last) {
    ByteReader reader{index};
    const ByteView magic = reader.read_view(kIndexMagic.size());
    const std::uint32_t version = reader.read_u32();
    const bool same_file = reader.read_array<4>() == first && reader.read_array<4>() == last;
    Layout layout;
    layout.records = reader.read_u32();
    layout.best = reader.read_u32();
    layout.slots = reader.read_u32();
    const auto sums_hash = reader.read_array<32>();
    const auto check = reader.read_array<4>();
    if (!reader.ok() || !std::ranges::equal(magic, as_bytes(kIndexMagic))) return std::nullopt;
    const auto digest = sha256(index.first(kIndexPreambleBytes - 4));
    if (!std::equal(check.begin(), check.end(), digest.begin())) return std::nullopt;
    if (version != kIndexVersion || !same_file) return std::nullopt;
    if (layout.best == 0 || layout.best > layout.records || layout.slots <= layout.records ||
        layout.bytes() != index.size()) {
        return std::nullopt;
    }
    if (sha256(index.subspan(layout.sums_offset())) != sums_hash) return std::nullopt;
    return layout;
}

std::unique_ptr<StoredHeaders> StoredHeaders::open(const LockedFile& file, std::size_t offset,
                                                   const HeaderRecord::Check& first,
                                                   std::size_t records) {
    auto index = map_whole(index_path(file.path()));
    constexpr std::size_t kRecordsAt = kIndexMagic.size() + 4 + 4 + 4;
    if (!index || index->view().size() < kPage) return nullptr;
    ByteReader reader{index->view().subspan(kRecordsAt)};
    const std::uint32_t covered = reader.read_u32();
    if (covered > records) return nullptr;
    const Bytes end = file.read(offset + covered * HeaderRecord::kBytes - 4, 4);
    if (end.size() != 4) return nullptr;
    const auto layout = read_layout(index->view(), first, {end[0], end[1], end[2], end[3]});
    if (!layout) return nullptr;
    return std::unique_ptr<StoredHeaders>(
        new StoredHeaders(file, offset, first, std::move(index), *layout));
}

StoredHeaders::StoredHeaders(const LockedFile& file, std::size_t offset,
                             const HeaderRecord::Check& first, std::unique_ptr<MappedFile> index,
                             const Layout& layout)
    : path_(file.path()),
      may_repair_(!file.is_read_only()),
      first_(first),
      layout_(layout),
      file_(file.descriptor(), offset + layout.records * HeaderRecord::kBytes),
      index_(std::move(index)),
      records_(reinterpret_cast<const HeaderRecord*>(file_.view().data() + offset)),
      sound_records_(layout.records),
      sound_pages_(layout.pages()) {}

const HeaderRecord& StoredHeaders::operator[](std::uint32_t number) const {
    assert(number < size());
    const HeaderRecord& record = records_[number];
    if (!sound_records_[number]) {
        const HeaderRecord::Check before = number == 0 ? first_ : records_[number - 1].check();
        const bool is_sound = record.check() == record.make_check(before, record.hash());
        if (!is_sound || record.parent() > number) fail_damaged();
        sound_records_[number] = true;
    }
    return record;
}

std::uint32_t StoredHeaders::best_at(std::uint32_t place) const {
    assert(place < layout_.best);
    const std::uint32_t number = u32_at(layout_.best_offset() + std::size_t{place} * 4);
    if (number >= size()) fail_damaged();
    return number;
}

HeaderSlot StoredHeaders::slot_at(std::uint32_t at) const {
    const std::size_t offset = layout_.slots_offset() + at * kSlotBytes;
    return {u32_at(offset), u32_at(offset + 4)};
}

std::uint32_t StoredHeaders::u32_at(std::size_t offset) const {
    check_page(offset / kPage - 1);
    return get_u32(index_->view().subspan(offset, 4).data());
}

void StoredHeaders::check_page(std::size_t page) const {
    if (sound_pages_[page]) return;
    const ByteView index = index_->view();
    const auto digest = sha256(index.subspan((page + 1) * kPage, kPage));
    const ByteView sum = index.subspan(layout_.sums_offset() + page * kSumBytes, kSumBytes);
    if (!std::equal(sum.begin(), sum.end(), digest.begin())) fail_damaged();
    sound_pages_[page] = true;
}

void StoredHeaders::fail_damaged() const {
    is_damaged_ = true;
    std::error_code already_gone;
    if (may_repair_) std::filesystem::remove(index_path(path_), already_gone);
    throw HeaderFileDamaged(path_.string() +
                            " is damaged; the next sync downloads again what is lost");
}

std::vector<HeaderSlot> StoredHeaders::slots() const {
    std::vector<HeaderSlot> slots;
    slots.reserve(size());
    for (std::uint32_t at = 0; at < layout_.slots; ++at) {
        const HeaderSlot slot = slot_at(at);
        if (slot.number != HeaderSlot::kFree) slots.push_back(slot);
    }
    return slots;
}

std::vector<HeaderSlot> StoredHeaders::arrange(const std::vector<HeaderSlot>& slots,
                                               std::uint32_t size) {
    std::vector<HeaderSlot> table(size);
    for (const HeaderSlot& slot : slots) {
        if (slot.number == HeaderSlot::kFree) continue;
        std::uint32_t at = first_slot(slot.tag, size);
        while (table[at].number != HeaderSlot::kFree) at = at + 1 == size ? 0 : at + 1;
        table[at] = slot;
    }
    return table;
}

void StoredHeaders::write_index(const std::filesystem::path& header_file,
                                const HeaderIndexContents& contents) {
    const std::uint32_t slots = slots_for(contents.records);
    const std::size_t best_bytes = whole_pages(contents.best.size() * 4);
    Bytes pages(best_bytes + whole_pages(slots * kSlotBytes));
    Byte* at = pages.data();
    for (const std::uint32_t number : contents.best) at = put_u32(at, number);
    at = pages.data() + best_bytes;
    for (const HeaderSlot& slot : arrange(contents.slots, slots)) {
        at = put_u32(put_u32(at, slot.tag), slot.number);
    }
    const Bytes sums = page_sums(pages);

    const std::filesystem::path path = index_path(header_file);
    LockedFile draft{LockedFile::draft_path(path)};
    if (draft.is_read_only()) return;  // another process is writing a replacement
    draft.replace(path, [&](LockedFile& file) {
        file.write(0, make_preamble(contents, slots, sums));
        file.write(kPage, pages);
        file.write(kPage + pages.size(), sums);
        file.sync();
    });
}

}  // namespace petal::chain
