#include "wallet/wallet.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "wallet/balance.h"
#include "wallet/history.h"
#include "wallet/script.h"

namespace spv::wallet {
namespace {

/// No node relays a larger one (400,000 weight units), so none comes from an honest peer outside a block.
constexpr std::size_t kMaxRelayedBytes = 100'000;

/// The same with everything that is scanned to be scanned again.
ScanState owing_all(ScanState scan, chain::Height birthday) {
  if (scan.scanned_to.height < birthday) return scan;
  scan.backfill = HeightRange{.from = birthday, .to = scan.scanned_to.height};
  scan.attested.forget(birthday, scan.scanned_to.height);
  return scan;
}

}  // namespace

Wallet::Wallet(WalletConfig config, WalletState state)
    : config_(std::move(config)),
      keys_(config_.key_chains, config_.gap_limit, std::move(state.key_chains), std::move(state.scripts)),
      ledger_(std::move(state.transactions)),
      scan_(std::move(state.scan)),
      frozen_(state.frozen.begin(), state.frozen.end()),
      teller_(state.told),
      synced_(state.synced) {}

WalletState Wallet::fresh_state(const WalletConfig& config) {
  WalletState state;
  for (const auto& chain : config.key_chains) {
    state.key_chains.push_back(KeyRing::fresh_state(chain.descriptor, config.gap_limit));
  }
  state.scan.scanned_to.height = config.birthday - 1;
  return state;
}

std::vector<util::Bytes> Wallet::filter_elements() const {
  std::vector<util::Bytes> elements = watched_elements();
  for (const auto& outpoint : watched_outpoints()) elements.push_back(util::to_bytes(outpoint.bytes()));
  return elements;
}

std::vector<util::Bytes> Wallet::watched_elements() const {
  std::vector<util::Bytes> elements;
  each_script([&](util::ByteView script) {
    const auto element = filter_element(script);
    if (element) elements.push_back(util::to_bytes(*element));
  });
  std::sort(elements.begin(), elements.end());
  elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
  return elements;
}

std::vector<util::Bytes> Wallet::watched_scripts() const {
  std::vector<util::Bytes> scripts;
  scripts.reserve(script_count());
  each_script([&](util::ByteView script) { scripts.push_back(util::to_bytes(script)); });
  return scripts;
}

std::size_t Wallet::script_count() const {
  std::size_t count = 0;
  for (std::size_t chain = 0; chain < keys_.chain_count(); ++chain) count += keys_.scripts(chain).size();
  return count;
}

std::vector<chain::OutPoint> Wallet::watched_outpoints() const {
  return watched_outpoints_of(books(), kReorganisationDepth);
}

bool Wallet::pays_us(const chain::Transaction& tx) const {
  return std::ranges::any_of(tx.outputs,
                             [&](const auto& output) { return keys_.find(output.script_pubkey).has_value(); });
}

bool Wallet::is_relevant(const chain::Transaction& tx) const {
  return pays_us(tx) || std::ranges::any_of(tx.inputs, [&](const chain::TxInput& input) {
           if (ledger_.is_spent(input.previous)) return true;
           const chain::TxOutput* spent = ledger_.output(input.previous);
           return spent != nullptr && keys_.find(spent->script_pubkey).has_value();
         });
}

bool Wallet::is_own(const chain::Transaction& tx) const { return wallet::is_own(books(), tx); }
bool Wallet::knows(const chain::Txid& txid) const { return ledger_.find(txid) != nullptr; }
const TxRecord* Wallet::find(const chain::Txid& txid) const { return ledger_.find(txid); }

Changes Wallet::apply_confirmed(const chain::Transaction& tx, const Confirmation& confirmation, util::ByteView proof,
                                util::UnixTime now) {
  if (!chain::check_structure(tx)) return {};
  return apply({.txid = tx.txid(),
                .tx = tx,
                .confirmation = confirmation,
                .first_seen = now,
                .sequence = 0,
                .proof = util::to_bytes(proof)});
}

Changes Wallet::apply_unconfirmed(const chain::Transaction& tx, util::UnixTime now) {
  if (!chain::check_structure(tx) || tx.is_coinbase()) return {};
  if (tx.serialized_size(chain::Witness::Strip) > kMaxRelayedBytes) return {};
  return apply({.txid = tx.txid(),
                .tx = tx,
                .confirmation = std::nullopt,
                .first_seen = now,
                .sequence = ledger_.next_sequence(),
                .proof = {},
                .seen_at = newest_height()});
}

chain::Height Wallet::newest_height() const {
  return std::max({scan_.scanned_to.height, known_tip_, chain::Height{0}});
}

util::Expected<Changes, PaymentError> Wallet::add_own(const chain::Transaction& tx, SendState state, util::UnixTime now,
                                                      const OwnPaymentTerms& terms) {
  if (auto refusal = refusal_of(books(), tx, terms)) return util::Unexpected{std::move(*refusal)};
  const chain::Txid txid = tx.txid();
  const TxRecord* held = find(txid);
  if (held == nullptr) {
    Changes changes = apply({.txid = txid,
                             .tx = tx,
                             .confirmation = std::nullopt,
                             .first_seen = now,
                             .sequence = ledger_.next_sequence(),
                             .proof = {},
                             .seen_at = newest_height(),
                             .sending = Sending{.state = state, .peers_accepted = 0}});
    // Its change may have widened the window, and perhaps no sync runs that would note what is owed for that.
    if (changes.widened) changes.merge(set_scan(owing_all(scan_, config_.birthday)));
    return changes;
  }
  if (held->sending && is_out(held->sending->state)) return Changes{};
  // Some peer has told of one that another copy of the wallet made, perhaps without its witness.
  Changes changes = held->sending ? Changes{} : apply_unconfirmed(tx, now);
  const SendState known = held->sending ? state : SendState::Accepted;
  const Sending sending{.state = known, .peers_accepted = held->sending ? 0U : 1U};
  changes.merge({.transactions = {ledger_.set_sending(txid, sending)}, .key_chains = {}, .scan = {}, .widened = false});
  teller_.note_change();
  return changes;
}

bool Wallet::is_payment(const chain::Transaction& tx) const {
  if (const TxRecord* held = find(tx.txid())) return held->sending.has_value();
  return is_paid_by_us(books(), tx);
}

std::optional<chain::Txid> Wallet::replaced_payment(const chain::Transaction& tx) const {
  return wallet::replaced_payment(books(), tx);
}

Changes Wallet::set_send_state(const chain::Txid& txid, SendState state, std::uint32_t peers_accepted) {
  const TxRecord* held = find(txid);
  if (held == nullptr || held->confirmation || !held->sending || !is_out(state)) return {};
  Sending sending = *held->sending;
  if (sending.state == SendState::Abandoned) return {};
  const bool tells_less =
      sending.state == SendState::Accepted || (sending.state == SendState::Fetched && state != SendState::Accepted);
  if (!tells_less) sending.state = state;
  sending.peers_accepted = std::max(sending.peers_accepted, peers_accepted);
  Changes changes;
  if (sending != *held->sending) {
    changes.transactions.push_back(ledger_.set_sending(txid, sending));
    teller_.note_change();
  }
  return changes;
}

util::Expected<Changes, PaymentError> Wallet::abandon(const chain::Txid& txid) {
  auto given_up = abandoned_with(books(), txid);
  if (!given_up) return util::Unexpected{given_up.error()};
  Changes changes;
  for (const chain::Txid& each : *given_up) {
    changes.transactions.push_back(ledger_.set_sending(each, {.state = SendState::Abandoned, .peers_accepted = 0}));
  }
  teller_.note_change();
  return changes;
}

Changes Wallet::apply(TxRecord seen) {
  Changes changes;
  if (!knows(seen.txid) && !is_relevant(seen.tx)) {
    orphans_.add(std::move(seen));
    return changes;
  }
  std::vector<TxRecord> todo;
  todo.push_back(std::move(seen));
  while (!todo.empty()) {
    TxRecord next = std::move(todo.back());
    todo.pop_back();
    const bool is_new = !knows(next.txid);
    const TxRecord* record = ledger_.record(std::move(next));
    if (record == nullptr) continue;
    teller_.note_change();
    changes.merge({.transactions = {*record}, .key_chains = {}, .scan = {}, .widened = false});
    if (is_new) adopt(*record, changes, todo);
  }
  return changes;
}

void Wallet::adopt(const TxRecord& record, Changes& changes, std::vector<TxRecord>& todo) {
  const auto take = [&](std::vector<TxRecord> found) { std::ranges::move(found, std::back_inserter(todo)); };
  if (!record.tx.is_coinbase()) {
    for (const auto& input : record.tx.inputs) take(orphans_.take_spenders(input.previous));
  }
  for (std::uint32_t n = 0; n < record.tx.outputs.size(); ++n) {
    if (keys_.find(record.tx.outputs[n].script_pubkey)) take(orphans_.take_spenders({record.txid, n}));
  }
  if (!mark_used(record.tx, changes)) return;
  mark_all_used(changes);
  take(orphans_.take_if([&](const chain::Transaction& tx) { return is_relevant(tx); }));
}

bool Wallet::mark_used(const chain::Transaction& tx, Changes& changes) {
  bool widened = false;
  for (const auto& output : tx.outputs) {
    for (const KeyId& key : keys_.find_all(output.script_pubkey)) {
      const KeyRing::Use use = keys_.mark_used(key);
      if (use.changed) note_chain(key.chain, changes);
      if (use.widened) note_scripts(key.chain, changes);
      widened = widened || use.widened;
    }
  }
  changes.widened = changes.widened || widened;
  return widened;
}

// What is held may pay scripts that were not watched before, which may widen the window once more.
void Wallet::mark_all_used(Changes& changes) {
  for (bool widened = true; widened;) {
    widened = false;
    for (const TxRecord& held : ledger_.records()) widened = mark_used(held.tx, changes) || widened;
  }
}

Changes Wallet::mark_shared_scripts() {
  Changes changes;
  if (!keys_.has_shared_scripts()) return changes;
  mark_all_used(changes);
  const chain::Height scanned = scan_.scanned_to.height;
  if (!changes.widened || scan_.scanned_to.hash.is_zero() || scanned < config_.birthday) return changes;
  ScanState scan = scan_;
  const chain::Height from = scan.backfill ? std::min(scan.backfill->from, config_.birthday) : config_.birthday;
  scan.backfill = HeightRange{from, scanned};
  scan.attested.forget(from, scanned);
  changes.merge(set_scan(std::move(scan)));
  return changes;
}

void Wallet::note_chain(std::size_t chain, Changes& changes) const {
  changes.merge({.transactions = {}, .key_chains = {{chain, keys_.state(chain)}}, .scan = {}, .widened = false});
}

void Wallet::note_scripts(std::size_t chain, Changes& changes) {
  auto derived = keys_.take_derived(chain);
  if (!derived) return;
  Changes later;
  later.scripts.push_back(std::move(*derived));
  changes.merge(std::move(later));
}

Changes Wallet::take_derived() {
  Changes changes;
  for (std::size_t chain = 0; chain < keys_.chain_count(); ++chain) note_scripts(chain, changes);
  return changes;
}

Changes Wallet::disconnect_above(const chain::BlockRef& fork) {
  Changes changes;
  changes.transactions = ledger_.disconnect_above(fork.height);
  changes.events = teller_.take_undone(books(), changes.transactions);
  if (!changes.transactions.empty()) teller_.note_change();
  orphans_.disconnect_above(fork.height, [&] { return ledger_.next_sequence(); });
  ScanState scan = scan_;
  if (scan.scanned_to.height > fork.height) {
    scan.attested.forget(fork.height + 1, scan.scanned_to.height);
    scan.scanned_to = fork;
    scan.peers = scan.time = 0;
  }
  if (scan.backfill) {
    scan.backfill->to = std::min(scan.backfill->to, fork.height);
    if (scan.backfill->from > scan.backfill->to) scan.backfill.reset();
  }
  scan.anchors = scan.anchors.up_to(fork.height);
  if (scan != scan_) changes.scan = scan;
  scan_ = std::move(scan);
  return changes;
}

bool Wallet::is_caught_up() const {
  // A wallet that is born at the tip has no block to scan yet.
  const bool knows_chain = known_tip_ > 0 || !scan_.scanned_to.hash.is_zero();
  return knows_chain && !scan_.backfill && scan_.scanned_to.height >= known_tip_;
}

Changes Wallet::note_synced() {
  Changes changes;
  if (!synced_) changes.synced = true;
  synced_ = true;
  return changes;
}

Changes Wallet::rescan(chain::Height from) {
  if (from > scan_.scanned_to.height) return {};
  ScanState scan = scan_;
  const chain::Height first = scan.backfill ? std::min(scan.backfill->from, from) : from;
  scan.backfill = HeightRange{first, scan.scanned_to.height};
  scan.attested.forget(first, scan.scanned_to.height);
  Changes changes = set_scan(std::move(scan));
  synced_ = false;
  changes.synced = false;
  return changes;
}

Changes Wallet::tell() {
  Changes changes;
  if (is_caught_up() && teller_.is_due(scan_.scanned_to.height)) changes.events = teller_.take(books());
  return changes;
}

Changes Wallet::set_scan(ScanState scan) {
  AnchorUpdates alone;
  return set_scan(std::move(scan), alone);
}

Changes Wallet::set_scan(ScanState scan, AnchorUpdates& together) {
  scan.anchors = together.updated(scan_.anchors, scan.anchors, scan.scanned_to);
  Changes changes;
  if (scan != scan_) changes.scan = scan;
  scan_ = std::move(scan);
  return changes;
}

Changes Wallet::set_birthday(chain::Height height) {
  config_.birthday = height;
  config_.birthday_time.reset();
  scan_.scanned_to = {.height = height - 1, .hash = {}};
  Changes changes;
  changes.birthday = height;
  changes.scan = scan_;
  return changes;
}

Books Wallet::books() const {
  return {.ledger = ledger_, .keys = keys_, .scanned = scan_.scanned_to.height, .frozen = frozen_};
}
Balance Wallet::balance() const { return balance_of(books()); }
CountedBalance Wallet::counted_balance() const {
  const Balance now = balance();
  return {.balance = now,
          .transactions = ledger_.records().size(),
          .scanned = scan_.scanned_to.height,
          .lasts = ledger_.all_confirmed() && now.immature == 0};
}
std::vector<Coin> Wallet::coins() const { return coins_of(books()); }
std::vector<HistoryEntry> Wallet::history() const { return history_of(books()); }
std::optional<HistoryEntry> Wallet::entry(const chain::Txid& txid) const { return entry_of(books(), txid); }
std::vector<Conflict> Wallet::conflicts() const { return conflicts_of(books()); }

chain::Amount Wallet::net_of(const chain::Transaction& tx) const {
  chain::Amount net = 0;  // each amount is at most 21 million coins, but forged inputs may add up to any number
  for (const auto& output : tx.outputs) {
    if (keys_.find(output.script_pubkey)) net += output.value;
  }
  for (const auto& input : tx.inputs) {
    const chain::TxOutput* spent = ledger_.output(input.previous);
    if (spent == nullptr || !keys_.find(spent->script_pubkey)) continue;
    net = std::max(net - spent->value, -chain::kMaxMoney);
  }
  return net;
}

util::Expected<std::vector<ScriptEntry>, NoAddress> Wallet::addresses() {
  auto entries = addresses_of(books());
  for (const ScriptEntry& entry : entries) {
    if (!keys_.prove({entry.chain, entry.index})) return util::Unexpected{NoAddress::Damaged};
  }
  return entries;
}

util::Expected<Wallet::Issued, NoAddress> Wallet::issue_address(bool change, bool advance) {
  const auto chain = keys_.chain_for(change);
  if (!chain) return util::Unexpected{NoAddress::NoneLeft};
  return issue_address_of(*chain, advance);
}

util::Expected<Wallet::Issued, NoAddress> Wallet::issue_address_of(std::size_t chain, bool advance) {
  return issued_of(chain, keys_.issue(chain, advance));
}

util::Expected<Wallet::Issued, NoAddress> Wallet::issue_next_address(bool change) {
  const auto chain = keys_.chain_for(change);
  if (!chain) return util::Unexpected{NoAddress::NoneLeft};
  auto issued = issued_of(*chain, keys_.issue_next(*chain));
  if (issued) note_scripts(*chain, issued->changes);
  return issued;
}

Changes Wallet::hand_out_to(const KeyId& id) {
  Changes changes;
  if (id.chain >= keys_.chain_count()) return changes;
  const auto use = keys_.hand_out_to(id);
  if (use.changed) note_chain(id.chain, changes);
  if (use.widened) note_scripts(id.chain, changes);
  changes.widened = use.widened;
  return changes;
}

util::Expected<Wallet::Issued, NoAddress> Wallet::issued_of(std::size_t chain,
                                                            const std::optional<KeyRing::Issue>& issue) {
  if (!issue) return util::Unexpected{NoAddress::NoneLeft};
  if (!keys_.prove({chain, issue->index})) return util::Unexpected{NoAddress::Damaged};
  Issued issued;
  const KeyChainState& state = keys_.state(chain);
  issued.entry = {.chain = chain,
                  .index = issue->index,
                  .script = util::to_bytes(keys_.script({chain, issue->index})),
                  .used = state.last_used && *state.last_used >= issue->index,
                  .received = 0};
  if (issue->changed) note_chain(chain, issued.changes);
  return issued;
}

util::Expected<ScriptEntry, NoAddress> Wallet::next_script(std::size_t chain) const {
  const auto index = keys_.fresh_index(chain);
  if (!index) return util::Unexpected{NoAddress::NoneLeft};
  if (!keys_.is_sound({chain, *index})) return util::Unexpected{NoAddress::Damaged};
  return ScriptEntry{.chain = chain, .index = *index, .script = util::to_bytes(keys_.script({chain, *index}))};
}

std::optional<KeyId> Wallet::key_of(util::ByteView script) const {
  for (const KeyId& key : keys_.find_all(script)) {
    if (keys_.is_sound(key)) return key;
  }
  return std::nullopt;
}

std::string Wallet::path_of(std::size_t chain, std::uint32_t index) const {
  return keys_.descriptor(chain).path_at(index);
}

}  // namespace spv::wallet
