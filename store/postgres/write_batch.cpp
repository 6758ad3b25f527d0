#include "store/postgres/write_batch.h"

#include <functional>
#include <optional>
#include <string_view>

#include "store/checks.h"
#include "store/postgres/columns.h"
#include "store/postgres/commit_sql.h"

namespace spv::store::postgres {
namespace {

template <typename Rows>
std::vector<std::optional<std::int64_t>> wallet_column(const Rows& rows) {
  return column<std::int64_t>(rows, [](const auto& row) { return row.first; });
}
std::vector<std::optional<util::ByteView>> views_of(const std::vector<util::Bytes>& values) {
  return column<util::ByteView>(values, [](const util::Bytes& bytes) { return util::ByteView(bytes); });
}

/// Of the block, where there is one.
template <typename T, typename Rows, typename Get>
std::vector<std::optional<T>> block_column(const Rows& rows, Get get) {
  return column<T>(rows, [&](const auto& row) {
    const auto& at = row.second->confirmation;
    return at ? std::optional<T>(get(*at)) : std::nullopt;
  });
}

/// The values of table rows that come several for one item, filled together.
struct InputColumns {
  std::vector<std::optional<util::ByteView>> txid;
  std::vector<std::optional<std::int32_t>> input;
  std::vector<std::optional<util::ByteView>> spent_txid;
  std::vector<std::optional<std::int64_t>> spent_vout;
};
struct OutputColumns {
  std::vector<std::optional<util::ByteView>> txid;
  std::vector<std::optional<std::int64_t>> vout;
  std::vector<std::optional<std::int64_t>> amount;
  std::vector<std::optional<util::ByteView>> script;
};
struct ScriptColumns {
  std::vector<std::optional<std::int64_t>> wallet;
  std::vector<std::optional<std::int16_t>> chain;
  std::vector<std::optional<std::int32_t>> index;
  std::vector<std::optional<util::ByteView>> script;
};

using TxMap = std::map<chain::Txid, const chain::Transaction*>;

InputColumns inputs_of(const TxMap& transactions) {
  InputColumns out;
  for (const auto& [txid, tx] : transactions) {
    if (tx->is_coinbase()) continue;
    for (std::size_t n = 0; n < tx->inputs.size(); ++n) {
      out.txid.emplace_back(txid.view());
      out.input.emplace_back(static_cast<std::int32_t>(n));
      out.spent_txid.emplace_back(tx->inputs[n].previous.txid.view());
      out.spent_vout.emplace_back(tx->inputs[n].previous.index);
    }
  }
  return out;
}

// An empty script is nobody's: it stands for an index without key.
OutputColumns outputs_of(const TxMap& transactions) {
  OutputColumns out;
  for (const auto& [txid, tx] : transactions) {
    for (std::size_t n = 0; n < tx->outputs.size(); ++n) {
      if (tx->outputs[n].script_pubkey.empty()) continue;
      out.txid.emplace_back(txid.view());
      out.vout.emplace_back(static_cast<std::int64_t>(n));
      out.amount.emplace_back(tx->outputs[n].value);
      out.script.emplace_back(util::ByteView(tx->outputs[n].script_pubkey));
    }
  }
  return out;
}

// Of two copies the one with a witness.
void note(TxMap& all, const chain::Txid& txid, const chain::Transaction& tx) {
  const auto [place, is_new] = all.try_emplace(txid, &tx);
  if (!is_new && !place->second->has_witness() && tx.has_witness()) place->second = &tx;
}

template <typename T>
std::optional<std::int64_t> wide(const std::optional<T>& value) {
  return value ? std::optional<std::int64_t>(*value) : std::nullopt;
}

}  // namespace

void WriteBatch::add_transactions(WalletId wallet, const std::vector<wallet::TxRecord>& records) {
  for (const auto& record : records) {
    note(transactions_, record.txid, record.tx);
    wallet_transactions_.emplace_back(wallet, &record);
    look_through(record.txid, record.tx);
  }
  if (!records.empty()) look_for_coins(wallet);
}

void WriteBatch::set_key_chain(WalletId wallet, std::size_t chain, const wallet::KeyChainState& state) {
  key_chains_.push_back({.wallet = wallet, .chain = static_cast<std::int16_t>(chain), .state = state});
}

void WriteBatch::add_scripts(WalletId wallet, const wallet::ChainScripts& scripts) {
  scripts_.emplace_back(wallet, &scripts);
}

void WriteBatch::set_told(WalletId wallet, const std::vector<wallet::Told>& told) {
  for (const auto& each : told) told_.insert_or_assign({wallet, each.txid}, each);
}

void WriteBatch::add_events(WalletId wallet, const std::vector<wallet::TxEvent>& events) {
  for (const auto& event : events) {
    events_.add_tx(wallet, event);
    told_.insert_or_assign({wallet, event.txid}, wallet::told_by(event));
  }
}

void WriteBatch::set_synced(WalletId wallet, bool synced) {
  synced_.emplace_back(wallet, synced);
  if (synced) events_.add(wallet, WalletEvent{.state = WalletState::Synced});
}

// The events last, see EventRows.
std::vector<Command> WriteBatch::commands(util::UnixTime now) const {
  std::vector<Command> out;
  put_transactions(out);
  put_wallet_transactions(out);
  put_key_chains(out);
  put_scripts(out);
  put_coins(out);
  put_scans(out);
  put_birthdays(out);
  put_told(out);
  put_synced(out);
  events_.put(out, now);
  return out;
}

void WriteBatch::put_transactions(std::vector<Command>& out) const {
  if (transactions_.empty()) return;
  std::vector<util::Bytes> raw;
  raw.reserve(transactions_.size());
  for (const auto& [txid, tx] : transactions_) raw.push_back(tx->serialize());
  const auto txids = column<util::ByteView>(transactions_, [](const auto& row) { return row.first.view(); });
  const auto coinbase = column<bool>(transactions_, [](const auto& row) { return row.second->is_coinbase(); });
  out.push_back({sql::kPutTx, Params().byteas(txids).byteas(views_of(raw)).booleans(coinbase)});
  const InputColumns inputs = inputs_of(transactions_);
  out.push_back(
      {sql::kPutInputs,
       Params().byteas(inputs.txid).integers(inputs.input).byteas(inputs.spent_txid).bigints(inputs.spent_vout)});
}

void WriteBatch::put_wallet_transactions(std::vector<Command>& out) const {
  if (wallet_transactions_.empty()) return;
  const auto bigints = [&](auto get) {
    return column<std::int64_t>(wallet_transactions_, [&](const auto& row) { return get(*row.second); });
  };
  using wallet::Confirmation;
  using wallet::TxRecord;
  Params params;
  params.bigints(wallet_column(wallet_transactions_));
  params.byteas(column<util::ByteView>(wallet_transactions_, [](const auto& row) { return row.second->txid.view(); }));
  params.integers(
      block_column<std::int32_t>(wallet_transactions_, [](const Confirmation& at) { return at.block.height; }));
  params.byteas(
      block_column<util::ByteView>(wallet_transactions_, [](const Confirmation& at) { return at.block.hash.view(); }));
  params.bigints(
      block_column<std::int64_t>(wallet_transactions_, [](const Confirmation& at) { return at.block_time; }));
  params.bigints(block_column<std::int64_t>(wallet_transactions_, [](const Confirmation& at) { return at.index; }));
  params.bigints(bigints([](const TxRecord& record) { return record.first_seen; }));
  params.bigints(bigints([](const TxRecord& record) { return static_cast<std::int64_t>(record.sequence); }));
  params.byteas(
      column<util::ByteView>(wallet_transactions_, [](const auto& row) { return util::ByteView(row.second->proof); }));
  params.integers(column<std::int32_t>(wallet_transactions_, [](const auto& row) { return row.second->seen_at; }));
  params.smallints(column<std::int16_t>(wallet_transactions_, [](const auto& row) {
    const auto& sending = row.second->sending;
    return sending ? std::optional(static_cast<std::int16_t>(sending->state)) : std::nullopt;
  }));
  params.bigints(column<std::int64_t>(wallet_transactions_, [](const auto& row) {
    const auto& sending = row.second->sending;
    return sending ? std::optional<std::int64_t>(sending->peers_accepted) : std::nullopt;
  }));
  out.push_back({sql::kPutWalletTx, std::move(params)});
}

void WriteBatch::put_key_chains(std::vector<Command>& out) const {
  if (key_chains_.empty()) return;
  Params params;
  params.bigints(column<std::int64_t>(key_chains_, [](const ChainRow& row) { return row.wallet; }));
  params.smallints(column<std::int16_t>(key_chains_, [](const ChainRow& row) { return row.chain; }));
  params.bigints(column<std::int64_t>(key_chains_, [](const ChainRow& row) { return row.state.watched; }));
  params.bigints(column<std::int64_t>(key_chains_, [](const ChainRow& row) { return wide(row.state.last_used); }));
  params.bigints(column<std::int64_t>(key_chains_, [](const ChainRow& row) { return row.state.next_unissued; }));
  out.push_back({sql::kSetKeyChains, std::move(params)});
}

void WriteBatch::put_scripts(std::vector<Command>& out) const {
  if (scripts_.empty()) return;
  ScriptColumns columns;
  for (const auto& [wallet, list] : scripts_) {
    for (std::size_t n = 0; n < list->scripts.size(); ++n) {
      columns.wallet.emplace_back(wallet);
      columns.chain.emplace_back(static_cast<std::int16_t>(list->chain));
      columns.index.emplace_back(static_cast<std::int32_t>(list->first + n));
      columns.script.emplace_back(list->scripts[n]);
    }
  }
  out.push_back(
      {sql::kPutScripts,
       Params().bigints(columns.wallet).smallints(columns.chain).integers(columns.index).byteas(columns.script)});
}

void WriteBatch::put_coins(std::vector<Command>& out) const {
  if (outputs_.empty()) return;
  const OutputColumns outputs = outputs_of(outputs_);
  Params params;
  params.bigints(column<std::int64_t>(owners_, std::identity{}));
  params.byteas(outputs.txid).bigints(outputs.vout).bigints(outputs.amount).byteas(outputs.script);
  out.push_back({sql::kPutCoins, std::move(params)});
}

void WriteBatch::put_scans(std::vector<Command>& out) const {
  if (scans_.empty()) return;
  std::vector<util::Bytes> anchors;
  std::vector<util::Bytes> periods;
  for (const auto& [wallet, scan] : scans_) {
    anchors.push_back(encode_anchors(scan->anchors));
    periods.push_back(encode_periods(scan->attested));
  }
  const auto backfill = [&](chain::Height wallet::HeightRange::*end) {
    return column<std::int32_t>(scans_, [&](const auto& row) {
      const auto& range = row.second->backfill;
      return range ? std::optional<std::int32_t>((*range).*end) : std::nullopt;
    });
  };
  Params params;
  params.bigints(wallet_column(scans_));
  params.integers(column<std::int32_t>(scans_, [](const auto& row) { return row.second->scanned_to.height; }));
  params.byteas(column<util::ByteView>(scans_, [](const auto& row) { return row.second->scanned_to.hash.view(); }));
  params.integers(backfill(&wallet::HeightRange::from)).integers(backfill(&wallet::HeightRange::to));
  params.byteas(views_of(anchors)).byteas(views_of(periods));
  params.bigints(column<std::int64_t>(scans_, [](const auto& row) { return row.second->peers; }));
  params.bigints(column<std::int64_t>(scans_, [](const auto& row) { return row.second->time; }));
  out.push_back({sql::kPutScans, std::move(params)});
}

void WriteBatch::put_birthdays(std::vector<Command>& out) const {
  if (birthdays_.empty()) return;
  const auto heights = column<std::int32_t>(birthdays_, [](const auto& row) { return row.second; });
  out.push_back({sql::kSetBirthdays, Params().bigints(wallet_column(birthdays_)).integers(heights)});
}

void WriteBatch::put_told(std::vector<Command>& out) const {
  if (told_.empty()) return;
  Params params;
  params.bigints(column<std::int64_t>(told_, [](const auto& row) { return row.first.first; }));
  params.byteas(column<util::ByteView>(told_, [](const auto& row) { return row.first.second.view(); }));
  params.texts(column<std::string_view>(told_, [](const auto& row) { return to_string(row.second.state); }));
  params.bigints(column<std::int64_t>(told_, [](const auto& row) { return row.second.net; }));
  params.byteas(column<util::ByteView>(told_, [](const auto& row) {
    const auto& block = row.second.block;
    return block ? std::optional<util::ByteView>(block->view()) : std::nullopt;
  }));
  out.push_back({sql::kSetTold, std::move(params)});
}

void WriteBatch::put_synced(std::vector<Command>& out) const {
  if (synced_.empty()) return;
  const auto synced = column<bool>(synced_, [](const auto& row) { return row.second; });
  out.push_back({sql::kSetSynced, Params().bigints(wallet_column(synced_)).booleans(synced)});
}

}  // namespace spv::store::postgres
