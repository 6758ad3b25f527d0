#include "store/postgres/connection.h"

#include <algorithm>
#include <cerrno>
#include <libpq-fe.h>
#include <poll.h>
#include <set>
#include <utility>

#include "util/ensure.h"

namespace spv::store::postgres {
namespace {

using Clock = std::chrono::steady_clock;

// A process that stops in the middle of a transaction must not hold its locks for ever.
constexpr std::string_view kSessionOptions = "-c idle_in_transaction_session_timeout=60000";

// The settings of a connection as libpq takes them: names and values, each list ended by a null pointer.
class Settings {
 public:
  explicit Settings(const DatabaseUrl& url) {
    add("user", url.user);
    add("password", url.password);
    add("host", url.host);
    add("port", url.port);
    add("dbname", url.name);
    std::string options(kSessionOptions);
    for (const auto& [name, value] : url.parameters) {
      if (name == "options") {
        options += " " + value;
      } else {
        add(name, value);
      }
    }
    add("options", options);
    add("client_encoding", "UTF8");
    add("fallback_application_name", "spv");
    // Without these a host that vanished is noticed after hours. What the URL says comes first.
    for (const auto& [name, value] : {std::pair{"tcp_user_timeout", "30000"}, std::pair{"keepalives_idle", "30"}}) {
      if (std::find(names_.begin(), names_.end(), name) == names_.end()) add(name, value);
    }
  }
  [[nodiscard]] std::vector<const char*> names() const { return pointers(names_); }
  [[nodiscard]] std::vector<const char*> values() const { return pointers(values_); }

