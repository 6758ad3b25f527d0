#include "store/scripts.h"

#include <algorithm>

#include "util/codec.h"

namespace spv::store {
namespace {

Checksum checksum_of_scripts(std::int64_t chain, std::int64_t first, util::ByteView data) {
  util::Writer values;
  values.var_string("script").integer(chain).integer(first).var_bytes(data);
  return checksum_over(values);
}

void read_row(const Statement& row, const std::vector<KeyChainRow>& key_chains,
              std::vector<wallet::ScriptList>& scripts) {
  const auto chain = row.integer(0);
  const auto first = row.integer(1);
  const auto data = row.blob(2);
  if (!std::ranges::equal(row.blob(3), checksum_of_scripts(chain, first, data))) throw_corrupt("script row");
  if (chain < 0 || chain >= static_cast<std::int64_t>(key_chains.size())) throw_corrupt("script row");
  const auto place = static_cast<std::size_t>(chain);
  auto& known = scripts[place];
  if (first != static_cast<std::int64_t>(known.size())) return;
  const std::size_t watched = key_chains[place].state.watched;
  if (!known.append_encoded(data, watched - std::min(watched, known.size()))) throw_corrupt("script row");
}

}  // namespace

std::vector<wallet::ScriptList> read_scripts(Database& db, const std::vector<KeyChainRow>& key_chains) {
  std::vector<wallet::ScriptList> scripts(key_chains.size());
  Statement query = db.prepare("SELECT chain, first, data, checksum FROM script ORDER BY chain, first");
  while (query.step()) read_row(query, key_chains, scripts);
  return scripts;
}

void write_scripts(Database& db, const std::vector<wallet::ChainScripts>& scripts) {
  if (scripts.empty()) return;
  Statement put = db.prepare("INSERT OR REPLACE INTO script (chain, first, data, checksum) VALUES (?, ?, ?, ?)");
  for (const auto& each : scripts) {
    const auto chain = static_cast<std::int64_t>(each.chain);
    const auto first = static_cast<std::int64_t>(each.first);
    const util::Bytes data = each.scripts.encode();
    const Checksum checksum = checksum_of_scripts(chain, first, data);
    put.bind(1, chain).bind(2, first).bind(3, util::ByteView(data)).bind(4, util::ByteView(checksum)).run();
  }
}

}  // namespace spv::store
