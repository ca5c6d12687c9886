#pragma once

#include <gtest/gtest.h>

#include <string>

#include "wallet/keys/key_path.h"

namespace petal::test {

/// Names tests after a type of wallet, without the dashes, which GoogleTest does not allow: shwpkh
/// for sh-wpkh.
struct TypeName {
    std::string operator()(const testing::TestParamInfo<const char*>& tested) const {
        return without_dashes(tested.param);
    }
    std::string operator()(const testing::TestParamInfo<wallet::ScriptKind>& tested) const {
        return without_dashes(std::string(describe(tested.param)));
    }

private:
    static std::string without_dashes(std::string name) {
        std::erase(name, '-');
        return name;
    }
};

}  // namespace petal::test
