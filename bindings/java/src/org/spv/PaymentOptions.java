package org.spv;

/** How to pay. What is not set has its default. */
public final class PaymentOptions {
  long feeRate;
  String[] coins = {};
  String change;
  boolean subtractFee;
  boolean spendUnconfirmed;
  boolean allowHighFee;
  boolean allowLowFee;
  int psbtVersion;

  /** Satoshis per 1,000 virtual bytes; 0: by the last FEES event. */
  public PaymentOptions feeRate(long feeRate) {
    this.feeRate = feeRate;
    return this;
  }

  /** TXID:VOUT; if set, exactly these coins are spent. */
  public PaymentOptions coins(String... coins) {
    this.coins = coins;
    return this;
  }

  /** Address that takes the change; null: a new one of the wallet. */
  public PaymentOptions change(String change) {
    this.change = change;
    return this;
  }

  /** The recipients pay the fee, in equal parts. */
  public PaymentOptions subtractFee(boolean subtractFee) {
    this.subtractFee = subtractFee;
    return this;
  }

  /** Also coins of unconfirmed transactions that others made. */
  public PaymentOptions spendUnconfirmed(boolean spendUnconfirmed) {
    this.spendUnconfirmed = spendUnconfirmed;
    return this;
  }

  /** A fee above 25% of the amount. */
  public PaymentOptions allowHighFee(boolean allowHighFee) {
    this.allowHighFee = allowHighFee;
    return this;
  }

  /** A rate below what the peers relay. */
  public PaymentOptions allowLowFee(boolean allowLowFee) {
    this.allowLowFee = allowLowFee;
    return this;
  }

  /** 0 or 2. */
  public PaymentOptions psbtVersion(int psbtVersion) {
    this.psbtVersion = psbtVersion;
    return this;
  }
}