 private:
  void add(std::string name, std::string value) {
    if (value.empty()) return;
    names_.push_back(std::move(name));
    values_.push_back(std::move(value));
  }
  static std::vector<const char*> pointers(const std::vector<std::string>& texts) {
    std::vector<const char*> out;
    out.reserve(texts.size() + 1);
    for (const auto& text : texts) out.push_back(text.c_str());
    out.push_back(nullptr);
    return out;
  }
  std::vector<std::string> names_;
  std::vector<std::string> values_;
};

std::vector<Oid> oids(const std::vector<Type>& types) {
  std::vector<Oid> out;
  out.reserve(types.size());
  for (const Type type : types) out.push_back(static_cast<Oid>(type));
  return out;
}

// True once the socket is ready, false if the time is up.
bool poll_socket(int socket, short events, Clock::time_point until) {
  for (;;) {
    pollfd entry{.fd = socket, .events = events, .revents = 0};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    const int ready = ::poll(&entry, 1, static_cast<int>(std::clamp<std::int64_t>(left, 0, 3'600'000)));
    if (ready > 0) return true;
    if (ready == 0) return false;
    if (errno != EINTR) return true;  // libpq will find out why
  }
}

}  // namespace

void Connection::Close::operator()(pg_conn* connection) const { PQfinish(connection); }

Connection::Connection(const DatabaseUrl& url, const ConnectOptions& options)
    : url_(url), answer_timeout_(options.answer_timeout) {
  open(options);
}

void Connection::open(const ConnectOptions& options) {
  const Settings settings(url_);
  connection_.reset(PQconnectStartParams(settings.names().data(), settings.values().data(), 0));
  util::ensure(connection_ != nullptr, "no memory for a connection");
  pg_conn* connection = connection_.get();
  PQsetErrorVerbosity(connection, PQERRORS_VERBOSE);
  // By default libpq writes to stderr.
  PQsetNoticeReceiver(
      connection, [](void*, const pg_result*) {}, nullptr);
  const auto until = Clock::now() + options.connect_timeout;
  auto step = PQstatus(connection) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING;
  while (step == PGRES_POLLING_READING || step == PGRES_POLLING_WRITING) {
    const short events = step == PGRES_POLLING_READING ? POLLIN : POLLOUT;
    if (!poll_socket(PQsocket(connection), events, until)) {
      connection_.reset();
      throw DatabaseError(StoreError::Kind::Unreachable,
                          "cannot connect to " + redacted(url_) + ": no answer in " +
                              std::to_string(options.connect_timeout.count()) +
                              " ms; check that the server runs and that the database URL is right",
                          "");
    }
    step = PQconnectPoll(connection);
  }
  if (step != PGRES_POLLING_OK) throw connect_error(connection, url_);
  PQsetErrorVerbosity(connection, PQERRORS_DEFAULT);
  PQsetnonblocking(connection, 1);
}

bool Connection::broken() const { return connection_ == nullptr || PQstatus(connection_.get()) != CONNECTION_OK; }

bool Connection::in_transaction() const { return !broken() && PQtransactionStatus(connection_.get()) != PQTRANS_IDLE; }

int Connection::socket() const { return broken() ? -1 : PQsocket(connection_.get()); }

void Connection::require_open() const {
  if (broken()) throw lost_error("it broke earlier", url_);
}

void Connection::lose(const std::string& why) {
  connection_.reset();
  throw lost_error(why, url_);
}

void Connection::raise(const DatabaseError& error) {
  // The server to write to is another one, or this one later: the next connection finds out.
  if (error.kind() == StoreError::Kind::Unreachable) connection_.reset();
  throw error;
}

void Connection::wait_for(short events) {
  const bool ready = poll_socket(PQsocket(connection_.get()), events, Clock::now() + answer_timeout_);
  if (!ready) lose("no answer in " + std::to_string(answer_timeout_.count()) + " ms");
}

void Connection::flush() {
  for (;;) {
    const int left = PQflush(connection_.get());
    if (left == 0) return;
    if (left < 0) lose(PQerrorMessage(connection_.get()));
    // The server stops reading while nobody takes its answers.
    wait_for(POLLIN | POLLOUT);
    if (PQconsumeInput(connection_.get()) == 0) lose(PQerrorMessage(connection_.get()));
  }
}

pg_result* Connection::next_result() {
  while (PQisBusy(connection_.get()) != 0) {
    wait_for(POLLIN);
    // Where the connection broke, what the server said before it is still to be read.
    if (PQconsumeInput(connection_.get()) == 0) break;
  }
  return PQgetResult(connection_.get());
}

void Connection::send_prepare(const Command& command) {
  const std::vector<Oid> types = oids(command.params.types());
  const int sent =
      PQsendPrepare(connection_.get(), std::string(command.statement.name).c_str(),
                    std::string(command.statement.sql).c_str(), static_cast<int>(types.size()), types.data());
  if (sent == 0) lose(PQerrorMessage(connection_.get()));
}

void Connection::send_run(const Command& command) {
  constexpr int kBinary = 1;
  const auto pointers = command.params.pointers();
  const auto lengths = command.params.lengths();
  const std::vector<int> formats(command.params.size(), kBinary);
  const int sent =
      PQsendQueryPrepared(connection_.get(), std::string(command.statement.name).c_str(),
                          static_cast<int>(pointers.size()), pointers.data(), lengths.data(), formats.data(), kBinary);
  if (sent == 0) lose(PQerrorMessage(connection_.get()));
}

std::vector<Connection::Sent> Connection::send(const std::vector<Command>& commands) {
  std::vector<Sent> sent;
  std::set<std::string_view> preparing;
  for (const Command& command : commands) {
    const auto& [name, sql] = command.statement;
    std::vector<Type> types = command.params.types();
    if (const auto found = prepared_.find(name); found != prepared_.end()) {
      util::ensure(found->second.sql == sql && found->second.types == types, "one name, two statements");
    } else if (preparing.insert(name).second) {
      send_prepare(command);
      sent.push_back({.prepares = command.statement, .types = std::move(types)});
    }
    send_run(command);
    sent.push_back({.prepares = std::nullopt, .types = {}});
  }
  return sent;
}

std::vector<Result> Connection::collect(const std::vector<Sent>& sent) {
  std::vector<Result> results;
  std::optional<DatabaseError> first_error;
  bool ended = false;
  for (std::size_t at = 0;;) {
    pg_result* next = next_result();
    if (next == nullptr) {
      // The end of one statement's results; two in a row are the end of all, and the sync never came.
      if (!broken() && !std::exchange(ended, true)) continue;
      if (first_error && broken()) throw *first_error;
      lose(PQerrorMessage(connection_.get()));
    }
    ended = false;
    Result result(next);
    const ExecStatusType status = PQresultStatus(next);
    if (status == PGRES_PIPELINE_SYNC) break;
    if (status == PGRES_FATAL_ERROR && !first_error) first_error = statement_error(next, url_);
    const bool succeeded = status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK || status == PGRES_EMPTY_QUERY;
    if (at >= sent.size()) continue;
    const Sent& question = sent[at++];
    if (succeeded && question.prepares) {
      prepared_[std::string(question.prepares->name)] = {std::string(question.prepares->sql), question.types};
    } else if (succeeded) {
      results.push_back(std::move(result));
    }
  }
  if (PQexitPipelineMode(connection_.get()) == 0) lose(PQerrorMessage(connection_.get()));
  if (first_error) raise(*first_error);
  return results;
}

std::vector<Result> Connection::run_all(const std::vector<Command>& commands) {
  require_open();
  if (PQenterPipelineMode(connection_.get()) == 0) lose(PQerrorMessage(connection_.get()));
  const std::vector<Sent> sent = send(commands);
  if (PQpipelineSync(connection_.get()) == 0) lose(PQerrorMessage(connection_.get()));
  flush();
  return collect(sent);
}

Result Connection::run(const Statement& statement, const Params& params) {
  std::vector<Result> results = run_all({Command{.statement = statement, .params = params}});
  return std::move(results.at(0));
}

void Connection::execute(const std::string& script) {
  require_open();
  if (PQsendQuery(connection_.get(), script.c_str()) == 0) lose(PQerrorMessage(connection_.get()));
  flush();
  std::optional<DatabaseError> first_error;
  while (pg_result* next = next_result()) {
    const Result result(next);
    if (PQresultStatus(next) == PGRES_FATAL_ERROR && !first_error) first_error = statement_error(next, url_);
  }
  if (first_error) raise(*first_error);
  require_open();
}

void Connection::listen(const std::string& channel) {
  require_open();
  const std::unique_ptr<char, decltype(&PQfreemem)> name(
      PQescapeIdentifier(connection_.get(), channel.data(), channel.size()), &PQfreemem);
  util::ensure(name != nullptr, "a channel has a name in UTF-8");
  execute("LISTEN " + std::string(name.get()));
}

std::vector<Notification> Connection::notifications() {
  require_open();
  if (PQconsumeInput(connection_.get()) == 0) lose(PQerrorMessage(connection_.get()));
  std::vector<Notification> out;
  const auto next = [&] {
    return std::unique_ptr<PGnotify, decltype(&PQfreemem)>(PQnotifies(connection_.get()), &PQfreemem);
  };
  for (auto notification = next(); notification != nullptr; notification = next()) {
    out.push_back({.channel = notification->relname, .payload = notification->extra});
  }
  return out;
}

}  // namespace spv::store::postgres
