#include "tests/support/postgres_cluster.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <libpq-fe.h>
#include <pwd.h>
#include <signal.h>
#include <sstream>
#include <stdexcept>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "tests/support/files.h"
#include "tests/support/poll_until.h"

namespace spv::test {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr const char* kDebianPrograms = "/usr/lib/postgresql/15/bin";
constexpr auto kStartTimeout = 60s;
constexpr auto kStopTimeout = 30s;
// A socket's path has at most 107 bytes: "/spv-test-XXXXXX/.s.PGSQL.5432" comes behind the folder.
constexpr std::size_t kMaxParentBytes = 70;

// Everybody may pass through it and all folders above it.
bool is_open_to_all(const fs::path& folder) {
  for (fs::path each = fs::absolute(folder); each.has_relative_path(); each = each.parent_path()) {
    if ((fs::status(each).permissions() & fs::perms::others_exec) == fs::perms::none) return false;
  }
  return true;
}

fs::path parent_folder() {
  fs::path usual = fs::temp_directory_path();
  const bool reachable = geteuid() != 0 || is_open_to_all(usual);
  return usual.native().size() <= kMaxParentBytes && reachable ? usual : fs::path("/tmp");
}

const passwd& server_user() {
  const passwd* user = getpwnam("postgres");
  if (user == nullptr) user = getpwnam("nobody");
  if (user == nullptr) throw std::runtime_error("PostgreSQL does not run as root, and there is no user for it");
  return *user;
}

// PostgreSQL's programs read from and write to it.
bool null_is_for_all() {
  struct stat status {};
  return stat("/dev/null", &status) == 0 && (status.st_mode & 0006) == 0006;
}

// The processes that this one has started, whatever group they are in.
std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> out;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (!std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; })) continue;
    const std::string stat_line = content(entry.path() / "stat");
    const auto end = stat_line.rfind(')');  // the name before it may hold anything
    if (end == std::string::npos) continue;
    std::istringstream rest(stat_line.substr(end + 1));
    char state = 0;
    pid_t its_parent = 0;
    if (rest >> state >> its_parent && its_parent == parent) out.push_back(std::stoi(name));
  }
  return out;
}

// One that nobody has waited for yet counts as gone.
bool is_gone(pid_t pid) {
  const std::string stat_line = content("/proc/" + std::to_string(pid) + "/stat");
  const auto end = stat_line.rfind(')');
  return end == std::string::npos || stat_line.compare(end, 3, ") Z") == 0;
}

struct Finish {
  void operator()(PGconn* connection) const { PQfinish(connection); }
  void operator()(PGresult* result) const { PQclear(result); }
};

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    constexpr const char* kDigits = "0123456789ABCDEF";
    const auto byte = static_cast<unsigned char>(c);
    out += plain ? std::string(1, c) : std::string{'%', kDigits[byte >> 4U], kDigits[byte & 15U]};
  }
  return out;
}

}  // namespace

std::optional<fs::path> PostgresCluster::programs() {
  static const std::optional<fs::path> found = []() -> std::optional<fs::path> {
    std::string said = run({"pg_config", "--bindir"}).out;
    said.erase(std::find(said.begin(), said.end(), '\n'), said.end());
    for (const fs::path& folder : {fs::path(said), fs::path(kDebianPrograms)}) {
      if (!folder.empty() && is_program(folder / "initdb") && is_program(folder / "postgres")) return folder;
    }
    return std::nullopt;
  }();
  return found;
}

PostgresCluster& PostgresCluster::shared() {
  static PostgresCluster cluster;
  return cluster;
}

PostgresCluster::PostgresCluster(PostgresOptions options) : options_(std::move(options)), folder_(parent_folder()) {
  if (!programs()) throw std::runtime_error("no PostgreSQL here");
  make_folder();
  init();
  start();
}

PostgresCluster::~PostgresCluster() {
  stop();
  if (shared_memory_ >= 0) shmctl(shared_memory_, IPC_RMID, nullptr);
}

void PostgresCluster::make_folder() {
  if (geteuid() != 0) return;
  const passwd& user = server_user();
  if (chown(folder_.path().c_str(), user.pw_uid, user.pw_gid) != 0)
    throw std::runtime_error("cannot give a folder away");
  const std::string null = folder_.file("null");
  if (!null_is_for_all() && (mknod(null.c_str(), S_IFCHR, makedev(1, 3)) != 0 || chmod(null.c_str(), 0666) != 0)) {
    throw std::runtime_error("/dev/null is not open to all users");
  }
}

// The server ends with the test program, however that ends: SIGQUIT makes it end its processes and leave nothing in
// the system. A change of the user would undo what ChildProcess does for that.
std::vector<std::string> PostgresCluster::as_user(const std::vector<std::string>& command) const {
  std::vector<std::string> out = {"setpriv", "--pdeathsig", "QUIT"};
  if (geteuid() == 0) {
    const passwd& user = server_user();
    out.insert(out.end(),
               {"--reuid", std::to_string(user.pw_uid), "--regid", std::to_string(user.pw_gid), "--clear-groups"});
  }
  out.insert(out.end(), command.begin(), command.end());
  if (!fs::exists(folder_.file("null"))) return out;
  // A usable /dev/null for the server alone, where the machine's is for root only.
  out.insert(out.begin(),
             {"unshare", "--mount", "sh", "-c", "mount --bind \"$0\" /dev/null && exec \"$@\"", folder_.file("null")});
  return out;
}

