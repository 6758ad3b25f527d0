// How far a wallet is scanned and how many peers vouch for it (security.md E11); shown with every balance.
#pragma once

#include <string>

#include <boost/json/fwd.hpp>

namespace spv::wallet {
class Wallet;
}

namespace spv::cli {

/// How many scanned blocks were filtered by one peer, how many by two, and how many came whole and can hide nothing.
boost::json::object attested_json(const wallet::Wallet& wallet);
/// The same as a line.
std::string attested_text(const wallet::Wallet& wallet);

/// Adds the time of the last scanned block, how many peers have it, which blocks are to be scanned again, and
/// attested_json().
void add_standing(boost::json::object& document, const wallet::Wallet& wallet);
/// "as of block 102 (2026-11-16 02:28), which 2 peers have"
std::string standing_text(const wallet::Wallet& wallet);

}  // namespace spv::cli
