#include "wallet/store/label_table.h"

#include <cassert>

#include "chain/storage/sqlite_query.h"
#include "wallet/ledger/records.h"

namespace petal::wallet {

namespace {

using chain::SqliteQuery;

constexpr std::size_t kMaxLabelRefBytes = 200;

}  // namespace

void LabelTable::for_each(
    const std::function<void(std::string_view, std::string, std::string)>& visit) {
    SqliteQuery query(connection_.statement("SELECT type, ref, label FROM label"));
    while (query.step()) {
        const std::string type = query.text(0, kMaxLabelRefBytes);
        visit(type, query.text(1, kMaxLabelRefBytes), query.text(2, kMaxLabelBytes));
    }
}

std::optional<std::string> LabelTable::find(std::string_view type, const std::string& ref) {
    SqliteQuery query(connection_.statement("SELECT label FROM label WHERE type = ? AND ref = ?"));
    query.bind(std::string(type)).bind(ref);
    if (!query.step()) return std::nullopt;
    return query.text(0, kMaxLabelBytes);
}

void LabelTable::set(std::string_view type, const std::string& ref, const std::string& label) {
    assert(label.size() <= kMaxLabelBytes);
    SqliteQuery(connection_.statement("INSERT OR REPLACE INTO label VALUES (?, ?, ?)"))
        .bind(std::string(type))
        .bind(ref)
        .bind(label)
        .run();
}

void LabelTable::remove(std::string_view type, const std::string& ref) {
    SqliteQuery(connection_.statement("DELETE FROM label WHERE type = ? AND ref = ?"))
        .bind(std::string(type))
        .bind(ref)
        .run();
}

}  // namespace petal::wallet
