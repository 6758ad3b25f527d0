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
#include "serve/http/authority.h"
#include "serve/service.h"
#include "util/number.h"

namespace spv::cli {
namespace {

struct ListenAddress {
  std::string host;
  std::uint16_t port = 0;
};

ListenAddress parse_listen(const std::string& option, const std::string& text) {
  const auto colon = text.rfind(':');
  const auto port =
      colon == std::string::npos ? std::nullopt : util::parse_number<std::uint16_t>(text.substr(colon + 1));
  std::string host = text.substr(0, colon);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (!port || host.empty() || (!bracketed && host.find(':') != std::string::npos)) {
    throw UsageError("invalid " + option + " '" + text + "'; use HOST:PORT, such as 127.0.0.1:8338 or [::1]:8338");
  }
  return {host, *port};
}

void check_reach(const ServeOptions& options, const ListenAddress& listen) {
  if (serve::is_loopback(listen.host)) return;
  if (!options.allow_remote) {
    throw UsageError("--listen " + options.listen +
                     " lets other machines in; add --allow-remote if that is what you want, and put a TLS proxy in "
                     "front");
  }
  print_note("HTTP is not encrypted; anyone on the way can read the token. Put a TLS proxy in front");
}

void check_electrum_reach(const ServeOptions& options, const ListenAddress& listen) {
  if (serve::is_loopback(listen.host)) return;
  if (!options.allow_remote) {
    throw UsageError("--electrum " + options.electrum +
                     " lets other machines in; add --allow-remote if that is what you want");
  }
  print_note("the Electrum protocol has no password; whoever reaches the port can ask for addresses that it knows");
  if (options.electrum_cert.empty()) print_note("Electrum clients are not encrypted; see --electrum-cert");
}

std::optional<serve::electrum::HubOptions> electrum_options(const ServeOptions& options) {
  if (options.electrum.empty()) {
    if (options.electrum_cert.empty()) return std::nullopt;
    throw UsageError("--electrum-cert is of no use without --electrum");
  }
  const ListenAddress listen = parse_listen("--electrum", options.electrum);
  check_electrum_reach(options, listen);
  serve::electrum::HubOptions out;
  out.listener = {listen.host, listen.port, options.electrum_cert, options.electrum_key};
  out.empty_unknown = options.electrum_unknown == "empty";
  return out;
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
  out.electrum = electrum_options(options);
  out.log = open_log(common);
  return out;
}

ExitCode exit_code_of(ErrorCode code) {
  if (code == ErrorCode::InvalidArgument) return ExitCode::Usage;
  return code == ErrorCode::Locked ? ExitCode::Wallet : ExitCode::Failed;
}

void print_listening(bool json, const serve::Service::Places& places) {
  if (json) {
    const auto electrum = places.electrum.empty() ? boost::json::value(nullptr) : boost::json::value(places.electrum);
    print_json({{"event", "listening"}, {"url", places.url}, {"electrum", electrum}});
  } else {
    print_line("listening on " + places.url);
    if (!places.electrum.empty()) print_note("Electrum clients connect to " + places.electrum);
  }
  std::fflush(stdout);
}

}  // namespace

ExitCode run(const CommonOptions& common, const ServeOptions& options) {
  const ListenAddress listen = parse_listen("--listen", options.listen);
  check_reach(options, listen);
  serve::Service service(service_options(common, options, listen));
  const auto places = service.start();
  if (!places) throw CommandError(exit_code_of(places.error().code), "serve", places.error().message);
  print_listening(common.json, *places);
  service.run();
  return ExitCode::Done;
}

}  // namespace spv::cli
