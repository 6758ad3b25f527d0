// A backend that follows wallets, prints the event log as JSON lines, and pays by PSBT. Store "seq" with what you do for
// an event: started again with the last one, it goes on there, and nothing is missed or told twice.
// usage: java PaymentsBackend.java DATADIR PEER AFTER    on regtest; commands: watch NAME DESCRIPTOR... |
//   pay NAME ADDRESS SATOSHIS FEE_RATE | send PSBT | balance NAME | end
import java.util.*;
import org.spv.*;
import org.spv.Spv.*;

public class PaymentsBackend {
  static synchronized void say(String format, Object... values) { System.out.println(String.format(format, values)); }
  static String json(Object value) { return value == null ? "null" : '"' + value.toString().replace("\"", "\\\"") + '"'; }
  static String name(Object state) { return json(state == null ? null : state.toString().toLowerCase(Locale.ROOT)); }

  static void run(Client client, String[] words) {
    switch (words[0]) {
      case "watch" -> { if (client.wallets().contains(words[1])) client.openWallet(words[1]); else
          client.watchWallet(words[1], Arrays.asList(words).subList(2, words.length), new WalletOptions()); }
      case "pay" -> say("{\"psbt\":%s}", json(client.createPayment(words[1], List.of(new Recipient(words[2],
          Long.parseLong(words[3]))), new PaymentOptions().feeRate(Long.parseLong(words[4]))).psbt()));
      case "send" -> say("{\"txid\":%s}", json(client.broadcast(words[1])));
      case "balance" -> say("{\"balance\":%d}", client.balance(words[1]).total());
    }
  }
  public static void main(String[] args) throws Exception {
    var options = new Options(args[0], Network.REGTEST).peers(args[1]).mempoolWaitMs(500);
    try (var client = new Client(options); var in = new Scanner(System.in)) {
      client.start();
      var printing = new Thread(() -> client.log(Long.parseLong(args[2]), null).forEach(e ->
          say("{\"seq\":%d,\"type\":%s,\"wallet\":%s,\"txid\":%s,\"net\":%d,\"state\":%s}", e.seq(), name(e.type()),
              json(e.wallet()), json(e.txid()), e.net(), name(e.txState() != null ? e.txState() : e.walletState()))));
      printing.start();  // closing the client ends it
      for (String line; in.hasNextLine() && !(line = in.nextLine()).equals("end");) {
        try { run(client, line.split(" ")); }
        catch (SpvException e) { say("{\"error\":%d,\"message\":%s}", e.code(), json(e.getMessage())); }
      }
    }
  }
}
