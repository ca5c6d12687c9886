#include "wallet/store/label_table.h"

#include <cassert>
#include <cstdint>
#include <utility>

#include "chain/storage/sqlite_query.h"
#include "wallet/ledger/records.h"

namespace petal::wallet {

namespace {

using chain::SqliteQuery;

std::optional<std::string> optional_text(const SqliteQuery& query, int column,
                                         std::size_t max_bytes) {
    if (query.is_null(column)) return std::nullopt;
    return query.text(column, max_bytes);
}

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
    assert(ref.size() <= kMaxLabelRefBytes && label.size() <= kMaxLabelBytes);
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

void LabelTable::for_each_record(
    const std::function<void(LabelRecord record, bool applies)>& visit) {
    if (!connection_.has_table("label_record")) return;
    SqliteQuery query(connection_.statement(
        "SELECT type, ref, origin, applies, label, spendable, other_members FROM label_record"
        " ORDER BY type, ref, origin"));
    while (query.step()) {
        LabelRecord record;
        record.type = query.text(0, kMaxLabelRefBytes);
        record.ref = query.text(1, kMaxLabelRefBytes);
        std::string origin = query.text(2, kMaxLabelOriginBytes);
        if (!origin.empty()) record.origin = std::move(origin);
        record.label = optional_text(query, 4, kMaxLabelBytes);
        if (!query.is_null(5)) record.spendable = query.integer<std::uint8_t>(5, 1) == 1;
        record.other_members = query.text(6, kMaxLabelMembersBytes);
        visit(std::move(record), query.integer<std::uint8_t>(3, 1) == 1);
    }
}

void LabelTable::put_record(const LabelRecord& record, bool applies) {
    assert(record.type.size() <= kMaxLabelRefBytes && record.ref.size() <= kMaxLabelRefBytes);
    assert(record.label.value_or("").size() <= kMaxLabelBytes);
    assert(record.origin.value_or("").size() <= kMaxLabelOriginBytes);
    assert(record.other_members.size() <= kMaxLabelMembersBytes);
    std::optional<std::uint32_t> spendable;
    if (record.spendable) spendable = *record.spendable ? 1 : 0;
    SqliteQuery query(connection_.statement(
        "INSERT INTO label_record VALUES (?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (type, ref, origin) DO UPDATE SET applies = excluded.applies,"
        " label = coalesce(excluded.label, label),"
        " spendable = coalesce(excluded.spendable, spendable),"
        " other_members = iif(excluded.other_members = '', other_members,"
        " excluded.other_members)"));
    query.bind(record.type)
        .bind(record.ref)
        .bind(record.origin.value_or(""))
        .bind(std::int64_t{applies});
    if (record.label && !applies) {
        query.bind(*record.label);
    } else {
        query.bind(std::nullopt);
    }
    query.bind(spendable).bind(record.other_members).run();
    if (applies && spendable) set_spendable(record, *spendable);
}

void LabelTable::set_spendable(const LabelRecord& record, std::uint32_t spendable) {
    SqliteQuery(connection_.statement("UPDATE label_record SET spendable = ? WHERE type = ?"
                                      " AND ref = ? AND applies = 1 AND spendable IS NOT NULL"))
        .bind(std::int64_t{spendable})
        .bind(record.type)
        .bind(record.ref)
        .run();
}

std::set<std::string> LabelTable::frozen_outputs() {
    std::set<std::string> outputs;
    if (!connection_.has_table("label_record")) return outputs;
    SqliteQuery query(
        connection_.statement("SELECT ref FROM label_record"
                              " WHERE type = 'output' AND applies = 1 AND spendable = 0"));
    while (query.step()) outputs.insert(query.text(0, kMaxLabelRefBytes));
    return outputs;
}

}  // namespace petal::wallet
