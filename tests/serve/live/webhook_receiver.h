// WebhookReceiver: an HTTP or HTTPS server on 127.0.0.1 that takes posts and behaves as a test says.
#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <utility>
#include <vector>

#include <openssl/ssl.h>

#include "store/logged_event.h"
#include "tests/support/loopback_server.h"
#include "tests/support/process.h"
#include "tests/support/temp_dir.h"
#include "util/ensure.h"

namespace spv::test {

/// A key and a certificate for these names, which nobody else trusts.
struct Certificate {
  explicit Certificate(const std::string& names) {
    const auto made =
        run({"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
             "2", "-subj", "/CN=test", "-addext", "subjectAltName=" + names, "-keyout", key(), "-out", file()});
    util::ensure(made.exit_code == 0, "openssl makes no certificate");
  }
  [[nodiscard]] std::string key() const { return dir.file("key.pem"); }
  [[nodiscard]] std::string file() const { return dir.file("certificate.pem"); }
  TempDir dir;
};

struct ReceivedPost {
  std::string head;  // with the empty line
  std::string body;
  [[nodiscard]] std::string field(const std::string& name) const {
    const auto at = head.find("\r\n" + name + ": ");
    if (at == std::string::npos) return "";
    const auto begin = at + name.size() + 4;
    return head.substr(begin, head.find("\r\n", begin) - begin);
  }
  /// Of events as seq_json() renders them.
  [[nodiscard]] std::vector<store::Seq> seqs() const {
    std::vector<store::Seq> out;
    for (auto at = body.find("\"seq\":"); at != std::string::npos; at = body.find("\"seq\":", at + 1)) {
      out.push_back(std::stoll(body.substr(at + 6, 20)));
    }
    return out;
  }
};

class WebhookReceiver {
 public:
  /// What is sent back; an empty answer just closes.
  struct Answer {
    std::string bytes;
    bool hang = false;                      // then waits for the client to give up
    std::size_t piece = std::string::npos;  // bytes at a time, with a pause after each
  };
  static Answer status(int code, const std::string& more = "") {
    return {.bytes = "HTTP/1.1 " + std::to_string(code) + " X\r\n" + more + "Content-Length: 2\r\n\r\nok"};
  }

  explicit WebhookReceiver(const Certificate* certificate = nullptr)
      : tls_(nullptr, &SSL_CTX_free), server_([this](int socket) { serve(socket); }) {
    if (certificate == nullptr) return;
    tls_.reset(SSL_CTX_new(TLS_server_method()));
    SSL_CTX_use_certificate_file(tls_.get(), certificate->file().c_str(), SSL_FILETYPE_PEM);
    SSL_CTX_use_PrivateKey_file(tls_.get(), certificate->key().c_str(), SSL_FILETYPE_PEM);
  }

  [[nodiscard]] std::string url(const std::string& host = "127.0.0.1") const {
    return std::string(tls_ ? "https://" : "http://") + host + ":" + std::to_string(server_.port()) + "/hook?secret=x";
  }
  /// The next posts are answered so, in this order; all others with 200.
  void will(std::vector<Answer> answers) {
    const std::lock_guard lock(mutex_);
    answers_.insert(answers_.end(), answers.begin(), answers.end());
  }
  [[nodiscard]] std::vector<ReceivedPost> posts() const {
    const std::lock_guard lock(mutex_);
    return posts_;
  }
  /// The numbers of all events in posts that were answered by 200.
  [[nodiscard]] std::vector<store::Seq> accepted() const {
    const std::lock_guard lock(mutex_);
    return accepted_;
  }
  [[nodiscard]] int connections() const { return server_.connections(); }

 private:
  using Ssl = std::unique_ptr<SSL, decltype(&SSL_free)>;

  void serve(int socket) {
    Ssl ssl(nullptr, &SSL_free);
    if (tls_) {
      ssl.reset(SSL_new(tls_.get()));
      SSL_set_fd(ssl.get(), socket);
      if (SSL_accept(ssl.get()) != 1) return;
    }
    ReceivedPost post;
    if (!read(socket, ssl.get(), post)) return;
    const Answer answer = take(std::move(post));
    const auto size = answer.bytes.size();
    for (std::size_t at = 0; at < size; at += std::min(answer.piece, size - at)) {
      if (!write(socket, ssl.get(), answer.bytes.substr(at, answer.piece))) return;
      if (answer.piece < size && wait_readable(socket, 20)) return;  // a pause, unless the client hangs up
    }
    if (answer.hang) wait_readable(socket, 60'000);
  }
  static bool wait_readable(int socket, int milliseconds) {
    pollfd wanted{.fd = socket, .events = POLLIN, .revents = 0};
    return poll(&wanted, 1, milliseconds) == 1;
  }
  static bool read(int socket, SSL* ssl, ReceivedPost& post) {
    std::string text;
    for (;;) {
      std::array<char, 4'096> part{};
      if (ssl == nullptr && !wait_readable(socket, 60'000)) return false;
      const auto got = ssl != nullptr ? SSL_read(ssl, part.data(), part.size())
                                      : static_cast<int>(recv(socket, part.data(), part.size(), 0));
      if (got <= 0) return false;
      text.append(part.data(), static_cast<std::size_t>(got));
      const auto end = text.find("\r\n\r\n");
      if (end == std::string::npos) continue;
      post.head = text.substr(0, end + 4);
      post.body = text.substr(end + 4);
      if (post.body.size() >= std::stoul(post.field("Content-Length"))) return true;
    }
  }
  static bool write(int socket, SSL* ssl, const std::string& text) {
    if (ssl != nullptr) return SSL_write(ssl, text.data(), static_cast<int>(text.size())) > 0;
    return send_pieces(socket, util::as_bytes(text), text.size());
  }
  Answer take(ReceivedPost post) {
    const std::lock_guard lock(mutex_);
    posts_.push_back(std::move(post));
    if (!answers_.empty()) {
      const Answer answer = answers_.front();
      answers_.pop_front();
      return answer;
    }
    for (const auto seq : posts_.back().seqs()) accepted_.push_back(seq);
    return status(200);
  }

  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> tls_;
  mutable std::mutex mutex_;
  std::deque<Answer> answers_;
  std::vector<ReceivedPost> posts_;
  std::vector<store::Seq> accepted_;
  LoopbackServer server_;
};

}  // namespace spv::test
