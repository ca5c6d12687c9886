/// The stack of a script.
#pragma once

#include <cassert>
#include <cstddef>
#include <utility>
#include <vector>

#include "chain/bytes.h"

namespace petal::chain {

/// Items are counted from the top, which is item 0. Callers check the size first.
class ScriptStack {
public:
    ScriptStack() = default;
    /// Copies the items. The last item is the top.
    explicit ScriptStack(const std::vector<ByteView>& items) {
        for (const ByteView item : items) items_.emplace_back(item.begin(), item.end());
    }

    std::size_t size() const { return items_.size(); }
    bool empty() const { return items_.empty(); }

    const Bytes& item(std::size_t from_top) const { return items_[index(from_top)]; }
    const Bytes& top() const { return item(0); }

    void push(Bytes item) { items_.push_back(std::move(item)); }
    void push_copy(ByteView item) { items_.emplace_back(item.begin(), item.end()); }
    void push_bool(bool value) { items_.push_back(value ? Bytes{1} : Bytes{}); }

    Bytes pop() {
        Bytes item = std::move(items_.back());
        items_.pop_back();
        return item;
    }
    void drop(std::size_t count) {
        assert(count <= size());
        items_.resize(size() - count);
    }

    void swap(std::size_t first, std::size_t second) {
        std::swap(items_[index(first)], items_[index(second)]);
    }
    void erase(std::size_t from_top) {
        items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(index(from_top)));
    }
    /// Moves an item to the top.
    void roll(std::size_t from_top) {
        Bytes moved = std::move(items_[index(from_top)]);
        erase(from_top);
        push(std::move(moved));
    }
    /// Copies the top below the item `from_top`.
    void insert_top_below(std::size_t from_top) {
        Bytes copy = top();
        items_.insert(items_.begin() + static_cast<std::ptrdiff_t>(index(from_top)),
                      std::move(copy));
    }

private:
    std::size_t index(std::size_t from_top) const {
        assert(from_top < size());
        return size() - 1 - from_top;
    }

    std::vector<Bytes> items_;
};

}  // namespace petal::chain
