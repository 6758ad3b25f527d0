#include "cli/commands/spend/psbt_file.h"

#include <cstring>

#include "cli/input_file.h"
#include "cli/output/new_file.h"
#include "cli/output/report.h"
#include "wallet/spend/psbt_roles.h"

namespace spv::cli {
namespace {

// Base64 takes four characters for three bytes, and some more for line ends.
constexpr std::size_t kMaxInputBytes = wallet::spend::kMaxPsbtBytes / 3 * 4 + 65'536;

}  // namespace

std::string read_psbt_input(const std::string& path) {
  const auto fail = [&](const std::string& why) {
    return CommandError(ExitCode::Failed, "psbt-file", "cannot read '" + path + "': " + why);
  };
  auto text = read_input<std::string>(path, kMaxInputBytes);
  if (!text) throw fail(std::strerror(text.error()));
  if (text->size() > kMaxInputBytes) throw fail("it is larger than 16 MB");
  return std::move(*text);
}

wallet::spend::Psbt read_psbt_file(const std::string& path) {
  return take(wallet::spend::read_psbt(util::as_bytes(read_psbt_input(path))));
}

void write_psbt_file(const std::string& path, const wallet::spend::Psbt& psbt) {
  const std::string text = wallet::spend::to_base64(psbt);
  if (path.empty()) return print_line(text);
  write_new_file(path, util::as_bytes(text + "\n"), "psbt-file");
}

chain::Transaction extract_transaction(const std::string& file) {
  const auto psbt = take(wallet::spend::read_psbt(util::as_bytes(file)));
  return take(wallet::spend::extract_transaction(take(wallet::spend::finalize_psbt(psbt))));
}

}  // namespace spv::cli
