#include "store/postgres/wallet_table.h"

#include <utility>

#include "store/checks.h"
#include "store/postgres/label_table.h"
#include "store/postgres/transaction.h"
#include "store/postgres/wallet_sql.h"
#include "wallet/label.h"
#include "wallet/script.h"

namespace spv::store::postgres {
namespace {

using ContentsById = std::map<std::int64_t, WalletContents>;

Params ids_of(const std::vector<std::int64_t>& ids) { return Params().bigints({ids.begin(), ids.end()}); }

// The columns of sql::kHeaders. A mnemonic wallet has a secret, a watch-only one has none.
WalletHeader read_header(const Result& rows, std::size_t row, wallet::WalletConfig& config) {
  WalletHeader header{.id = rows.bigint(row, 0), .name = std::string(rows.text(row, 1)), .info = {}};
  read_checked({.kind = rows.text(row, 2),
                .created = rows.bigint(row, 3),
                .fingerprint = rows.optional_bytea(row, 4),
                .gap_limit = rows.integer(row, 5),
                .birthday = rows.integer(row, 6),
                .birthday_time = rows.optional_bigint(row, 7),
                .filter_tweak = rows.bigint(row, 8),
                .decoy_seed = rows.bigint(row, 9)},
               config, header.info);
  const auto format = rows.optional_smallint(row, 10);
  require_sound(format.has_value() == (header.info.kind == WalletKind::Mnemonic), "secret");
  header.info.encrypted = format && checked_secret_format(*format) == StoredSecret::Format::Encrypted;
  return header;
}

ContentsById contents_of(const Result& rows, chain::Network network) {
  ContentsById all;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    wallet::WalletConfig config;
    config.network = network;
    const WalletHeader header = read_header(rows, row, config);
    auto& contents = all[header.id];
    contents.config = std::move(config);
    contents.state.synced = rows.boolean(row, 11);
  }
  return all;
}

// A query gives rows of the wallets that were asked for, and rows of a wallet that is not there cannot be.
WalletContents& owner(ContentsById& all, const Result& rows, std::size_t row) {
  const auto found = all.find(rows.bigint(row, 0));
  require_sound(found != all.end(), "a row without wallet");
  return found->second;
}

void add_key_chains(ContentsById& all, const Result& rows) {
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    auto& [config, state] = owner(all, rows, row);
    require_sound(rows.smallint(row, 1) == static_cast<std::int64_t>(config.key_chains.size()), "key chains");
    wallet::KeyChainState chain;
    config.key_chains.push_back(read_key_chain(rows, row, config, chain));
    state.key_chains.push_back(chain);
    state.scripts.emplace_back();
  }
}

void add_scripts(ContentsById& all, const Result& rows) {
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    auto& state = owner(all, rows, row).state;
    const auto chain = static_cast<std::size_t>(rows.smallint(row, 1));
    require_sound(chain < state.scripts.size(), "a script without key chain");
    auto& scripts = state.scripts[chain];
    const util::ByteView script = rows.bytea(row, 3);
    require_sound(rows.integer(row, 2) == static_cast<std::int64_t>(scripts.size()) &&
                      scripts.size() < state.key_chains[chain].watched && script.size() <= wallet::kMaxScriptSize,
                  "scripts");
    scripts.push_back(script);
  }
}

void add_scans(ContentsById& all, const Result& rows) {
  require_sound(rows.rows() == all.size(), "no scan row");
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    wallet::ScanState& scan = owner(all, rows, row).state.scan;
    scan = checked(ScanValues{.height = rows.integer(row, 1),
                              .hash = rows.bytea(row, 2),
                              .backfill_from = rows.optional_integer(row, 3),
                              .backfill_to = rows.optional_integer(row, 4),
                              .anchors = rows.bytea(row, 5)});
    scan.attested = decode_periods(rows.bytea(row, 6));
    scan.peers = checked_u32(rows.bigint(row, 7), "attestation");
    scan.time = checked_u32(rows.bigint(row, 8), "attestation");
  }
}

std::int64_t standing_number(std::string_view name) {
  for (std::uint8_t n = 0; n <= static_cast<std::uint8_t>(wallet::kLastTxStanding); ++n) {
    if (to_string(static_cast<wallet::TxStanding>(n)) == name) return n;
  }
  throw_corrupt("what was told");
}

void add_told(wallet::WalletState& state, const Result& rows, std::size_t row) {
  const auto standing = rows.optional_text(row, 13);
  if (!standing) return;
  state.told.push_back(checked(ToldValues{.txid = rows.bytea(row, 1),
                                          .state = standing_number(*standing),
                                          .net = rows.bigint(row, 14),
                                          .block = rows.optional_bytea(row, 15)}));
}

