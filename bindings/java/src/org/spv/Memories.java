package org.spv;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Native memory for one call: texts, lists and secrets. At its end, all of it is wiped and freed. */
final class Memories implements AutoCloseable {
  private final List<Memory> held = new ArrayList<>();

  /** UTF-8 with a zero at the end, and none before: it would cut the text short. Null stays null. */
  static byte[] text(String text) {
    if (text == null) return null;
    try {
      ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
      byte[] out = Arrays.copyOf(encoded.array(), encoded.limit() + 1);
      out[encoded.limit()] = 0;
      if (text.indexOf('\0') >= 0) throw new SpvException.InvalidArgument("a text contains a zero character");
      return out;
    } catch (CharacterCodingException error) {
      throw new SpvException.InvalidArgument("a text is not valid Unicode");
    }
  }

  Memory bytes(byte[] bytes) {
    Memory out = new Memory(bytes.length);
    held.add(out);
    out.write(0, bytes, 0, bytes.length);
    return out;
  }

  Pointer of(String text) {
    return text == null ? null : bytes(text(text));
  }

  Pointer of(List<String> texts) {
    Memory out = new Memory((long) Native.POINTER_SIZE * Math.max(1, texts.size()));
    held.add(out);
    for (int i = 0; i < texts.size(); ++i) out.setPointer((long) i * Native.POINTER_SIZE, of(texts.get(i)));
    return out;
  }

  /** Null and empty are none. */
  Pointer secret(byte[] secret) {
    return secret == null || secret.length == 0 ? null : bytes(secret);
  }

  static Abi.Size sizeOf(byte[] secret) {
    return new Abi.Size(secret == null ? 0 : secret.length);
  }

  void wipe() {
    held.forEach(Memory::clear);
  }

  @Override
  public void close() {
    wipe();
    held.forEach(Memory::close);
    held.clear();
  }
}
