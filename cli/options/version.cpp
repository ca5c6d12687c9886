#include "cli/options/version.h"

#include <openssl/crypto.h>
#include <sqlite3.h>

#include <boost/version.hpp>
#include <string>
#include <vector>

namespace petal::cli {
namespace {

struct LibraryVersion {
    const char* name;
    const char* key;
    std::string version;
};

std::string boost_version() {
    return std::to_string(BOOST_VERSION / 100'000) + "." +
           std::to_string(BOOST_VERSION / 100 % 1'000) + "." + std::to_string(BOOST_VERSION % 100);
}

std::vector<LibraryVersion> library_versions() {
    return {{"OpenSSL", "openssl", OpenSSL_version(OPENSSL_VERSION_STRING)},
            {"SQLite", "sqlite", sqlite3_libversion()},
            {"libsecp256k1", "secp256k1", PETAL_SECP256K1_VERSION},
            {"Boost", "boost", boost_version()}};
}

}  // namespace

const char* petal_version() {
    return PETAL_VERSION;
}

std::string version_text(const char* commit) {
    std::string text = std::string("petal ") + petal_version();
    if (*commit != '\0') text += std::string(" (commit ") + commit + ")";
    const char* separator = "\n";
    for (const LibraryVersion& library : library_versions()) {
        text += std::string(separator) + library.name + " " + library.version;
        separator = ", ";
    }
    return text;
}

Json version_json(const char* commit) {
    Json json = Json::object();
    json["version"] = petal_version();
    json["commit"] = *commit == '\0' ? Json(nullptr) : Json(commit);
    Json& libraries = json["libraries"] = Json::object();
    for (const LibraryVersion& library : library_versions())
        libraries[library.key] = library.version;
    return json;
}

}  // namespace petal::cli
