package org.spv;

import com.sun.jna.Callback;
import com.sun.jna.IntegerType;
import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import com.sun.jna.Structure;
import com.sun.jna.Structure.FieldOrder;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;

/** The C ABI of libspv as spv.h declares it. A test compares it with spv.h. Texts are UTF-8 with a zero at their end. */
interface Abi extends Library {
  /** $SPV_LIBRARY, else the library in the jar (or in an app's jniLibs), else the system's. */
  Abi LIBRARY = Native.load(System.getenv("SPV_LIBRARY") != null ? System.getenv("SPV_LIBRARY") : "spv", Abi.class);

  /** size_t */
  final class Size extends IntegerType {
    private static final long serialVersionUID = 1;

    public Size() {
      this(0);
    }

    public Size(long value) {
      super(Native.SIZE_T_SIZE, value, true);
    }
  }

  /** Starts with its own size, by which the library knows which fields the caller has. */
  abstract class Sized extends Structure {
    public Size struct_size = new Size();

    Sized() {}

    Sized(Pointer at) {
      super(at);
    }

    /** To be called before it is passed. */
    <T extends Sized> T sized(Class<T> kind) {
      struct_size = new Size(size());
      return kind.cast(this);
    }
  }

  @FieldOrder({"struct_size", "data_dir", "network", "peers", "peer_count", "proxy", "fp_rate", "mempool_wait_ms", "once",
    "whole_blocks", "byte_budget", "transport", "cross_check", "source", "plain_on_loopback", "max_download", "timeout_ms",
    "skip_clock_check", "reserved", "database", "follow_all", "only_bloom_filters"})
  class spv_options extends Sized {
    public Pointer data_dir;
    public int network;
    public Pointer peers;
    public Size peer_count = new Size();
    public Pointer proxy;
    public double fp_rate;
    public int mempool_wait_ms;
    public int once;
    public int whole_blocks;
    public long byte_budget;
    public int transport;
    public int cross_check;
    public int source;
    public int plain_on_loopback;
    public long max_download;
    public long timeout_ms;
    public int skip_clock_check;
    public int reserved;
    public Pointer database;
    public int follow_all;
    public int only_bloom_filters;
  }

  @FieldOrder({"struct_size", "script", "account", "gap_limit", "has_birthday", "birthday", "passphrase", "passphrase_size",
    "bip39_passphrase", "bip39_passphrase_size", "words", "reserved"})
  class spv_wallet_options extends Sized {
    public Pointer script;
    public int account;
    public int gap_limit;
    public int has_birthday;
    public long birthday;
    public Pointer passphrase;
    public Size passphrase_size = new Size();
    public Pointer bip39_passphrase;
    public Size bip39_passphrase_size = new Size();
    public int words;
    public int reserved;
  }

  @FieldOrder({"struct_size", "confirmed", "unconfirmed", "immature", "total"})
  class spv_balance extends Sized {
    public long confirmed;
    public long unconfirmed;
    public long immature;
    public long total;
  }

  @FieldOrder({"struct_size", "txid", "address", "path", "amount", "height", "vout", "confirmations", "spendable"})
  class spv_coin extends Sized {
    public Pointer txid;
    public Pointer address;
    public Pointer path;
    public long amount;
    public int height;
    public int vout;
    public int confirmations;
    public int spendable;
  }

  @FieldOrder({"struct_size", "txid", "block", "time", "net", "fee", "height", "confirmations", "state", "reserved",
    "replaced_by"})
  class spv_tx extends Sized {
    public Pointer txid;
    public Pointer block;
    public long time;
    public long net;
    public long fee;
    public int height;
    public int confirmations;
    public int state;
    public int reserved;
    public Pointer replaced_by;
  }

  @FieldOrder({"struct_size", "address", "path", "received", "used", "reserved"})
  class spv_address extends Sized {
    public Pointer address;
    public Pointer path;
    public long received;
    public int used;
    public int reserved;
  }

  @FieldOrder({"struct_size", "seq", "time", "wallet", "txid", "block", "replaced_by", "net", "height", "state",
    "output_count", "type", "reserved", "other"})
  class spv_logged_event extends Sized {
    public long seq;
    public long time;
    public Pointer wallet;
    public Pointer txid;
    public Pointer block;
    public Pointer replaced_by;
    public long net;
    public int height;
    public int state;
    public Size output_count = new Size();
    public int type;
    public int reserved;
    public Pointer other;
  }

