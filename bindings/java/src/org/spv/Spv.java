package org.spv;

import java.util.List;

/** Values: what the library takes and returns. Amounts are in satoshis; what is not known or not there is null. */
public final class Spv {
  private Spv() {}

  /** The amount of a recipient that takes all that is left. */
  public static final long AMOUNT_ALL = -1;

  /** The version of the C library, such as "0.1.0". */
  public static String version() {
    return Abi.LIBRARY.spv_version();
  }

  /** A constant of spv.h. */
  interface Numbered {
    int number();
  }

  /** The constant with this number; null for one that a newer library has added. */
  static <T extends Enum<T> & Numbered> T of(Class<T> kind, int number) {
    for (T each : kind.getEnumConstants()) {
      if (each.number() == number) return each;
    }
    return null;
  }

  /** Error codes. */
  public enum ErrorCode implements Numbered {
    OK(0), INVALID_ARGUMENT(-1), NOT_FOUND(-2), EXISTS(-3), LOCKED(-4), DAMAGED(-5), STORAGE(-6),
    WRONG_NETWORK(-7), NETWORK(-8), STATE(-9), SECRET(-10), UNSUPPORTED(-11), INVALID_PROOF(-12), BUDGET(-13),
    INTERNAL(-14), TIMEOUT(-15), CLOCK(-16), REFUSED(-17), INVALID_PSBT(-18);

    private final int number;

    ErrorCode(int number) {
      this.number = number;
    }

    @Override
    public int number() {
      return number;
    }
  }

  /** The Bitcoin network. */
  public enum Network implements Numbered {
    TESTNET(1), TESTNET4(2), SIGNET(3), REGTEST(4), MAIN(5);

    private final int number;

    Network(int number) {
      this.number = number;
    }

    @Override
    public int number() {
      return number;
    }
  }

  /** Encrypted if the peer supports it, always unencrypted, or always encrypted. */
  public enum Transport implements Numbered {
    AUTO(0), V1(1), V2(2);

    private final int number;

    Transport(int number) {
      this.number = number;
    }

    @Override
    public int number() {
      return number;
    }
  }

  /** Which blocks are also requested from a second peer. */
  public enum CrossCheck implements Numbered {
    SAMPLE(0), OFF(1), FULL(2);

    private final int number;

    CrossCheck(int number) {
      this.number = number;
    }

    @Override
    public int number() {
      return number;
    }
  }

  /** What is requested from peers: filtered blocks, full blocks, whichever is faster, or compact block filters. */
  public enum Source implements Numbered {
    FILTER(0), BLOCKS(1), AUTO(2), COMPACT(3);

    private final int number;

    Source(int number) {
      this.number = number;
    }

    @Override
    public int number() {
      return number;
    }
  }

  /** State of a transaction. */
  public enum TxState implements Numbered {
    CONFIRMED(0), UNCONFIRMED(1), CONFLICTED(2);

    private final int number;

    TxState(int number) {
      this.number = number;
    }

    @Override
    public int number() {
      return number;
    }
  }

  /** Event types; spv.h says which fields each one sets. */
  public enum EventType implements Numbered {
    PROGRESS(1), TIP(2), TRANSACTION(3), REORG(4), CONFLICT(5), PEER(6), WARNING(7), SYNCED(8), STOPPED(9),
    BROADCAST(10), FEES(11), WALLET(12);

    private final int number;

    EventType(int number) {
      this.number = number;
    }

    @Override
    public int number() {
      return number;
    }
  }

  /** What became of a wallet. */
  public enum WalletEventState implements Numbered {
    ADDED(0), SYNCED(1), REMOVED(2);

    private final int number;

    WalletEventState(int number) {
      this.number = number;
    }

    @Override
    public int number() {
      return number;
    }
  }

  /** Where a transaction of a wallet stands. */
  public enum TxEventState implements Numbered {
    UNCONFIRMED(0), CONFIRMED(1), CONFLICTED(2), FORGOTTEN(3), LOCKED(4), ABANDONED(5);

    private final int number;

    TxEventState(int number) {
      this.number = number;
    }

    @Override
    public int number() {
      return number;
    }
  }

  /** What is known of a transaction that was sent; the later, the stronger the evidence. */
  public enum BroadcastState implements Numbered {
    UNCERTAIN(0), ANNOUNCED(1), FETCHED(2), ACCEPTED(3), CONFIRMED(4);

    private final int number;

    BroadcastState(int number) {
      this.number = number;
    }

    @Override
    public int number() {
      return number;
    }
  }

  /** The balance of a wallet. */
  public record Balance(long confirmed, long unconfirmed, long immature, long total) {}

  /** An unspent output. */
  public record Coin(String txid, int vout, long amount, String address, String path, Integer height, int confirmations,
      boolean spendable) {}

  /** A transaction of the wallet. */
  public record Tx(String txid, long net, Long fee, long time, Integer height, String block, int confirmations,
      TxState state, String replacedBy) {}

  /** An address of the wallet. */
  public record Address(String address, String path, long received, boolean used) {}

  /** An output that pays the wallet. */
  public record PaidOutput(String address, long amount, int vout, int chain, int index) {}

  /** An event of the log. `type` says which fields are set, as in spv.h. */
  public record LoggedEvent(long seq, long time, EventType type, String wallet, String txid, String block,
      String replacedBy, long net, Integer height, TxEventState txState, WalletEventState walletState, String other,
      List<PaidOutput> outputs) {}

  /** A live event, which is not stored. `type` says which fields are set, as in spv.h. */
  public record Event(EventType type, int code, String wallet, String txid, String hash, String other, String message,
      long net, Integer height, int scanned, int peers, long bytesIn, long bytesOut, TxEventState txState,
      BroadcastState broadcastState, boolean isFinal, long feeFloor, long feeEstimate) {}

  /** Who is paid. */
  public record Recipient(String address, long amount) {}

  /** An input of a payment. */
  public record PaymentInput(String txid, int vout, long amount) {}

  /** An output of a payment. */
  public record PaymentOutput(String address, long amount, boolean change) {}

  /** A payment: created and not signed (`psbt`), or sent. */
  public record Payment(String txid, String hex, String psbt, long fee, long vsize, List<PaymentInput> inputs,
      List<PaymentOutput> outputs) {}

  /** What a proof says. */
  public record ProofFacts(int height, int confirmations) {}

  /** The key that a signature is wanted of; fingerprint and path are null if they are not known. */
  public record SignerKey(byte[] publicKey, byte[] fingerprint, int[] path) {}

  /** Keys that are held elsewhere. Called on the thread that pays; what it throws is thrown there. */
  public interface Signer {
    /** DER with low S. */
    byte[] ecdsa(SignerKey key, byte[] digest) throws Exception;

    /** 64 bytes, by the key with the tweak of BIP341; without taproot leave it as it is. */
    default byte[] schnorr(SignerKey key, byte[] digest) throws Exception {
      throw new UnsupportedOperationException("this signer has no Schnorr signatures");
    }
  }
}
