package org.spv;

import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.IntFunction;

/** C structs as values. */
final class Values {
  private Values() {}

  private static void check(int code) {
    if (code != 0) throw SpvException.of(code, Abi.LIBRARY.spv_error_name(code));
  }

  private static String text(Pointer text) {
    return text == null ? "" : text.getString(0, "UTF-8");
  }

  private static String optional(Pointer text) {
    String out = text(text);
    return out.isEmpty() ? null : out;
  }

  private static Integer height(int height) {
    return height < 0 ? null : height;
  }

  /** A text of the library's, which is wiped and freed. */
  static byte[] takeSecret(PointerByReference out) {
    Pointer text = out.getValue();
    try {
      return text.getByteArray(0, (int) text.indexOf(0, (byte) 0));
    } finally {
      Abi.LIBRARY.spv_free(text);
    }
  }

  static String take(PointerByReference out) {
    return new String(takeSecret(out), StandardCharsets.UTF_8);
  }

  /** All items of a list, which is freed. */
  static <T> List<T> list(PointerByReference out, BiFunction<Pointer, Abi.Size, T> item) {
    Pointer list = out.getValue();
    try {
      return repeat(Abi.LIBRARY.spv_list_size(list).longValue(), i -> item.apply(list, new Abi.Size(i)));
    } finally {
      Abi.LIBRARY.spv_list_free(list);
    }
  }

  private static <T> List<T> repeat(long count, IntFunction<T> item) {
    List<T> out = new ArrayList<>();
    for (int i = 0; i < count; ++i) out.add(item.apply(i));
    return List.copyOf(out);
  }

  static String name(Pointer list, Abi.Size i) {
    PointerByReference out = new PointerByReference();
    check(Abi.LIBRARY.spv_name_at(list, i, out));
    return text(out.getValue());
  }

  static Spv.Coin coin(Pointer list, Abi.Size i) {
    Abi.spv_coin at = new Abi.spv_coin().sized(Abi.spv_coin.class);
    check(Abi.LIBRARY.spv_coin_at(list, i, at));
    return new Spv.Coin(text(at.txid), at.vout, at.amount, optional(at.address), text(at.path), height(at.height),
        at.confirmations, at.spendable != 0);
  }

  static Spv.Tx tx(Pointer list, Abi.Size i) {
    Abi.spv_tx at = new Abi.spv_tx().sized(Abi.spv_tx.class);
    check(Abi.LIBRARY.spv_tx_at(list, i, at));
    return new Spv.Tx(text(at.txid), at.net, at.fee < 0 ? null : (Long) at.fee, at.time, height(at.height),
        optional(at.block), at.confirmations, Spv.of(Spv.TxState.class, at.state), optional(at.replaced_by));
  }

  static Spv.Address address(Pointer list, Abi.Size i) {
    Abi.spv_address at = new Abi.spv_address().sized(Abi.spv_address.class);
    check(Abi.LIBRARY.spv_address_at(list, i, at));
    return new Spv.Address(text(at.address), text(at.path), at.received, at.used != 0);
  }

  static Spv.LoggedEvent loggedEvent(Pointer list, Abi.Size i) {
    Abi.spv_logged_event at = new Abi.spv_logged_event().sized(Abi.spv_logged_event.class);
    check(Abi.LIBRARY.spv_logged_event_at(list, i, at));
    Spv.EventType type = Spv.of(Spv.EventType.class, at.type);
    return new Spv.LoggedEvent(at.seq, at.time, type, optional(at.wallet), optional(at.txid), optional(at.block),
        optional(at.replaced_by), at.net, height(at.height),
        type == Spv.EventType.TRANSACTION ? Spv.of(Spv.TxEventState.class, at.state) : null,
        type == Spv.EventType.WALLET ? Spv.of(Spv.WalletEventState.class, at.state) : null, optional(at.other),
        repeat(at.output_count.longValue(), output -> paidOutput(list, i, output)));
  }

  private static Spv.PaidOutput paidOutput(Pointer list, Abi.Size i, int output) {
    Abi.spv_paid_output at = new Abi.spv_paid_output().sized(Abi.spv_paid_output.class);
    check(Abi.LIBRARY.spv_logged_output_at(list, i, new Abi.Size(output), at));
    return new Spv.PaidOutput(optional(at.address), at.amount, at.vout, at.chain, at.index);
  }

  static Spv.Event event(Abi.spv_event at) {
    Spv.EventType type = Spv.of(Spv.EventType.class, at.type);
    boolean tx = type == Spv.EventType.TRANSACTION || type == Spv.EventType.CONFLICT;
    return new Spv.Event(type, at.code, optional(at.wallet), optional(at.txid), optional(at.hash), optional(at.other),
        optional(at.message), at.net, height(at.height), at.scanned, at.peers, at.bytes_in, at.bytes_out,
        tx ? Spv.of(Spv.TxEventState.class, at.state) : null,
        type == Spv.EventType.BROADCAST ? Spv.of(Spv.BroadcastState.class, at.state) : null, at.is_final != 0,
        at.fee_floor, at.fee_estimate);
  }

  /** A payment, which is freed; what it pays stays. */
  static Spv.Payment payment(PointerByReference out) {
    Pointer payment = out.getValue();
    try {
      Abi.spv_payment_info info = new Abi.spv_payment_info().sized(Abi.spv_payment_info.class);
      check(Abi.LIBRARY.spv_payment_get(payment, info));
      return new Spv.Payment(text(info.txid), text(info.hex), optional(info.psbt), info.fee, info.vsize,
          repeat(info.input_count.longValue(), i -> input(payment, i)),
          repeat(info.output_count.longValue(), i -> output(payment, i)));
    } finally {
      Abi.LIBRARY.spv_payment_free(payment);
    }
  }

  private static Spv.PaymentInput input(Pointer payment, int i) {
    Abi.spv_payment_input at = new Abi.spv_payment_input().sized(Abi.spv_payment_input.class);
    check(Abi.LIBRARY.spv_payment_input_at(payment, new Abi.Size(i), at));
    return new Spv.PaymentInput(text(at.txid), at.vout, at.amount);
  }

  private static Spv.PaymentOutput output(Pointer payment, int i) {
    Abi.spv_payment_output at = new Abi.spv_payment_output().sized(Abi.spv_payment_output.class);
    check(Abi.LIBRARY.spv_payment_output_at(payment, new Abi.Size(i), at));
    return new Spv.PaymentOutput(optional(at.address), at.amount, at.change != 0);
  }

  static Spv.SignerKey signerKey(Pointer key) {
    Abi.spv_signer_key at = new Abi.spv_signer_key(key);
    at.read();
    byte[] bytes = at.public_key.getByteArray(0, at.public_key_size.intValue());
    boolean known = at.has_origin != 0;
    int steps = at.path_size.intValue();
    return new Spv.SignerKey(bytes, known ? at.fingerprint : null,
        known ? (steps == 0 ? new int[0] : at.path.getIntArray(0, steps)) : null);
  }
}