void PostgresCluster::init() {
  std::vector<std::string> command = {(*programs() / "initdb").string(),
                                      "--pgdata=" + data_folder(),
                                      "--username=" + std::string(kUser),
                                      "--encoding=UTF8",
                                      "--locale=C",
                                      "--no-sync",
                                      "--no-instructions"};
  const std::string password_file = folder_.file("password");
  if (options_.password.empty()) {
    command.emplace_back("--auth=trust");
  } else {
    std::ofstream(password_file) << "";
    fs::permissions(password_file, fs::perms::owner_read | fs::perms::owner_write);
    std::ofstream(password_file) << options_.password << '\n';
    if (geteuid() == 0) fs::permissions(folder_.path(), fs::perms::owner_all);
    const bool given = geteuid() != 0 || chown(password_file.c_str(), server_user().pw_uid, server_user().pw_gid) == 0;
    if (!given) throw std::runtime_error("cannot give a file away");
    command.insert(command.end(), {"--auth=scram-sha-256", "--pwfile=" + password_file});
  }
  const ProcessResult made = run(as_user(command));
  fs::remove(password_file);
  if (made.exit_code != 0) throw std::runtime_error("initdb failed: " + made.out + made.err);
}

void PostgresCluster::start() {
  std::vector<std::string> command = {(*programs() / "postgres").string(), "-D", data_folder(), "-k",
                                      folder_.path().string()};
  for (const char* setting :
       {"listen_addresses=", "max_connections=60", "shared_buffers=16MB", "dynamic_shared_memory_type=mmap",
        "log_min_messages=warning", "unix_socket_permissions=0777", "max_wal_size=256MB"}) {
    command.insert(command.end(), {"-c", setting});
  }
  if (!options_.durable) command.insert(command.end(), {"-c", "fsync=off"});
  process_ = std::make_unique<ChildProcess>(as_user(command), folder_.file("server.log"));
  bool ready = false;
  poll_until([&] { return (ready = answers()) || !process_->running(); }, kStartTimeout);
  if (ready) {
    shared_memory_ = -1;  // a server that starts removes what an earlier one left
    return;
  }
  stop();
  throw std::runtime_error("PostgreSQL did not start: " + content(folder_.file("server.log")));
}

bool PostgresCluster::answers() const { return PQping(conninfo("postgres").c_str()) == PQPING_OK; }

void PostgresCluster::stop() {
  if (!process_) return;
  process_->signal(SIGINT);
  if (!process_->wait(kStopTimeout)) return kill();
  process_.reset();
}

void PostgresCluster::kill() {
  if (!process_) return;
  // "PID, folder, start, port, socket folder, address, key and id of the shared memory", a line each.
  std::istringstream lines(content(folder_.path() / "data/postmaster.pid"));
  std::string line;
  std::getline(lines, line);
  const pid_t server = std::stoi(line);
  for (int n = 0; n < 6; ++n) std::getline(lines, line);
  int key = 0;
  if (!(std::istringstream(line) >> key >> shared_memory_)) shared_memory_ = -1;
  ::kill(server, SIGSTOP);  // or it would start new ones meanwhile
  const std::vector<pid_t> children = children_of(server);
  for (const pid_t child : children) ::kill(child, SIGKILL);
  process_->signal(SIGKILL);
  process_->wait(kStopTimeout);
  process_.reset();
  poll_until([&] { return std::all_of(children.begin(), children.end(), is_gone); }, kStopTimeout);
}

std::string PostgresCluster::create_database() {
  const std::string name = "test" + std::to_string(++next_database_);
  sql("postgres", "CREATE DATABASE " + name);
  return name;
}

void PostgresCluster::drop_database(const std::string& name) {
  sql("postgres", "DROP DATABASE IF EXISTS " + name + " WITH (FORCE)");
}

std::string PostgresCluster::conninfo(const std::string& database) const {
  std::string out = "host=" + folder_.path().string() + " user=" + kUser + " dbname=" + database;
  if (options_.password.empty()) return out;
  out += " password='";
  for (const char c : options_.password) out += c == '\'' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
  return out + "'";
}

std::string PostgresCluster::url(const std::string& database, const std::string& user,
                                 const std::optional<std::string>& password) const {
  const std::string secret = password.value_or(user == kUser ? options_.password : "");
  const std::string login = escaped(user) + (secret.empty() ? "" : ":" + escaped(secret));
  return "postgresql://" + login + "@" + escaped(folder_.path().string()) + "/" + escaped(database);
}

std::string PostgresCluster::sql(const std::string& database, const std::string& statement) {
  const std::unique_ptr<PGconn, Finish> connection(PQconnectdb(conninfo(database).c_str()));
  PQsetNoticeProcessor(
      connection.get(), [](void*, const char*) {}, nullptr);
  const std::unique_ptr<PGresult, Finish> result(PQexec(connection.get(), statement.c_str()));
  const auto status = PQresultStatus(result.get());
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
    throw std::runtime_error(statement + ": " + PQerrorMessage(connection.get()));
  }
  return PQntuples(result.get()) > 0 ? PQgetvalue(result.get(), 0, 0) : "";
}

}  // namespace spv::test
