/// Rows of an SQLite file that a fuzz target changes.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "chain/byte_reader.h"

namespace petal::fuzz {

/// Changes rows by SQL, as a program could that knows the schema. Only SQLite's own rules for the
/// tables limit the values.
class ChangedRows {
public:
    /// Reads the schema of a file.
    explicit ChangedRows(const std::filesystem::path& file) {
        SQLite::Database database(file.string(), SQLite::OPEN_READONLY);
        SQLite::Statement names(database, "SELECT name FROM sqlite_schema WHERE type = 'table'");
        while (names.executeStep()) {
            Table table{names.getColumn(0).getString(), {}, {}};
            SQLite::Statement columns(database, "PRAGMA table_info(" + table.name + ")");
            while (columns.executeStep()) {
                table.columns.push_back(columns.getColumn(1).getString());
                if (columns.getColumn(5).getInt() == 0) continue;
                table.key += (table.key.empty() ? "" : ", ") + table.columns.back();
            }
            tables_.push_back(std::move(table));
        }
    }

    /// Changes the file as the input says: a table, a row, a column and the column's new value. The
    /// row is changed or removed, or gets a changed copy.
    void change(const std::filesystem::path& file, chain::ByteReader input) const {
        SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
        database.exec("PRAGMA ignore_check_constraints = ON; PRAGMA synchronous = OFF");
        while (input.ok() && input.remaining() > 0) {
            const Table& table = tables_[input.read_u8() % tables_.size()];
            const std::size_t column = input.read_u8() % table.columns.size();
            const std::string row = " WHERE (" + table.key + ") = (SELECT " + table.key + " FROM " +
                                    table.name + " LIMIT 1 OFFSET " +
                                    std::to_string(input.read_u8() % 8) + ")";
            try {
                SQLite::Statement statement(database, text(input.read_u8(), table, column) + row);
                if (statement.getBindParameterCount() > 0) bind_value(statement, input);
                statement.exec();
            } catch (const SQLite::Exception&) {
                // The tables do not allow this value.
            }
        }
    }

private:
    struct Table {
        std::string name;
        std::vector<std::string> columns;
        std::string key;  // the columns of the primary key
    };

    static std::string text(std::uint8_t choice, const Table& table, std::size_t column) {
        if (choice % 4 == 0) return "DELETE FROM " + table.name;
        if (choice % 4 != 1)
            return "UPDATE " + table.name + " SET " + table.columns[column] + " = ?";
        std::string values;
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            values += (i == 0 ? "" : ", ") + (i == column ? "?" : table.columns[i]);
        }
        return "INSERT INTO " + table.name + " SELECT " + values + " FROM " + table.name;
    }

    static void bind_value(SQLite::Statement& statement, chain::ByteReader& input) {
        switch (input.read_u8() % 5) {
            case 0:
                return statement.bind(1);
            case 1:
                return statement.bind(1, std::int64_t{input.read_u8()} - 2);
            case 2:
                return statement.bind(1, static_cast<std::int64_t>(input.read_u64()));
            default:
                break;
        }
        const bool is_text = input.read_u8() % 2 == 0;
        const std::size_t size = std::min<std::size_t>(input.read_u8(), input.remaining());
        const chain::ByteView bytes = input.read_view(size);
        if (is_text) {
            statement.bind(1, std::string(bytes.begin(), bytes.end()));
        } else {
            statement.bind(1, bytes.data(), static_cast<int>(bytes.size()));
        }
    }

    std::vector<Table> tables_;
};

}  // namespace petal::fuzz
