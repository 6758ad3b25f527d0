#include "serve/electrum/wallet_view.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace spv::serve::electrum {
namespace {

struct OutPointHash {
  std::size_t operator()(const chain::OutPoint& point) const noexcept {
    return std::hash<chain::Txid>{}(point.txid) ^ point.index;
  }
};

class ViewMaker {
 public:
  ViewMaker(const std::string& name, const wallet::Wallet& wallet) : wallet_(wallet) { view_->name = name; }

  std::shared_ptr<const WalletView> make(const WalletView* before) {
    note_scripts(before);
    const auto& scan = wallet_.scan();
    view_->is_complete = wallet_.synced() && !scan.backfill;
    view_->scanned_to = scan.scanned_to.height;
    collect();
    for (const auto& line : view_->lines) note_outputs(line);
    for (const auto& line : view_->lines) note_touched(line);
    for (auto& [script, entry] : view_->used) entry.status = status_of(entry.history.lines);
    return std::move(view_);
  }

 private:
  void note_scripts(const WalletView* before) {
    const auto& chains = wallet_.config().key_chains;
    for (const auto& each : chains) view_->descriptors.push_back(each.descriptor);
    auto scripts = std::make_shared<WatchedScripts>(chains.size());
    for (std::size_t chain = 0; chain < chains.size(); ++chain) {
      const auto& list = wallet_.scripts(chain);
      auto& hashes = (*scripts)[chain];
      hashes.reserve(list.size());
      // Those of an index never change; the first one tells another wallet of the same name.
      const bool is_known = before != nullptr && chain < before->watched->size() && !list.empty() &&
                            !(*before->watched)[chain].empty() &&
                            (*before->watched)[chain].front() == hash_of_script(list[0]);
      if (is_known) hashes = (*before->watched)[chain];
      for (std::size_t index = hashes.size(); index < list.size(); ++index) {
        hashes.push_back(hash_of_script(list[index]));
      }
    }
    view_->watched = std::move(scripts);
  }

  // In the order of the protocol; an unconfirmed parent is one of the wallet's, others are not known.
  void collect() {
    std::unordered_set<chain::Txid> unconfirmed;
    for (const auto& entry : wallet_.history()) {
      if (entry.status == wallet::TxStatus::Conflicted) continue;
      HistoryLine line{.txid = entry.txid};
      if (entry.confirmation) {
        line.height = entry.confirmation->block.height;
        line.index = entry.confirmation->index;
      } else {
        line.fee = std::max<chain::Amount>(0, entry.fee.value_or(0));
        unconfirmed.insert(entry.txid);
      }
      view_->lines.push_back(line);
    }
    for (auto& line : view_->lines) {
      if (line.is_confirmed()) continue;
      const auto& inputs = wallet_.find(line.txid)->tx.inputs;
      const auto is_unconfirmed = [&](const auto& input) { return unconfirmed.contains(input.previous.txid); };
      if (std::ranges::any_of(inputs, is_unconfirmed)) line.height = kUnconfirmedParent;
    }
    std::ranges::sort(view_->lines, comes_before);
    view_->places.reserve(view_->lines.size());
    for (std::size_t i = 0; i < view_->lines.size(); ++i) {
      view_->places.emplace(view_->lines[i].txid, static_cast<std::uint32_t>(i));
    }
  }

  void note_outputs(const HistoryLine& line) {
    const auto& outputs = wallet_.find(line.txid)->tx.outputs;
    for (std::uint32_t index = 0; index < outputs.size(); ++index) {
      const auto& output = outputs[index];
      if (!wallet_.watches(output.script_pubkey)) continue;
      const ScriptHash script = hash_of_script(output.script_pubkey);
      auto& paid = view_->used[script].history.outputs;
      const chain::OutPoint outpoint{line.txid, index};
      paid_.emplace(outpoint, std::pair(script, paid.size()));
      paid.push_back({outpoint, output.value, std::max(line.height, 0)});
    }
  }

  void note_touched(const HistoryLine& line) {
    const auto& tx = wallet_.find(line.txid)->tx;
    const auto touch = [&](const ScriptHash& script) -> ScriptHistory& {
      auto& history = view_->used[script].history;
      if (history.lines.empty() || history.lines.back().txid != line.txid) history.lines.push_back(line);
      return history;
    };
    for (const auto& output : tx.outputs) {
      if (wallet_.watches(output.script_pubkey)) touch(hash_of_script(output.script_pubkey));
    }
    for (const auto& input : tx.inputs) {
      const auto found = paid_.find(input.previous);
      if (found == paid_.end()) continue;
      const auto& [script, place] = found->second;
      touch(script).outputs[place].spent =
          line.is_confirmed() ? PaidOutput::Spent::Confirmed : PaidOutput::Spent::Unconfirmed;
    }
  }

  const wallet::Wallet& wallet_;
  std::shared_ptr<WalletView> view_ = std::make_shared<WalletView>();
  std::unordered_map<chain::OutPoint, std::pair<ScriptHash, std::size_t>, OutPointHash> paid_;
};

}  // namespace

std::shared_ptr<const WalletView> view_of(const std::string& name, const wallet::Wallet& wallet,
                                          const WalletView* before) {
  return ViewMaker(name, wallet).make(before);
}

}  // namespace spv::serve::electrum
