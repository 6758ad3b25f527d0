package org.spv;

/** An error of the library: its message says what is wrong and what to do. There is a class for each code. */
public class SpvException extends RuntimeException {
  private static final long serialVersionUID = 1;
  private final int code;

  SpvException(int code, String message) {
    super(message);
    this.code = code;
  }

  /** The number of the error; {@link Spv.ErrorCode} names it. */
  public int code() {
    return code;
  }

  /** An argument is invalid. */
  public static final class InvalidArgument extends SpvException {
    private static final long serialVersionUID = 1;

    InvalidArgument(String message) {
      super(-1, message);
    }
  }

  /** No such wallet, transaction or address. */
  public static final class NotFound extends SpvException {
    private static final long serialVersionUID = 1;

    NotFound(String message) {
      super(-2, message);
    }
  }

  /** A wallet with that name exists. */
  public static final class Exists extends SpvException {
    private static final long serialVersionUID = 1;

    Exists(String message) {
      super(-3, message);
    }
  }

  /** Another process is writing to this wallet. */
  public static final class Locked extends SpvException {
    private static final long serialVersionUID = 1;

    Locked(String message) {
      super(-4, message);
    }
  }

  /** A file is damaged, or was written by a newer version. */
  public static final class Damaged extends SpvException {
    private static final long serialVersionUID = 1;

    Damaged(String message) {
      super(-5, message);
    }
  }

  /** The disk is full, read-only, or failed. */
  public static final class Storage extends SpvException {
    private static final long serialVersionUID = 1;

    Storage(String message) {
      super(-6, message);
    }
  }

  /** For another network. */
  public static final class WrongNetwork extends SpvException {
    private static final long serialVersionUID = 1;

    WrongNetwork(String message) {
      super(-7, message);
    }
  }

  /** No usable peer. */
  public static final class Network extends SpvException {
    private static final long serialVersionUID = 1;

    Network(String message) {
      super(-8, message);
    }
  }

  /** Already started, not started, or not allowed now. */
  public static class State extends SpvException {
    private static final long serialVersionUID = 1;

    State(String message) {
      super(-9, message);
    }
  }

  /** Wrong passphrase or invalid mnemonic. */
  public static final class Secret extends SpvException {
    private static final long serialVersionUID = 1;

    Secret(String message) {
      super(-10, message);
    }
  }

  /** Not part of this build. */
  public static final class Unsupported extends SpvException {
    private static final long serialVersionUID = 1;

    Unsupported(String message) {
      super(-11, message);
    }
  }

  /** Invalid proof. */
  public static final class InvalidProof extends SpvException {
    private static final long serialVersionUID = 1;

    InvalidProof(String message) {
      super(-12, message);
    }
  }

  /** The byte budget is used up. */
  public static final class Budget extends SpvException {
    private static final long serialVersionUID = 1;

    Budget(String message) {
      super(-13, message);
    }
  }

  /** A bug in the library. */
  public static final class Internal extends SpvException {
    private static final long serialVersionUID = 1;

    Internal(String message) {
      super(-14, message);
    }
  }

  /** No event arrived in time, or the sync timed out. */
  public static final class Timeout extends SpvException {
    private static final long serialVersionUID = 1;

    Timeout(String message) {
      super(-15, message);
    }
  }

  /** This machine's clock is behind the chain. */
  public static final class Clock extends SpvException {
    private static final long serialVersionUID = 1;

    Clock(String message) {
      super(-16, message);
    }
  }

  /** The payment is not made: funds, fee, dust, a coin that is not free. */
  public static final class Refused extends SpvException {
    private static final long serialVersionUID = 1;

    Refused(String message) {
      super(-17, message);
    }
  }

  /** Invalid PSBT or transaction, or signatures are missing. */
  public static final class InvalidPsbt extends SpvException {
    private static final long serialVersionUID = 1;

    InvalidPsbt(String message) {
      super(-18, message);
    }
  }

  /** The client is closed, or being closed. */
  public static final class Closed extends State {
    private static final long serialVersionUID = 1;

    Closed() {
      super("the client is closed");
    }
  }

  /** The exception for a code; a code of a newer library is an SpvException. */
  static SpvException of(int code, String message) {
    switch (code) {
      case -1: return new InvalidArgument(message);
      case -2: return new NotFound(message);
      case -3: return new Exists(message);
      case -4: return new Locked(message);
      case -5: return new Damaged(message);
      case -6: return new Storage(message);
      case -7: return new WrongNetwork(message);
      case -8: return new Network(message);
      case -9: return new State(message);
      case -10: return new Secret(message);
      case -11: return new Unsupported(message);
      case -12: return new InvalidProof(message);
      case -13: return new Budget(message);
      case -14: return new Internal(message);
      case -15: return new Timeout(message);
      case -16: return new Clock(message);
      case -17: return new Refused(message);
      case -18: return new InvalidPsbt(message);
      default: return new SpvException(code, message);
    }
  }
}