void add_transactions(ContentsById& all, const Result& rows) {
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    wallet::WalletState& state = owner(all, rows, row).state;
    state.transactions.push_back(checked(TxValues{.txid = rows.bytea(row, 1),
                                                  .raw = rows.bytea(row, 2),
                                                  .block_height = rows.optional_integer(row, 3),
                                                  .block_hash = rows.optional_bytea(row, 4),
                                                  .block_time = rows.optional_bigint(row, 5),
                                                  .block_index = rows.optional_bigint(row, 6),
                                                  .first_seen = rows.bigint(row, 7),
                                                  .sequence = rows.bigint(row, 8),
                                                  .proof = rows.bytea(row, 9),
                                                  .seen_at = rows.integer(row, 10),
                                                  .send_state = rows.optional_smallint(row, 11),
                                                  .peers_accepted = rows.optional_bigint(row, 12)}));
    add_told(state, rows, row);
  }
}

void add_frozen(ContentsById& all, const Result& rows) {
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const auto outpoint = wallet::parse_outpoint(rows.text(row, 1));
    if (outpoint) owner(all, rows, row).state.frozen.push_back(*outpoint);
  }
}

}  // namespace

void throw_moved(const std::string& what) {
  throw StoreError(StoreError::Kind::Moved,
                   what + " was renamed or deleted meanwhile, nothing is changed; see spv list");
}

wallet::KeyChainConfig read_key_chain(const Result& rows, std::size_t row, const wallet::WalletConfig& config,
                                      wallet::KeyChainState& state) {
  KeyChainRow chain = checked(KeyChainValues{.descriptor = rows.text(row, 2),
                                             .change = rows.boolean(row, 3),
                                             .watched = rows.bigint(row, 4),
                                             .last_used = rows.optional_bigint(row, 5),
                                             .next_unissued = rows.bigint(row, 6)},
                              config);
  state = chain.state;
  return std::move(chain.config);
}

std::map<std::string, WalletHeader> read_headers(Connection& connection, const std::vector<std::string>& names) {
  const Result rows = connection.run(sql::kHeaders, Params().texts({names.begin(), names.end()}));
  std::map<std::string, WalletHeader> out;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    wallet::WalletConfig ignored;
    WalletHeader header = read_header(rows, row, ignored);
    out.emplace(header.name, header);
  }
  return out;
}

namespace {

std::vector<Command> contents_commands(const std::vector<std::int64_t>& ids) {
  const Params params = ids_of(ids);
  return {{sql::kHeadersById, params}, {sql::kKeyChains, params},    {sql::kScripts, params},
          {sql::kScans, params},       {sql::kTransactions, params}, {sql::kFrozen, params}};
}

ContentsById contents_of_all(const std::vector<Result>& results, const std::vector<std::int64_t>& ids,
                             chain::Network network) {
  ContentsById all = contents_of(results[0], network);
  if (all.size() != ids.size()) throw_moved("a wallet");
  add_key_chains(all, results[1]);
  add_scripts(all, results[2]);
  add_scans(all, results[3]);
  add_transactions(all, results[4]);
  add_frozen(all, results[5]);
  return all;
}

}  // namespace

ContentsById read_contents(Connection& connection, const std::vector<std::int64_t>& ids, chain::Network network) {
  return contents_of_all(run_snapshot(connection, contents_commands(ids)), ids, network);
}

std::optional<StoredSecret> take_secret(Result& rows) {
  if (rows.empty()) return std::nullopt;
  StoredSecret secret;
  secret.format = checked_secret_format(rows.smallint(0, 0));
  const util::ByteView data = rows.bytea(0, 1);
  secret.data.assign(data.begin(), data.end());
  rows.wipe(0, 1);
  return secret;
}

WalletCopy read_copy(Connection& connection, std::int64_t id, chain::Network network) {
  std::vector<Command> commands = contents_commands({id});
  const std::size_t labels = commands.size();
  commands.push_back({sql::kLabels, Params().bigint(id)});
  commands.push_back({sql::kSecret, Params().bigint(id)});
  std::vector<Result> results = run_snapshot(connection, std::move(commands));
  auto contents = contents_of_all(results, {id}, network);
  wallet::WalletConfig ignored;
  return {.contents = std::move(contents.at(id)),
          .info = read_header(results[0], 0, ignored).info,
          .secret = take_secret(results[labels + 1]),
          .labels = labels_of(results[labels])};
}

}  // namespace spv::store::postgres
