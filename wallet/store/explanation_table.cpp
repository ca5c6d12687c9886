#include "wallet/store/explanation_table.h"

#include <cassert>

namespace petal::wallet {

std::set<std::string> ExplanationTable::names() {
    std::set<std::string> names;
    if (!has_table()) return names;
    chain::SqliteQuery query(connection_.statement("SELECT name FROM explained LIMIT 1000"));
    while (query.step()) names.emplace(query.text(0, kMaxExplanationBytes));
    return names;
}

void ExplanationTable::add(const std::string& name) {
    assert(name.size() <= kMaxExplanationBytes);
    chain::SqliteQuery query(connection_.statement("INSERT OR IGNORE INTO explained VALUES (?)"));
    query.bind(name).run();
}

}  // namespace petal::wallet
