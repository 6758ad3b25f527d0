#include "cli/options/foreign_names.h"

#include <algorithm>
#include <array>

namespace spv::cli {
namespace {

struct ForeignName {
  std::string_view name;
  std::string_view command;  // as it is typed here, with its options
};

// bitcoin-cli first, then Electrum where it has names of its own.
constexpr std::array kForeignNames{
    ForeignName{"getbalance", "balance"},
    ForeignName{"getbalances", "balance"},
    ForeignName{"getunconfirmedbalance", "balance"},
    ForeignName{"getnewaddress", "address --new"},
    ForeignName{"getrawchangeaddress", "address --change"},
    ForeignName{"getaddressinfo", "addresses"},
    ForeignName{"listreceivedbyaddress", "addresses"},
    ForeignName{"getreceivedbyaddress", "addresses"},
    ForeignName{"listaddressgroupings", "addresses"},
    ForeignName{"listunspent", "utxos"},
    ForeignName{"listtransactions", "history"},
    ForeignName{"listsinceblock", "history"},
    ForeignName{"gettransaction", "tx TXID"},
    ForeignName{"getrawtransaction", "tx TXID"},
    ForeignName{"gettxoutproof", "proof TXID"},
    ForeignName{"verifytxoutproof", "verify-proof FILE"},
    ForeignName{"getblockchaininfo", "status"},
    ForeignName{"getblockcount", "status"},
    ForeignName{"getbestblockhash", "status"},
    ForeignName{"getwalletinfo", "status"},
    ForeignName{"getblockhash", "headers"},
    ForeignName{"getblockheader", "headers"},
    ForeignName{"getpeerinfo", "peers"},
    ForeignName{"getconnectioncount", "peers"},
    ForeignName{"getnodeaddresses", "peers"},
    ForeignName{"getnetworkinfo", "peers"},
    ForeignName{"listbanned", "peers"},
    ForeignName{"addnode", "peers add ADDRESS"},
    ForeignName{"setban", "peers ban ADDRESS"},
    ForeignName{"listdescriptors", "descriptors"},
    ForeignName{"dumpwallet", "descriptors --private"},
    ForeignName{"dumpprivkey", "descriptors --private"},
    ForeignName{"importdescriptors", "watch --descriptor DESCRIPTOR"},
    ForeignName{"importaddress", "watch --address ADDRESS"},
    ForeignName{"importpubkey", "watch --descriptor DESCRIPTOR"},
    ForeignName{"createwallet", "create"},
    ForeignName{"listwallets", "list"},
    ForeignName{"listwalletdir", "list"},
    ForeignName{"loadwallet", "list (every command opens the wallet named by --wallet)"},
    ForeignName{"unloadwallet", "list (a wallet is open only while a command runs)"},
    ForeignName{"backupwallet", "backup FILE"},
    ForeignName{"restorewallet", "restore"},
    ForeignName{"encryptwallet", "passphrase"},
    ForeignName{"walletpassphrasechange", "passphrase"},
    ForeignName{"walletpassphrase", "passphrase (commands that need the passphrase ask for it)"},
    ForeignName{"walletlock", "passphrase (commands that need the passphrase ask for it)"},
    ForeignName{"keypoolrefill", "set --gap-limit N"},
    ForeignName{"rescanblockchain", "rescan --from HEIGHT"},
    ForeignName{"setlabel", "label"},
    ForeignName{"listlabels", "labels export FILE"},
    ForeignName{"sendtoaddress", "send ADDRESS AMOUNT"},
    ForeignName{"sendmany", "send ADDRESS AMOUNT"},
    ForeignName{"sendrawtransaction", "broadcast"},
    ForeignName{"bumpfee", "bump TXID"},
    ForeignName{"abandontransaction", "abandon TXID"},
    ForeignName{"lockunspent", "freeze OUTPOINT"},
    ForeignName{"estimatesmartfee", "fees"},
    ForeignName{"walletcreatefundedpsbt", "psbt create"},
    ForeignName{"walletprocesspsbt", "psbt sign"},
    ForeignName{"decodepsbt", "psbt decode"},
    ForeignName{"combinepsbt", "psbt combine"},
    ForeignName{"finalizepsbt", "psbt finalize"},
    ForeignName{"payto", "send ADDRESS AMOUNT"},
    ForeignName{"paytomany", "send ADDRESS AMOUNT"},
    ForeignName{"onchain_history", "history"},
    ForeignName{"getaddresshistory", "history"},
    ForeignName{"getunusedaddress", "address"},
    ForeignName{"createnewaddress", "address --new"},
    ForeignName{"add_request", "address"},
    ForeignName{"listaddresses", "addresses"},
    ForeignName{"getaddressbalance", "addresses"},
    ForeignName{"getaddressunspent", "utxos"},
    ForeignName{"get_tx_status", "tx TXID"},
    ForeignName{"getmerkle", "proof TXID"},
    ForeignName{"getinfo", "status"},
    ForeignName{"is_synchronized", "status"},
    ForeignName{"getservers", "peers"},
    ForeignName{"getmpk", "descriptors"},
    ForeignName{"getprivatekeys", "descriptors --private"},
    ForeignName{"list_wallets", "list"},
    ForeignName{"load_wallet", "list (every command opens the wallet named by --wallet)"},
    ForeignName{"password", "passphrase"},
    ForeignName{"setgaplimit", "set --gap-limit N"},
    ForeignName{"wait_for_sync", "sync"},
};

std::string_view first_word(std::string_view text) { return text.substr(0, text.find(' ')); }

}  // namespace

std::string hint_for(std::string_view name, const CommandInfo& program) {
  const auto* const found = std::find_if(kForeignNames.begin(), kForeignNames.end(),
                                         [&](const ForeignName& each) { return each.name == name; });
  if (found == kForeignNames.end()) return {};
  const auto wanted = first_word(found->command);
  const bool here = std::any_of(program.commands.begin(), program.commands.end(),
                                [&](const CommandInfo& command) { return command.name == wanted; });
  return here ? "use spv " + std::string(found->command) : "";
}

}  // namespace spv::cli
