package org.spv;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Queue;
import java.util.function.LongFunction;

/** The events of the log above a number, in order; ends when the client is closed. */
final class EventLog implements Iterator<Spv.LoggedEvent> {
  private final LongFunction<List<Spv.LoggedEvent>> read;
  private final Queue<Spv.LoggedEvent> waiting = new ArrayDeque<>();
  private long last;

  /** `read`: what is above a number; waits, and may return none. */
  EventLog(LongFunction<List<Spv.LoggedEvent>> read, long after) {
    this.read = read;
    this.last = after;
  }

  @Override
  public boolean hasNext() {
    try {
      while (waiting.isEmpty()) waiting.addAll(read.apply(last));
      return true;
    } catch (SpvException.Closed closed) {
      return false;
    }
  }

  @Override
  public Spv.LoggedEvent next() {
    if (!hasNext()) throw new NoSuchElementException();
    Spv.LoggedEvent event = waiting.remove();
    last = event.seq();
    return event;
  }
}