  @FieldOrder({"struct_size", "address", "amount", "vout", "chain", "index", "reserved"})
  class spv_paid_output extends Sized {
    public Pointer address;
    public long amount;
    public int vout;
    public int chain;
    public int index;
    public int reserved;
  }

  @FieldOrder({"struct_size", "type", "code", "wallet", "txid", "hash", "other", "message", "net", "height", "scanned",
    "peers", "bytes_in", "bytes_out", "state", "is_final", "fee_floor", "fee_estimate"})
  class spv_event extends Sized {
    public int type;
    public int code;
    public Pointer wallet;
    public Pointer txid;
    public Pointer hash;
    public Pointer other;
    public Pointer message;
    public long net;
    public int height;
    public int scanned;
    public int peers;
    public long bytes_in;
    public long bytes_out;
    public int state;
    public int is_final;
    public long fee_floor;
    public long fee_estimate;
  }

  @FieldOrder({"address", "amount"})
  class spv_recipient extends Structure {
    public Pointer address;
    public long amount;
  }

  @FieldOrder({"struct_size", "recipients", "recipient_count", "fee_rate", "coins", "coin_count", "change", "subtract_fee",
    "spend_unconfirmed", "allow_high_fee", "allow_low_fee", "psbt_version", "reserved"})
  class spv_payment_options extends Sized {
    public Pointer recipients;
    public Size recipient_count = new Size();
    public long fee_rate;
    public Pointer coins;
    public Size coin_count = new Size();
    public Pointer change;
    public int subtract_fee;
    public int spend_unconfirmed;
    public int allow_high_fee;
    public int allow_low_fee;
    public int psbt_version;
    public int reserved;
  }

  @FieldOrder({"struct_size", "txid", "hex", "psbt", "fee", "vsize", "input_count", "output_count"})
  class spv_payment_info extends Sized {
    public Pointer txid;
    public Pointer hex;
    public Pointer psbt;
    public long fee;
    public long vsize;
    public Size input_count = new Size();
    public Size output_count = new Size();
  }

  @FieldOrder({"struct_size", "address", "amount", "change", "reserved"})
  class spv_payment_output extends Sized {
    public Pointer address;
    public long amount;
    public int change;
    public int reserved;
  }

  @FieldOrder({"struct_size", "txid", "amount", "vout", "reserved"})
  class spv_payment_input extends Sized {
    public Pointer txid;
    public long amount;
    public int vout;
    public int reserved;
  }

  @FieldOrder({"struct_size", "public_key", "public_key_size", "path", "path_size", "fingerprint", "has_origin"})
  class spv_signer_key extends Sized {
    public Pointer public_key;
    public Size public_key_size = new Size();
    public Pointer path;
    public Size path_size = new Size();
    public byte[] fingerprint = new byte[4];
    public int has_origin;

    public spv_signer_key() {}

    spv_signer_key(Pointer at) {
      super(at);
    }
  }

  /** Called on the thread that pays. */
  interface spv_sign_function extends Callback {
    int call(Pointer context, Pointer key, Pointer digest, Pointer signature, Pointer size);
  }

  @FieldOrder({"struct_size", "context", "ecdsa", "schnorr"})
  class spv_signer extends Sized {
    public Pointer context;
    public spv_sign_function ecdsa;
    public spv_sign_function schnorr;
  }

  String spv_version();

  String spv_error_name(int error);

  Pointer spv_last_error(Pointer client);

  void spv_free(Pointer text);

  int spv_open(spv_options options, PointerByReference out);

  void spv_close(Pointer client);

  int spv_wallet_create(Pointer client, byte[] name, spv_wallet_options options, PointerByReference mnemonic);

  int spv_wallet_restore(Pointer client, byte[] name, Pointer mnemonic, Size mnemonic_size, spv_wallet_options options);

  int spv_wallet_watch(Pointer client, byte[] name, Pointer descriptors, Size count, spv_wallet_options options);

  int spv_wallet_open(Pointer client, byte[] name);

  int spv_wallets_open(Pointer client, Pointer names, Size count);

  int spv_wallet_close(Pointer client, byte[] name);

  int spv_start(Pointer client);

  int spv_stop(Pointer client);

  int spv_pause(Pointer client);

  int spv_resume(Pointer client);

  int spv_network_changed(Pointer client);

