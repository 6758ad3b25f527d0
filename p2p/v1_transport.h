// V1Transport: plain frames, ready from the first byte.
#pragma once

#include <utility>

#include "p2p/message_reader.h"
#include "p2p/transport.h"

namespace spv::p2p {

class V1Transport final : public Transport {
 public:
  explicit V1Transport(const Magic& magic) : magic_(magic), reader_(magic) {}

  std::span<std::uint8_t> prepare(std::size_t size) override { return reader_.prepare(size); }
  void commit(std::size_t size) override { reader_.commit(size); }
  util::Expected<std::optional<Message>, DecodeError> next() override { return reader_.next(); }
  void send(const Message& message) override {
    const auto frame = encode_frame(magic_, message);
    output_.insert(output_.end(), frame.begin(), frame.end());
  }
  util::Bytes take_output() override { return std::exchange(output_, {}); }

  [[nodiscard]] std::uint64_t bytes_consumed() const override { return reader_.bytes_consumed(); }
  [[nodiscard]] bool mid_frame() const override { return reader_.mid_frame(); }
  [[nodiscard]] bool suggests_v1() const override { return false; }
  [[nodiscard]] std::string_view name() const override { return "v1"; }
  [[nodiscard]] std::optional<std::array<std::uint8_t, 32>> session_id() const override { return std::nullopt; }

 private:
  Magic magic_;
  MessageReader reader_;
  util::Bytes output_;
};

}  // namespace spv::p2p
