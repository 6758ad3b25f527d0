// Links all of spending into the probe: the example calls nothing of it. Never run.
#include <spv/client.h>

namespace {

void call_all(spv::Client& client) {
  (void)client.create_payment("", {});
  (void)client.create_bump("", "", 0);
  (void)client.broadcast("");
  (void)client.send("", {}, {});
  (void)client.send_with("", {}, {});
  (void)client.bump("", "", 0, {});
  (void)client.cancel("", "", 0, {});
  (void)client.sign_psbt("", "", {});
  (void)client.sign_psbt_with("", "", {});
}

// The compiler cannot know that it stays null.
spv::Client* volatile no_client = nullptr;
[[maybe_unused]] const bool kLinked = [] {
  spv::Client* client = no_client;
  if (client != nullptr) call_all(*client);
  return true;
}();

}  // namespace
