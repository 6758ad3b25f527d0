// `spv labels export` and `spv labels import`: all labels of a wallet as a file (BIP329).
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/input_file.h"
#include "cli/output/report.h"
#include "cli/output/stdout_file.h"
#include "cli/wallet/label_lines.h"
#include "cli/wallet/wallet_file.h"

namespace spv::cli {
namespace {

constexpr std::size_t kMaxFileBytes = 64U << 20U;

CommandError file_error(const std::string& path, const char* what, const std::string& why) {
  return {ExitCode::Failed, "label-file", std::string("cannot ") + what + " '" + path + "': " + why};
}

void write_file(const std::string& path, const std::string& text) {
  // They tell what the coins are for.
  const store::FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!file.valid() && errno == EEXIST) throw file_error(path, "write", "it already exists; choose another name");
  if (!file.valid()) throw file_error(path, "write", std::strerror(errno));
  const int error = store::write_all(file.get(), util::as_bytes(text));
  if (error == 0) return;
  ::unlink(path.c_str());
  throw file_error(path, "write", std::strerror(error));
}

std::string read_file(const std::string& path) {
  auto text = read_input<std::string>(path, kMaxFileBytes);
  if (!text) throw file_error(path, "read", std::strerror(text.error()));
  if (text->size() > kMaxFileBytes) throw file_error(path, "read", "it is longer than 64 MiB");
  return std::move(*text);
}

ExitCode export_labels(const CommonOptions& common, const std::string& path) {
  OpenWallet open = open_wallet(common, Access::Read);
  const auto labels = open.file.labels();
  std::string text;
  for (const auto& label : labels) text += label_line(label) + "\n";
  if (path == "-") {
    fmt::print("{}", text);
    return ExitCode::Done;
  }
  write_file(path, text);
  if (common.json) {
    print_json({{"file", path}, {"exported", labels.size()}});
  } else {
    print_line(fmt::format("{} label{} written to {}", labels.size(), labels.size() == 1 ? "" : "s", path));
  }
  return ExitCode::Done;
}

ExitCode import_labels(const CommonOptions& common, const std::string& path) {
  OpenWallet open = open_wallet(common, Access::Shared);
  const auto lines = parse_label_lines(read_file(path), chain::params(common.network));
  if (lines.labels.empty() && lines.skipped > 0) {
    throw CommandError(ExitCode::Failed, "label-file",
                       fmt::format("no label found in '{}': line {}: {}", path, lines.first_skipped, lines.why));
  }
  open.file.change_labels(lines.labels);
  if (lines.skipped > 0) {
    print_note(fmt::format("{} line{} skipped, the first is line {}: {}", lines.skipped, lines.skipped == 1 ? "" : "s",
                           lines.first_skipped, lines.why));
  }
  if (common.json) {
    print_json({{"imported", lines.labels.size()}, {"skipped", lines.skipped}});
  } else {
    print_line(fmt::format("{} label{} imported", lines.labels.size(), lines.labels.size() == 1 ? "" : "s"));
  }
  return ExitCode::Done;
}

}  // namespace

ExitCode run(const CommonOptions& common, const LabelsOptions& options) {
  return options.import ? import_labels(common, options.file) : export_labels(common, options.file);
}

}  // namespace spv::cli