  int spv_set_byte_budget(Pointer client, long bytes);

  int spv_next_event(Pointer client, int timeout_ms, spv_event event);

  int spv_interrupt(Pointer client);

  int spv_event_fd(Pointer client);

  /** Not used: it would call on a thread of the library. */
  int spv_set_wake(Pointer client, Pointer wake, Pointer context);

  int spv_get_wallets(Pointer client, PointerByReference list);

  int spv_get_balance(Pointer client, byte[] wallet, spv_balance balance);

  int spv_get_address(Pointer client, byte[] wallet, int next, int change, PointerByReference address);

  int spv_get_scanned(Pointer client, byte[] wallet, IntByReference height);

  int spv_get_coins(Pointer client, byte[] wallet, PointerByReference list);

  int spv_get_history(Pointer client, byte[] wallet, PointerByReference list);

  int spv_get_transaction(Pointer client, byte[] wallet, byte[] txid, PointerByReference list);

  int spv_get_addresses(Pointer client, byte[] wallet, PointerByReference list);

  int spv_get_proof(Pointer client, byte[] wallet, byte[] txid, PointerByReference proof);

  int spv_verify_proof(Pointer client, byte[] proof, Size size, IntByReference height, IntByReference confirmations);

  Size spv_list_size(Pointer list);

  int spv_coin_at(Pointer list, Size index, spv_coin coin);

  int spv_tx_at(Pointer list, Size index, spv_tx tx);

  int spv_address_at(Pointer list, Size index, spv_address address);

  int spv_name_at(Pointer list, Size index, PointerByReference name);

  void spv_list_free(Pointer list);

  int spv_get_events(Pointer client, long after, Size limit, int timeout_ms, byte[] wallet, PointerByReference list);

  int spv_get_all_events(Pointer client, long after, Size limit, int timeout_ms, byte[] wallet, PointerByReference list);

  int spv_logged_event_at(Pointer list, Size index, spv_logged_event event);

  int spv_logged_output_at(Pointer list, Size index, Size output, spv_paid_output paid);

  int spv_consumer_position(Pointer client, byte[] consumer, LongByReference seq);

  int spv_consumer_acknowledge(Pointer client, byte[] consumer, long seq);

  int spv_payment_create(Pointer client, byte[] wallet, spv_payment_options options, PointerByReference payment);

  int spv_payment_create_bump(Pointer client, byte[] wallet, byte[] txid, long fee_rate, int psbt_version,
      PointerByReference payment);

  int spv_payment_send(Pointer client, byte[] wallet, spv_payment_options options, Pointer passphrase, Size size,
      PointerByReference payment);

  int spv_payment_send_with(Pointer client, byte[] wallet, spv_payment_options options, spv_signer signer,
      PointerByReference payment);

  int spv_payment_bump(Pointer client, byte[] wallet, byte[] txid, long fee_rate, Pointer passphrase, Size size,
      PointerByReference payment);

  int spv_payment_bump_with(Pointer client, byte[] wallet, byte[] txid, long fee_rate, spv_signer signer,
      PointerByReference payment);

  int spv_payment_cancel(Pointer client, byte[] wallet, byte[] txid, long fee_rate, Pointer passphrase, Size size,
      PointerByReference payment);

  int spv_payment_abandon(Pointer client, byte[] wallet, byte[] txid);

  int spv_payment_get(Pointer payment, spv_payment_info info);

  int spv_payment_input_at(Pointer payment, Size index, spv_payment_input input);

  int spv_payment_output_at(Pointer payment, Size index, spv_payment_output output);

  void spv_payment_free(Pointer payment);

  int spv_psbt_sign(Pointer client, byte[] wallet, byte[] psbt, int allow_high_fee, Pointer passphrase, Size size,
      PointerByReference out);

  int spv_psbt_sign_with(Pointer client, byte[] wallet, byte[] psbt, int allow_high_fee, spv_signer signer,
      PointerByReference out);

  int spv_psbt_combine(Pointer client, Pointer psbts, Size count, PointerByReference out);

  int spv_psbt_finalize(Pointer client, byte[] psbt, PointerByReference out);

  int spv_psbt_extract(Pointer client, byte[] psbt, PointerByReference hex);

  int spv_broadcast(Pointer client, byte[] transaction, PointerByReference txid);

  int spv_request_fees(Pointer client);
}
