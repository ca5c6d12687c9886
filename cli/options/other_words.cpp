#include "cli/options/other_words.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace petal::cli {
namespace {

struct OtherWord {
    std::string_view word;
    std::string_view answer;  ///< a command with options, or the end of a sentence
};

constexpr std::string_view kAsksForPasswords =
    "petal asks for the password when it needs it, or reads it from --password-file";
constexpr std::string_view kNamesTheWallet =
    "each command opens the wallet that --wallet names; `petal wallets` lists them";
constexpr std::string_view kFeeRate =
    "`petal send --fee-rate` sets the fee rate, and `petal send --help` names its default";
constexpr std::string_view kNoDaemon =
    "petal runs no server; `petal sync --follow` stays connected until Ctrl-C";
constexpr std::string_view kRegtest =
    "`petal regtest-node --mine-every 30` mines blocks; with --rpc, bitcoin-cli drives the node";

// Sources: `bitcoin-cli help` of Bitcoin Core 27, `electrum help` of Electrum 4.5.
// clang-format off
constexpr OtherWord kCommands[] = {
    {"abandontransaction",           "abandon"},
    {"add_request",                  "receive --amount"},
    {"addnode",                      "peers add"},
    {"addrequest",                   "receive --amount"},
    {"address",                      "receive"},
    {"analyzepsbt",                  "psbt analyze"},
    {"backupwallet",                 "backup"},
    {"bumpfee",                      "bump"},
    {"combinepsbt",                  "psbt combine"},
    {"createnewaddress",             "receive --new"},
    {"createpsbt",                   "psbt create"},
    {"createrawtransaction",         "psbt create"},
    {"createwallet",                 "create"},
    {"decodepsbt",                   "psbt decode"},
    {"dumpprivkey",                  "info --private"},
    {"dumpwallet",                   "info --private"},
    {"encryptwallet",                "encrypt"},
    {"finalizepsbt",                 "psbt finalize"},
    {"freeze_utxo",                  "freeze"},
    {"getaddressinfo",               "addresses"},
    {"getbalance",                   "balance"},
    {"getbalances",                  "balance"},
    {"getbestblockhash",             "headers status"},
    {"getblockchaininfo",            "headers status"},
    {"getblockcount",                "headers status"},
    {"getinfo",                      "info"},
    {"getmpk",                       "info"},
    {"getnetworkinfo",               "peers"},
    {"getnewaddress",                "receive --new"},
    {"getpeerinfo",                  "peers"},
    {"getprivatekeys",               "info --private"},
    {"getrawtransaction",            "tx"},
    {"getreceivedbyaddress",         "addresses"},
    {"getservers",                   "peers"},
    {"gettransaction",               "tx"},
    {"gettxoutproof",                "tx --json"},
    {"getunconfirmedbalance",        "balance"},
    {"getunusedaddress",             "receive"},
    {"getwalletinfo",                "info"},
    {"importaddress",                "import"},
    {"importdescriptors",            "import"},
    {"importmulti",                  "import"},
    {"importprivkey",                "restore --descriptor-file"},
    {"importpubkey",                 "import"},
    {"is_synchronized",              "balance"},
    {"ismine",                       "addresses"},
    {"list_requests",                "addresses"},
    {"list_wallets",                 "wallets"},
    {"listaddresses",                "addresses"},
    {"listaddressgroupings",         "addresses"},
    {"listbanned",                   "peers"},
    {"listdescriptors",              "info"},
    {"listlockunspent",              "utxos"},
    {"listreceivedbyaddress",        "addresses"},
    {"listrequests",                 "addresses"},
    {"listsinceblock",               "history"},
    {"listtransactions",             "history"},
    {"listunspent",                  "utxos"},
    {"listwalletdir",                "wallets"},
    {"listwallets",                  "wallets"},
    {"lockunspent",                  "freeze"},
    {"newaddress",                   "receive --new"},
    {"onchain_history",              "history"},
    {"password",                     "encrypt"},
    {"payto",                        "send"},
    {"paytomany",                    "send ADDRESS=AMOUNT..."},
    {"psbtbumpfee",                  "bump"},
    {"rescanblockchain",             "rescan"},
    {"restorewallet",                "restore-backup"},
    {"sendall",                      "send ADDRESS all"},
    {"sendmany",                     "send ADDRESS=AMOUNT..."},
    {"sendrawtransaction",           "broadcast"},
    {"sendtoaddress",                "send"},
    {"setban",                       "peers ban"},
    {"setlabel",                     "label"},
    {"signmessage",                  "sign-message"},
    {"signrawtransactionwithwallet", "psbt sign"},
    {"signtransaction",              "psbt sign"},
    {"unfreeze_utxo",                "unfreeze"},
    {"verifymessage",                "verify-message"},
    {"walletcreatefundedpsbt",       "psbt create"},
    {"walletpassphrasechange",       "encrypt"},
    {"walletprocesspsbt",            "psbt sign"},
};
// clang-format on

constexpr OtherWord kReasons[] = {
    {"commands", "`petal --help` lists them"},
    {"daemon", kNoDaemon},
    {"estimatesmartfee", kFeeRate},
    {"generate", kRegtest},
    {"generateblock", kRegtest},
    {"generatetoaddress", kRegtest},
    {"getfeerate", kFeeRate},
    {"getrawchangeaddress", "`petal send` takes change addresses by itself"},
    {"getseed",
     "the words are shown once, by `petal create`; `petal backup` keeps "
     "a wallet"},
    {"list",
     "`petal history` lists the transactions, `petal utxos` the coins, and `petal addresses` the "
     "addresses"},
    {"load_wallet", kNamesTheWallet},
    {"loadwallet", kNamesTheWallet},
    {"mine", kRegtest},
    {"settxfee", kFeeRate},
    {"stop", kNoDaemon},
    {"unloadwallet", kNamesTheWallet},
    {"walletlock", kAsksForPasswords},
    {"walletpassphrase", kAsksForPasswords},
};

}  // namespace

std::string answer_to_other_word(std::string_view word) {
    std::string lower(word);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    for (const auto& [other, command] : kCommands) {
        if (other == lower) return "petal calls it `petal " + std::string(command) + "`";
    }
    const auto* const row = std::ranges::find(kReasons, lower, &OtherWord::word);
    return row == std::end(kReasons) ? std::string() : std::string(row->answer);
}

}  // namespace petal::cli
