package org.spv;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * A signer of a watch-only wallet with coins: it is asked for the right keys, and what it returns is checked.
 * usage: SignerTest DATADIR      after the scenario; its wallet is called shop
 */
public final class SignerTest {
  public static void main(String[] arguments) {
    List<List<Integer>> asked = new ArrayList<>();
    try (Client client = new Client(new Options(arguments[0], Spv.Network.REGTEST))) {
      client.openWallet("shop");
      String address = client.address("shop", false, false);
      String psbt = client.createPayment("shop", List.of(new Spv.Recipient(address, Spv.AMOUNT_ALL)),
          new PaymentOptions().feeRate(1_000)).psbt();
      Spv.Signer wrong = (key, digest) -> {
        asked.add(List.of(key.publicKey().length, key.fingerprint().length, key.path().length, digest.length));
        return HexFormat.of().parseHex("3006020101020101");  // DER, and of nobody
      };
      Spv.Signer refuses = (key, digest) -> {
        throw new IllegalStateException("no such key");
      };
      refused(() -> client.signPsbt("shop", psbt, false, wrong), SpvException.class);
      refused(() -> client.signPsbt("shop", psbt, false, refuses), IllegalStateException.class);
      refused(() -> client.signPsbt("shop", psbt, false, (key, digest) -> new byte[81]), IllegalArgumentException.class);
      if (!asked.get(0).equals(List.of(33, 4, 5, 32))) throw new AssertionError(asked);
    }
  }

  private static void refused(Runnable sign, Class<? extends Exception> kind) {
    try {
      sign.run();
    } catch (RuntimeException error) {
      if (kind.isInstance(error)) return;
      throw error;
    }
    throw new AssertionError("signed");
  }
}
