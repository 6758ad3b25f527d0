package org.spv;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.Flow;
import java.util.function.Supplier;

/**
 * Events for subscribers, each on a thread of its own that ends with the client. No more are read than a subscriber has
 * requested.
 */
final class EventPublisher<T> implements Flow.Publisher<T> {
  /** Waits a moment for events; may return none. */
  interface Source<T> {
    List<T> next();
  }

  private final Handle handle;
  private final Supplier<Source<T>> sources;

  /** `sources`: one for each subscriber. */
  EventPublisher(Handle handle, Supplier<Source<T>> sources) {
    this.handle = handle;
    this.sources = sources;
  }

  @Override
  public void subscribe(Flow.Subscriber<? super T> subscriber) {
    Reader reader = new Reader(Objects.requireNonNull(subscriber), sources.get());
    Thread thread = new Thread(reader, "spv-events");
    thread.setDaemon(true);
    thread.start();
  }

  private final class Reader implements Runnable, Flow.Subscription {
    private final Flow.Subscriber<? super T> subscriber;
    private final Source<T> source;
    private final Queue<T> read = new ArrayDeque<>();
    private long wanted;
    private boolean cancelled;
    private RuntimeException wrong;

    Reader(Flow.Subscriber<? super T> subscriber, Source<T> source) {
      this.subscriber = subscriber;
      this.source = source;
    }

    @Override
    public synchronized void request(long count) {
      if (count <= 0) wrong = new IllegalArgumentException("request() takes a positive number");
      wanted = wanted + count < 0 ? Long.MAX_VALUE : wanted + count;
      notifyAll();
    }

    @Override
    public synchronized void cancel() {
      cancelled = true;
      notifyAll();
    }

    private synchronized void wake() {
      notifyAll();
    }

    @Override
    public void run() {
      Runnable wake = this::wake;
      handle.onClose(wake);
      try {
        subscriber.onSubscribe(this);
        while (isWanted()) {
          if (read.isEmpty()) read.addAll(source.next());
          if (!read.isEmpty()) give(read.remove());
        }
      } catch (SpvException.Closed closed) {
        if (!isCancelled()) subscriber.onComplete();
      } catch (RuntimeException error) {
        if (!isCancelled()) subscriber.onError(error);
      } finally {
        handle.forget(wake);
      }
    }

    private void give(T event) {
      synchronized (this) {
        if (cancelled) return;
        if (wanted != Long.MAX_VALUE) --wanted;
      }
      subscriber.onNext(event);
    }

    private synchronized boolean isCancelled() {
      return cancelled;
    }

    /** Waits until one is; false at the end. */
    private synchronized boolean isWanted() {
      while (!cancelled && wanted == 0 && wrong == null) {
        if (handle.isClosing()) throw new SpvException.Closed();
        try {
          wait();
        } catch (InterruptedException error) {
          return false;
        }
      }
      if (wrong != null) throw wrong;
      return !cancelled;
    }
  }
}
