// `spv labels export` and `spv labels import`: all labels of a wallet as a file (BIP329).
#include <algorithm>
#include <chrono>
#include <cstring>
#include <iterator>
#include <thread>
#include <tuple>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/input_file.h"
#include "cli/output/new_file.h"
#include "cli/output/report.h"
#include "cli/output/stdout_file.h"
#include "cli/wallet/label_lines.h"
#include "cli/wallet/wallet_file.h"

namespace spv::cli {
namespace {

constexpr std::size_t kMaxFileBytes = 64U << 20U;

CommandError read_error(const std::string& path, const std::string& why) {
  return {ExitCode::Failed, "label-file", "cannot read '" + path + "': " + why};
}

std::string read_file(const std::string& path) {
  auto text = read_input<std::string>(path, kMaxFileBytes);
  if (!text) throw read_error(path, std::strerror(text.error()));
  if (text->size() > kMaxFileBytes) throw read_error(path, "it is longer than 64 MiB");
  return std::move(*text);
}

ExitCode export_labels(const CommonOptions& common, const std::string& path) {
  OpenWallet open = open_wallet(common, Access::Read);
  const auto labels = open.stored->labels();
  std::string text;
  for (const auto& label : labels) text += label_line(label) + "\n";
  if (path == "-") {
    fmt::print("{}", text);
    return ExitCode::Done;
  }
  write_new_file(path, util::as_bytes(text), "label-file");
  if (common.json) {
    print_json({{"file", path}, {"exported", labels.size()}});
  } else {
    print_line(fmt::format("{} label{} written to {}", labels.size(), labels.size() == 1 ? "" : "s", path));
  }
  return ExitCode::Done;
}

// A sync beside us waits for ten seconds and then gives up, so that no transaction of ours may be long, and there must
// be time between two of them: who waits for a lock looks for it only now and then.
void write_in_batches(std::vector<wallet::LabelChange> changes, store::StoredWallet& file) {
  constexpr std::size_t kBatch = 1'000;
  using Clock = std::chrono::steady_clock;
  // In the order of the index, neighbours go to the same page; of two lines for one reference the later one still wins.
  std::ranges::stable_sort(changes, {}, [](const auto& each) { return std::tie(each.kind, each.ref); });
  std::vector<wallet::LabelChange> batch;
  for (std::size_t from = 0; from < changes.size(); from += kBatch) {
    const auto first = changes.begin() + static_cast<std::ptrdiff_t>(from);
    const auto last = changes.begin() + static_cast<std::ptrdiff_t>(std::min(from + kBatch, changes.size()));
    batch.assign(std::make_move_iterator(first), std::make_move_iterator(last));
    const auto began = Clock::now();
    file.change_labels(batch);
    if (last != changes.end()) std::this_thread::sleep_for((Clock::now() - began) / 4);
  }
}

ExitCode import_labels(const CommonOptions& common, const std::string& path) {
  OpenWallet open = open_wallet(common, Access::Shared);
  auto lines = parse_label_lines(read_file(path), chain::params(common.network));
  const std::size_t imported = lines.labels.size();
  if (lines.labels.empty() && lines.skipped > 0) {
    throw CommandError(ExitCode::Failed, "label-file",
                       fmt::format("no label found in '{}': line {}: {}", path, lines.first_skipped, lines.why));
  }
  write_in_batches(std::move(lines.labels), *open.stored);
  if (lines.skipped > 0) {
    print_note(fmt::format("{} line{} skipped, the first is line {}: {}", lines.skipped, lines.skipped == 1 ? "" : "s",
                           lines.first_skipped, lines.why));
  }
  if (common.json) {
    print_json({{"imported", imported}, {"skipped", lines.skipped}});
  } else {
    print_line(fmt::format("{} label{} imported", imported, imported == 1 ? "" : "s"));
  }
  return ExitCode::Done;
}

}  // namespace

ExitCode run(const CommonOptions& common, const LabelsOptions& options) {
  return options.import ? import_labels(common, options.file) : export_labels(common, options.file);
}

}  // namespace spv::cli
