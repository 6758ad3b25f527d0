/* Waits for a payment to an address, using the C ABI.
 *
 * usage: watch_address DATADIR PEER ADDRESS [BIRTHDAY]      on regtest; the peer needs peerbloomfilters=1
 */
#include <spv/spv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int report(const char* what, int error, spv_client* client) {
  fprintf(stderr, "error: %s: %s: %s\n", what, spv_error_name(error), spv_last_error(client));
  spv_close(client);
  return 1;
}

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  spv_options options = {.struct_size = sizeof options, .data_dir = argv[1], .network = SPV_NETWORK_REGTEST};
  const char* peers[] = {argv[2]};
  options.peers = peers;
  options.peer_count = 1;

  spv_client* client = NULL;
  int error = spv_open(&options, &client);
  if (error) return report("open", error, client);

  char descriptor[128];
  snprintf(descriptor, sizeof descriptor, "addr(%s)", argv[3]);
  const char* descriptors[] = {descriptor};
  spv_wallet_options wanted = {.struct_size = sizeof wanted};
  if (argc > 4) {
    wanted.has_birthday = 1;
    wanted.birthday = atoll(argv[4]);
  }
  error = spv_wallet_open(client, "shop");
  if (error == SPV_ERR_NOT_FOUND) error = spv_wallet_watch(client, "shop", descriptors, 1, &wanted);
  if (error) return report("wallet", error, client);
  if ((error = spv_start(client)) != 0) return report("start", error, client);

  spv_event event = {.struct_size = sizeof event};
  while ((error = spv_next_event(client, 60000, &event)) == 0) {
    if (event.type == SPV_EVENT_STOPPED) {
      fprintf(stderr, "error: sync stopped: %s\n", event.message);
      spv_close(client);
      return 1;
    }
    if (event.type != SPV_EVENT_TRANSACTION) continue;
    printf("payment %s %lld %d\n", event.txid, (long long)event.net, (int)event.height);
    break;
  }
  if (error) return report("event", error, client);

  spv_balance balance = {.struct_size = sizeof balance};
  if (spv_get_balance(client, "shop", &balance) == 0) printf("balance %lld\n", (long long)balance.total);
  spv_close(client);
  return 0;
}
