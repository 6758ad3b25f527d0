#include "serve/electrum/script_history.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "util/hash.h"

namespace spv::serve::electrum {

ScriptHash hash_of_script(util::ByteView script) { return util::retag<ScriptHash>(util::sha256(script)); }

bool comes_before(const HistoryLine& a, const HistoryLine& b) {
  if (a.is_confirmed() != b.is_confirmed()) return a.is_confirmed();
  if (a.is_confirmed()) return std::tie(a.height, a.index) < std::tie(b.height, b.index);
  if (a.height != b.height) return a.height > b.height;
  // As printed, so from the last byte on.
  return std::lexicographical_compare(a.txid.bytes.rbegin(), a.txid.bytes.rend(), b.txid.bytes.rbegin(),
                                      b.txid.bytes.rend());
}

ScriptHistory merged(const std::vector<const ScriptHistory*>& parts) {
  std::map<chain::Txid, HistoryLine> lines;
  std::map<chain::OutPoint, PaidOutput> outputs;
  for (const auto* part : parts) {
    for (const auto& line : part->lines) {
      const auto [held, is_new] = lines.emplace(line.txid, line);
      if (!is_new && comes_before(line, held->second)) held->second = line;
    }
    for (const auto& output : part->outputs) {
      const auto [held, is_new] = outputs.emplace(output.outpoint, output);
      if (is_new) continue;
      held->second.height = std::max(held->second.height, output.height);
      held->second.spent = std::max(held->second.spent, output.spent);
    }
  }
  ScriptHistory out;
  for (const auto& [txid, line] : lines) out.lines.push_back(line);
  for (const auto& [outpoint, output] : outputs) out.outputs.push_back(output);
  std::ranges::sort(out.lines, comes_before);
  return out;
}

Status status_of(const std::vector<HistoryLine>& lines) {
  if (lines.empty()) return std::nullopt;
  util::Sha256 hasher;
  for (const auto& line : lines) {
    hasher.write(util::as_bytes(util::to_string(line.txid) + ":" + std::to_string(line.height) + ":"));
  }
  return hasher.finish();
}

ScriptBalance balance_of(const std::vector<PaidOutput>& outputs) {
  ScriptBalance out;
  for (const auto& output : outputs) {
    const bool is_confirmed = output.height > 0;
    if (is_confirmed && output.spent != PaidOutput::Spent::Confirmed) out.confirmed += output.value;
    if (is_confirmed && output.spent == PaidOutput::Spent::Unconfirmed) out.unconfirmed -= output.value;
    if (!is_confirmed && output.spent == PaidOutput::Spent::No) out.unconfirmed += output.value;
  }
  return out;
}

}  // namespace spv::serve::electrum
