package org.spv;

import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

/** The client of the C library, and who is inside it: it is closed when nobody is. */
final class Handle {
  private static final Set<Handle> OPEN = Collections.synchronizedSet(new HashSet<>());

  static {
    // The library's thread must not run on while the process is taken down.
    Runtime.getRuntime().addShutdownHook(new Thread(Handle::closeAll, "spv-close"));
  }

  /** Does not wait long for a call that is not over: its thread may be the one that ends the process. */
  private static void closeAll() {
    for (Handle each : OPEN.toArray(new Handle[0])) {
      Thread closer = new Thread(each::close, "spv-close");
      closer.setDaemon(true);
      closer.start();
      try {
        closer.join(10_000);
      } catch (InterruptedException error) {
        return;
      }
    }
  }

  private final ThreadLocal<Integer> depth = ThreadLocal.withInitial(() -> 0);
  private final Pointer client;
  private final Set<Runnable> wakes = new HashSet<>();
  private int calls;
  private boolean closing;
  private boolean closed;

  Handle(Abi.spv_options options) {
    PointerByReference out = new PointerByReference();
    int code = Abi.LIBRARY.spv_open(options, out);
    client = out.getValue();
    if (code != 0) {
      SpvException error = error(code);
      Abi.LIBRARY.spv_close(client);
      throw error;
    }
    OPEN.add(this);
  }

  private SpvException error(int code) {
    Pointer said = Abi.LIBRARY.spv_last_error(client);
    String message = said == null ? "" : said.getString(0, "UTF-8");
    return SpvException.of(code, message.isEmpty() ? Abi.LIBRARY.spv_error_name(code) : message);
  }

  private synchronized void enter() {
    if (closing) throw new SpvException.Closed();
    ++calls;
    depth.set(depth.get() + 1);
  }

  private synchronized void leave() {
    depth.set(depth.get() - 1);
    --calls;
    notifyAll();
  }

  /** Calls a function, and then this while the client cannot be closed. */
  <T> T call(ToIntFunction<Pointer> function, Supplier<T> then) {
    enter();
    try {
      int code = function.applyAsInt(client);
      if (code != 0) throw error(code);
      return then.get();
    } finally {
      leave();
    }
  }

  void call(ToIntFunction<Pointer> function) {
    call(function, () -> null);
  }

  synchronized boolean isClosing() {
    return closing;
  }

  /** Called once by close(), on its thread. Does nothing if the client is closed already. */
  synchronized void onClose(Runnable wake) {
    if (!closing) wakes.add(wake);
  }

  synchronized void forget(Runnable wake) {
    wakes.remove(wake);
  }

  void close() {
    if (depth.get() > 0) throw new SpvException.State("a client cannot be closed from its own signer");
    Set<Runnable> waiting;
    synchronized (this) {
      if (closing) {
        await(() -> closed);
        return;
      }
      closing = true;
      Abi.LIBRARY.spv_interrupt(client);  // wakes those who wait in the library
      waiting = Set.copyOf(wakes);
    }
    waiting.forEach(Runnable::run);
    synchronized (this) {
      await(() -> calls == 0);
    }
    Abi.LIBRARY.spv_close(client);
    OPEN.remove(this);
    synchronized (this) {
      closed = true;
      notifyAll();
    }
  }

  /** Holds the lock. An interrupt is kept for the caller. */
  private void await(BooleanSupplier condition) {
    boolean interrupted = false;
    while (!condition.getAsBoolean()) {
      try {
        wait();
      } catch (InterruptedException error) {
        interrupted = true;
      }
    }
    if (interrupted) Thread.currentThread().interrupt();
  }
}
