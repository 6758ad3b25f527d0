package org.spv;

import com.sun.jna.Native;
import com.sun.jna.Pointer;

/** A signer as the library calls it, on the thread that pays. */
final class SignerBridge {
  private interface Sign {
    byte[] sign(Spv.SignerKey key, byte[] digest) throws Exception;
  }

  private final Abi.spv_signer struct = new Abi.spv_signer().sized(Abi.spv_signer.class);
  private Throwable failure;

  SignerBridge(Spv.Signer signer) {
    struct.ecdsa = function(signer::ecdsa);
    struct.schnorr = function(signer::schnorr);
  }

  Abi.spv_signer struct() {
    return struct;
  }

  private Abi.spv_sign_function function(Sign sign) {
    return (context, key, digest, signature, size) -> {
      try {
        byte[] made = sign.sign(Values.signerKey(key), digest.getByteArray(0, 32));
        return give(made, signature, size);
      } catch (Throwable error) {  // none may pass through C
        failure = error;
        return 1;
      }
    };
  }

  private static int give(byte[] made, Pointer signature, Pointer size) {
    boolean wide = Native.SIZE_T_SIZE == 8;
    long room = wide ? size.getLong(0) : size.getInt(0);
    if (made.length > room) throw new IllegalArgumentException("a signature of " + made.length + " bytes");
    signature.write(0, made, 0, made.length);
    if (wide) size.setLong(0, made.length);
    if (!wide) size.setInt(0, made.length);
    return 0;
  }

  /** The error of the payment, or what the signer threw. */
  RuntimeException reason(SpvException error) {
    if (failure instanceof RuntimeException) return (RuntimeException) failure;
    if (failure instanceof Error) throw (Error) failure;
    if (failure != null) error.initCause(failure);
    return error;
  }
}
