// `spv serve`: follows all wallets and answers HTTP requests about them until a signal ends it.
#include <cstdio>
#include <optional>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/sync_settings.h"
#include "cli/error.h"
#include "cli/output/log_file.h"
#include "cli/output/report.h"
#include "cli/output/stdout_file.h"
#include "cli/wallet/wallet_file.h"
#include "serve/service.h"
#include "util/number.h"

namespace spv::cli {
namespace {

struct ListenAddress {
  std::string host;
  std::uint16_t port = 0;
};

ListenAddress parse_listen(const std::string& text) {
  const auto colon = text.rfind(':');
  const auto port =
      colon == std::string::npos ? std::nullopt : util::parse_number<std::uint16_t>(text.substr(colon + 1));
  std::string host = text.substr(0, colon);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (!port || host.empty() || (!bracketed && host.find(':') != std::string::npos)) {
    throw UsageError("invalid --listen '" + text + "'; use HOST:PORT, such as 127.0.0.1:8338 or [::1]:8338");
  }
  return {host, *port};
}

bool is_loopback(const std::string& host) { return host == "localhost" || host == "::1" || host.starts_with("127."); }

void check_reach(const ServeOptions& options, const ListenAddress& listen) {
  if (is_loopback(listen.host)) return;
  if (!options.allow_remote) {
    throw UsageError("--listen " + options.listen +
                     " lets other machines in; add --allow-remote if that is what you want, and put a TLS proxy in "
                     "front");
  }
  print_note("HTTP is not encrypted; anyone on the way can read the token. Put a TLS proxy in front");
}

serve::ServiceOptions service_options(const CommonOptions& common, const ServeOptions& options,
                                      const ListenAddress& listen) {
  serve::ServiceOptions out;
  out.client = settings_of(common, options.sync);
  out.client.database = common.database;
  out.client.log = library_log(common);
  out.host = listen.host;
  out.port = listen.port;
  out.host_names = options.hosts;
  out.make_token = options.token_file.empty();
  out.token_file = out.make_token ? network_folder(common) / "serve.token" : std::filesystem::path(options.token_file);
  out.webhooks = options.webhooks;
  out.webhook_key_file = options.webhook_key_file;
  out.keep_days = options.keep_days;
  out.log = open_log(common);
  return out;
}

ExitCode exit_code_of(ErrorCode code) {
  if (code == ErrorCode::InvalidArgument) return ExitCode::Usage;
  return code == ErrorCode::Locked ? ExitCode::Wallet : ExitCode::Failed;
}

void print_listening(bool json, const std::string& url) {
  if (json) {
    print_json({{"event", "listening"}, {"url", url}, {"electrum", nullptr}});
  } else {
    print_line("listening on " + url);
  }
  std::fflush(stdout);
}

}  // namespace

ExitCode run(const CommonOptions& common, const ServeOptions& options) {
  const ListenAddress listen = parse_listen(options.listen);
  check_reach(options, listen);
  serve::Service service(service_options(common, options, listen));
  const auto url = service.start();
  if (!url) throw CommandError(exit_code_of(url.error().code), "serve", url.error().message);
  print_listening(common.json, *url);
  service.run();
  return ExitCode::Done;
}

}  // namespace spv::cli
