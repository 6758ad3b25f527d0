// How far a wallet has come and on whose word that rests (security.md E11): never a balance without it.
#pragma once

#include <string>

#include <boost/json/fwd.hpp>

namespace spv::wallet {
class Wallet;
}

namespace spv::cli {

/// How many scanned blocks rest on the word of one peer, of two, or came whole and hide nothing.
boost::json::object attested_json(const wallet::Wallet& wallet);
/// The same as a line.
std::string attested_text(const wallet::Wallet& wallet);

/// Adds the time of the last scanned block, how many peers have it, what is owed a second look, and attested_json().
void add_standing(boost::json::object& document, const wallet::Wallet& wallet);
/// "as of block 102 (2026-11-16 02:28), which 2 peers have"
std::string standing_text(const wallet::Wallet& wallet);

}  // namespace spv::cli
