// RawClient: a socket that says exactly what a test wants, and reads answers; Answer: one of them.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace spv::test {

/// Entropy that is never the same twice, and known: for cookies of tests.
inline std::function<void(std::span<std::uint8_t>)> counted_entropy() {
  return [next = std::uint8_t{0}](std::span<std::uint8_t> out) mutable {
    for (auto& byte : out) byte = next;
    ++next;
  };
}

struct Answer {
  unsigned status = 0;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
  [[nodiscard]] std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string() : found->second;
  }
};

class RawClient {
 public:
  /// Nothing in a test takes that long.
  static constexpr std::chrono::seconds kPatience{60};

  /// `receive_buffer`: of the socket, for one that reads slowly.
  explicit RawClient(std::uint16_t port, int receive_buffer = 0);
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  RawClient(RawClient&& other) noexcept;
  ~RawClient();

  /// False: the other side is gone.
  bool send(std::string_view bytes);
  /// The next answer; nothing if the connection ends before. `bodiless`: to a HEAD.
  std::optional<Answer> read(bool bodiless = false);
  /// Sends a request and reads its answer.
  std::optional<Answer> ask(std::string_view bytes) { return send(bytes) ? read() : std::nullopt; }
  /// Everything up to the end of the connection.
  std::string read_to_end();
  /// Waits until this text has come; false if the connection ends before.
  bool read_until(std::string_view text);
  /// Whether the other side has closed; waits for it.
  bool is_closed();
  void shut_down_sending();
  /// What was read and is not part of an answer yet.
  [[nodiscard]] const std::string& unread() const { return received_; }

 private:
  bool receive();

  int socket_ = -1;
  std::string received_;
};

/// A request with token and Host, such as get("/v1/a").
std::string get(std::string_view path, std::string_view more_headers = {});
std::string post(std::string_view path, std::string_view body, std::string_view more_headers = {});

}  // namespace spv::test
