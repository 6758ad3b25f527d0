// A transaction of the wallet by its id, as `spv tx` and `spv proof` take it.
#pragma once

#include <string>

namespace spv::wallet {
struct TxRecord;
class Wallet;
}  // namespace spv::wallet

namespace spv::cli {

/// Takes an id or the first digits of one, as git does; eight at least. Throws UsageError if the text is neither or
/// fits several, CommandError if the wallet has none.
const wallet::TxRecord& find_transaction(const wallet::Wallet& wallet, const std::string& text);

}  // namespace spv::cli
