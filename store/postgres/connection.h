// Connection: one connection to PostgreSQL. Statements are prepared once a connection, values go and come in binary,
// and many statements go in one round trip (libpq's pipeline mode).
//
// For one thread at a time. Every failure is a DatabaseError. After one of kind Unreachable the connection is broken():
// make a new one. What was being committed at that moment may or may not have been: read it again.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/postgres/database_error.h"
#include "store/postgres/database_url.h"
#include "store/postgres/values.h"

struct pg_conn;

namespace spv::store::postgres {

/// A statement and the name under which a connection prepares it. One name always stands for the same statement and the
/// same types of parameters. Both are constants of the program.
struct Statement {
  std::string_view name;
  std::string_view sql;
};

struct Command {
  Statement statement;
  Params params = {};
};

struct ConnectOptions {
  std::chrono::milliseconds connect_timeout{10'000};
  /// A server that is silent for longer counts as lost. An answer that keeps coming may take as long as it needs.
  std::chrono::milliseconds answer_timeout{60'000};
};

/// What NOTIFY told.
struct Notification {
  std::string channel;
  std::string payload;
  friend bool operator==(const Notification&, const Notification&) = default;
};

class Connection {
 public:
  explicit Connection(const DatabaseUrl& url, const ConnectOptions& options = {});

  /// Nothing can be done with it any more.
  [[nodiscard]] bool broken() const;
  [[nodiscard]] bool in_transaction() const;

  Result run(const Statement& statement, const Params& params = {});
  /// All in one round trip, the results in order. Outside a transaction they are one: the first error undoes all.
  std::vector<Result> run_all(const std::vector<Command>& commands);
  /// Runs one or more statements without parameters, unprepared; their rows are dropped. Outside a transaction they are
  /// one.
  void execute(const std::string& script);

  /// Asks for the notifications of a channel.
  void listen(const std::string& channel);
  /// What has arrived by now, without waiting.
  std::vector<Notification> notifications();
  /// Readable when something may have arrived; -1 if broken.
  [[nodiscard]] int socket() const;

 private:
  struct Close {
    void operator()(pg_conn* connection) const;
  };
  struct Prepared {
    std::string sql;
    std::vector<Type> types;
  };
  /// What an answer belongs to: a statement that is prepared by it, or a command that is run.
  struct Sent {
    std::optional<Statement> prepares;
    std::vector<Type> types;
  };

  void open(const ConnectOptions& options);
  std::vector<Sent> send(const std::vector<Command>& commands);
  void send_prepare(const Command& command);
  void send_run(const Command& command);
  std::vector<Result> collect(const std::vector<Sent>& sent);
  /// The next result, or null at the end of one statement's.
  pg_result* next_result();
  void flush();
  /// Until the server sends or takes something.
  void wait_for(short events);
  void require_open() const;
  [[noreturn]] void lose(const std::string& why);
  [[noreturn]] void raise(const DatabaseError& error);

  DatabaseUrl url_;
  std::chrono::milliseconds answer_timeout_;
  std::unique_ptr<pg_conn, Close> connection_;
  std::map<std::string, Prepared, std::less<>> prepared_;
};

}  // namespace spv::store::postgres
