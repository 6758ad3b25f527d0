package org.spv;

/** Settings of a new wallet. What is not set has its default. */
public final class WalletOptions {
  String script;
  int account;
  int gapLimit;
  int hasBirthday;
  long birthday;
  byte[] passphrase;
  byte[] bip39Passphrase;
  int words;

  /** pkh, sh-wpkh, wpkh, tr or all. */
  public WalletOptions script(String script) {
    this.script = script;
    return this;
  }

  /** The account's number. */
  public WalletOptions account(int account) {
    this.account = account;
    return this;
  }

  /** 0: 20. */
  public WalletOptions gapLimit(int gapLimit) {
    this.gapLimit = gapLimit;
    return this;
  }

  /** Scan from the block at this height. */
  public WalletOptions birthdayHeight(int height) {
    hasBirthday = 1;
    birthday = height;
    return this;
  }

  /** Scan from this Unix time. */
  public WalletOptions birthdayTime(long time) {
    hasBirthday = 2;
    birthday = time;
    return this;
  }

  /** Encrypts the seed on disk. UTF-8; overwrite the array after use. */
  public WalletOptions passphrase(byte[] passphrase) {
    this.passphrase = passphrase;
    return this;
  }

  /** Restore only. UTF-8; overwrite the array after use. */
  public WalletOptions bip39Passphrase(byte[] passphrase) {
    bip39Passphrase = passphrase;
    return this;
  }

  /** Create only: 12, 15, 18, 21 or 24. */
  public WalletOptions words(int words) {
    this.words = words;
    return this;
  }
}
