package org.spv;

import com.sun.jna.Callback;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import com.sun.jna.Structure;
import com.sun.jna.ptr.ByReference;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Tests of the jar that need no node. usage: LibspvTest HEADER_LINES */
public final class LibspvTest {
  private static final String ADDRESS = "addr(bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk)";
  private static final byte[] MNEMONIC = ("abandon ".repeat(11) + "about").getBytes(StandardCharsets.US_ASCII);
  private static List<String[]> header;

  private interface Body {
    void run(Client client) throws Exception;
  }

  private static void check(boolean fact, Object said) {
    if (!fact) throw new AssertionError(String.valueOf(said));
  }

  private static void equal(Object wanted, Object found) {
    check(wanted.equals(found), "wanted " + wanted + ", found " + found);
  }

  private static SpvException fails(Class<? extends SpvException> kind, Runnable body) {
    try {
      body.run();
    } catch (SpvException error) {
      check(error.getClass() == kind, error);
      return error;
    }
    throw new AssertionError("no " + kind.getSimpleName());
  }

  private static Path folder() throws IOException {
    return Files.createTempDirectory("spv-java-");
  }

  // Nobody listens on port 1: a sync runs and finds no peer.
  private static Options options(Path folder) {
    return new Options(folder.toString(), Spv.Network.REGTEST).peers("127.0.0.1:1");
  }

  private static void with(Body body) throws Exception {
    try (Client client = new Client(options(folder()))) {
      body.run(client);
    }
  }

  // --- the header ---

  private static Stream<String[]> lines(String kind) {
    return header.stream().filter(line -> line[0].equals(kind));
  }

  private static void enumsAreThoseOfTheHeader() throws Exception {
    Map<String, String> names = Map.of("spv_error", "ErrorCode", "spv_network", "Network", "spv_transport", "Transport",
        "spv_cross_check", "CrossCheck", "spv_source", "Source", "spv_tx_state", "TxState", "spv_event_type", "EventType",
        "spv_wallet_event_state", "WalletEventState", "spv_tx_event_state", "TxEventState", "spv_broadcast_state",
        "BroadcastState");
    Map<String, Map<String, Integer>> theirs = new TreeMap<>();
    lines("enum").forEach(line -> theirs.computeIfAbsent(line[1], key -> new TreeMap<>())
        .put(line[2], Integer.parseInt(line[3])));
    equal(new TreeSet<>(names.keySet()), new TreeSet<>(theirs.keySet()));
    for (Map.Entry<String, Map<String, Integer>> each : theirs.entrySet()) {
      Map<String, Integer> ours = new TreeMap<>();
      String prefix = each.getKey().equals("spv_error") ? "SPV_ERR_" : each.getKey().equals("spv_event_type") ? "SPV_EVENT_"
          : each.getKey().replace("_state", "").toUpperCase() + "_";
      for (Object constant : Class.forName("org.spv.Spv$" + names.get(each.getKey())).getEnumConstants()) {
        String name = ((Enum<?>) constant).name();
        ours.put(name.equals("OK") ? "SPV_OK" : prefix + name, ((Spv.Numbered) constant).number());
      }
      equal(each.getValue(), ours);
    }
    for (int code : theirs.get("spv_error").values()) {
      SpvException error = SpvException.of(code, "");
      check(code == 0 || error.getClass() != SpvException.class, code);
      equal(code, error.code());
    }
  }

  private static Class<?> typeOf(String c) {
    if (c.contains("*") && !c.equals("const char*")) return Pointer.class;
    return switch (c) {
      case "const char*" -> Pointer.class;
      case "size_t" -> Abi.Size.class;
      case "double" -> double.class;
      case "int", "int32_t", "uint32_t" -> int.class;
      case "int64_t", "uint64_t" -> long.class;
      case "uint8_t[4]" -> byte[].class;
      case "spv_sign_function" -> Abi.spv_sign_function.class;
      case "void" -> void.class;
      default -> Pointer.class;
    };
  }

  private static void structsAreThoseOfTheHeader() throws Exception {
    Map<String, List<String[]>> theirs = lines("field").collect(Collectors.groupingBy(line -> line[1]));
    Set<String> ours = Arrays.stream(Abi.class.getDeclaredClasses()).filter(Structure.class::isAssignableFrom)
        .map(Class::getSimpleName).filter(name -> name.startsWith("spv_")).collect(Collectors.toSet());
    equal(theirs.keySet(), ours);
    for (String name : ours) {
      Class<?> struct = Class.forName("org.spv.Abi$" + name);
      List<String> order = List.of(struct.getAnnotation(Structure.FieldOrder.class).value());
      equal(theirs.get(name).stream().map(line -> line[2]).toList(), order);
      for (String[] line : theirs.get(name)) {
        Field field = struct.getField(line[2]);
        check(field.getType() == typeOf(line[3]), name + "." + line[2] + " is " + field.getType());
      }
    }
  }

  private static void functionsAreThoseOfTheHeader() {
    Map<String, Method> ours = Arrays.stream(Abi.class.getDeclaredMethods())
        .collect(Collectors.toMap(Method::getName, method -> method));
    equal(lines("function").map(line -> line[1]).collect(Collectors.toSet()), ours.keySet());
    lines("function").forEach(line -> {
      Method method = ours.get(line[1]);
      equal(line.length - 3, method.getParameterCount());
      for (int i = 3; i < line.length; ++i) {
        Class<?> type = method.getParameterTypes()[i - 3];
        boolean pointer = line[i].contains("*") || line[i].equals("function");
        boolean ok = pointer ? Pointer.class.isAssignableFrom(type) || ByReference.class.isAssignableFrom(type)
            || Structure.class.isAssignableFrom(type) || type == byte[].class : type == typeOf(line[i]);
        check(ok, line[1] + ": " + line[i] + " is " + type);
      }
      Class<?> result = method.getReturnType();
      check(result == String.class || result == typeOf(line[2]), line[1] + " returns " + result);
    });
  }

  private static void allOfItIsUsed(String source) {
    lines("function").map(line -> line[1]).filter(name -> !name.equals("spv_set_wake") && !name.equals("spv_event_fd"))
        .forEach(name -> check(source.matches("(?s).*(SPV\\.|SPV::|LIBRARY\\.)" + name + "\\b.*"), name));
    Set<String> known = Arrays.stream(Options.class.getDeclaredFields()).map(Field::getName).collect(Collectors.toSet());
    lines("field").filter(line -> line[1].equals("spv_options") && !line[2].matches("struct_size|reserved"))
        .map(line -> Stream.of(line[2].split("_")).map(word -> word.substring(0, 1).toUpperCase() + word.substring(1))
            .collect(Collectors.joining()))
        .forEach(name -> check(known.contains(name.substring(0, 1).toLowerCase() + name.substring(1)), name));
  }

  // --- calls ---

  private static void errorsAreTypedAndSayWhatToDo(Client client) {
    SpvException error = fails(SpvException.NotFound.class, () -> client.balance("nobody"));
    check(error.code() == -2 && error.getMessage().contains("nobody"), error);
    fails(SpvException.InvalidArgument.class, () -> client.watchWallet("../x", List.of(ADDRESS), new WalletOptions()));
    client.watchWallet("shop", List.of(ADDRESS), new WalletOptions());
    fails(SpvException.Exists.class, () -> client.watchWallet("shop", List.of(ADDRESS), new WalletOptions()));
    fails(SpvException.InvalidProof.class, () -> client.verifyProof("nonsense"));
    fails(SpvException.InvalidPsbt.class, () -> client.finalizePsbt("nonsense"));
    fails(SpvException.InvalidArgument.class, () -> new Client(new Options("/nowhere", null)).close());
    fails(SpvException.InvalidArgument.class, () -> client.getEvents(0, -1, null));
  }

  private static void textsAreUtf8AndWhole(Client client) {
    String name = "K\u00e4se \u20bf";
    check(fails(SpvException.InvalidArgument.class, () -> client.openWallet(name)).getMessage().contains(name), name);
    for (String hostile : List.of("shop\0", "\ud800")) {
      fails(SpvException.InvalidArgument.class, () -> client.openWallet(hostile));
    }
  }

  private static void aWalletWithKeys(Client client) {
    byte[] mnemonic = client.createWallet("new", new WalletOptions().words(24).passphrase("correct horse".getBytes()));
    equal(24, new String(mnemonic, StandardCharsets.US_ASCII).split(" ").length);
    client.restoreWallet("old", MNEMONIC, new WalletOptions().birthdayHeight(0));
    String address = client.address("old", false, false);
    equal("bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk", address);
    equal(List.of("new", "old"), client.wallets());
    equal(0L, client.balance("old").total());
    check(client.addresses("old").get(0).path().contains("84"), client.addresses("old").get(0));
    equal(List.of(), client.coins("old"));
    equal(List.of(), client.history("old"));
    fails(SpvException.Refused.class, () -> client.createPayment("old", List.of(new Spv.Recipient(address, 10_000)),
        new PaymentOptions().feeRate(1_000)));
  }

  private static void secretsOfOursAreWiped() {
    try (Memories memory = new Memories()) {
      Pointer secret = memory.secret("geheim".getBytes());
      equal("geheim", new String(secret.getByteArray(0, 6)));
      memory.wipe();
      check(Arrays.equals(new byte[6], secret.getByteArray(0, 6)), "the secret is still there");
      check(memory.secret(new byte[0]) == null && memory.secret(null) == null, "an empty secret is none");
    }
  }

  private static void theLog(Client client) {
    client.watchWallet("shop", List.of(ADDRESS), new WalletOptions());
    List<Spv.LoggedEvent> found = client.getEvents(0, 100, null);
    equal(1, found.size());
    equal(Spv.WalletEventState.ADDED, found.get(0).walletState());
    equal("shop", found.get(0).wallet());
    equal(List.of(), client.getTransactionEvents(0, 100, "shop"));
    client.acknowledge("billing", found.get(0).seq());
    equal(found.get(0).seq(), client.consumerPosition("billing"));
  }

  // --- closing ---

  private static final class Subscriber<T> implements Flow.Subscriber<T> {
    final ConcurrentLinkedQueue<T> seen = new ConcurrentLinkedQueue<>();
    final CountDownLatch subscribed = new CountDownLatch(1);
    final CountDownLatch first = new CountDownLatch(1);
    final CountDownLatch ended = new CountDownLatch(1);
    volatile Flow.Subscription subscription;
    volatile Throwable error;

    @Override
    public void onSubscribe(Flow.Subscription given) {
      subscription = given;
      subscribed.countDown();
    }

    @Override
    public void onNext(T event) {
      seen.add(event);
      first.countDown();
    }

    @Override
    public void onError(Throwable given) {
      error = given;
      ended.countDown();
    }

    @Override
    public void onComplete() {
      ended.countDown();
    }
  }

  private static void await(CountDownLatch latch) throws InterruptedException {
    check(latch.await(30, TimeUnit.SECONDS), "not in time");
  }

  private static void closingWakesWhoeverWaits(Client client) throws Exception {
    Subscriber<Spv.LoggedEvent> log = new Subscriber<>();
    Subscriber<Spv.LoggedEvent> idle = new Subscriber<>();
    Subscriber<Spv.Event> live = new Subscriber<>();
    client.events(0, null).subscribe(log);
    client.events(0, null).subscribe(idle);
    client.liveEvents().subscribe(live);
    await(log.subscribed);
    await(live.subscribed);
    await(idle.subscribed);
    log.subscription.request(1);
    live.subscription.request(Long.MAX_VALUE);
    client.watchWallet("shop", List.of(ADDRESS), new WalletOptions());
    client.watchWallet("second", List.of(ADDRESS), new WalletOptions());
    await(log.first);
    client.start();
    await(live.first);
    List<Spv.LoggedEvent> looped = Collections.synchronizedList(new ArrayList<>());
    Thread loop = new Thread(() -> client.log(0, "second").forEach(looped::add));
    loop.start();
    // In the library, which would keep it there for days.
    while (looped.isEmpty() || Arrays.stream(loop.getStackTrace()).noneMatch(StackTraceElement::isNativeMethod)) {
      Thread.onSpinWait();
    }
    Thread[] closers = {new Thread(client::close), new Thread(client::close)};
    for (Thread each : closers) each.start();
    for (Thread each : closers) each.join(30_000);
    loop.join(30_000);
    check(!loop.isAlive() && client.isClosed(), "still there");
    for (Subscriber<?> each : List.of(log, idle, live)) {
      await(each.ended);
      check(each.error == null, each.error);
    }
    equal(1, log.seen.size());  // as many as were requested
    equal(0, idle.seen.size());
    client.close();
    fails(SpvException.Closed.class, client::wallets);
  }

  private static void aSubscriberMayCancelOrAskForNonsense(Client client) throws Exception {
    Subscriber<Spv.LoggedEvent> wrong = new Subscriber<>();
    client.events(0, null).subscribe(wrong);
    await(wrong.subscribed);
    wrong.subscription.request(0);
    await(wrong.ended);
    check(wrong.error instanceof IllegalArgumentException, wrong.error);
    Subscriber<Spv.LoggedEvent> left = new Subscriber<>();
    client.events(0, null).subscribe(left);
    await(left.subscribed);
    left.subscription.cancel();
    left.subscription.request(5);
    check(client.nextEvent(Duration.ofMillis(10)) == null, "an event of nothing");
    Thread.currentThread().interrupt();
    try {
      client.nextEvent(null);
      throw new AssertionError("not interrupted");
    } catch (InterruptedException expected) {
      check(left.seen.isEmpty(), left.seen);
    }
  }

  private static long rss() throws IOException {
    return Long.parseLong(Files.readString(Path.of("/proc/self/statm")).split(" ")[1]) * 4;
  }

  private static void aThousandClients() throws Exception {
    Path folder = folder();
    try (Client client = new Client(options(folder))) {
      client.watchWallet("shop", List.of(ADDRESS), new WalletOptions());
    }
    long before = 0;
    for (int cycle = 0; cycle < 1_000; ++cycle) {
      if (cycle == 400) before = settled();
      try (Client client = new Client(options(folder))) {
        client.openWallet("shop");
        equal(1, client.getEvents(0, 1, null).size());
      }
    }
    long grown = settled() - before;
    System.out.println("1,000 clients: " + grown + " KiB more after the last 600");
    check(grown < 12_288, grown + " KiB more");
  }

  private static long settled() throws Exception {
    System.gc();  // what JNA frees with its objects
    Thread.sleep(50);
    return rss();
  }

  public static void main(String[] arguments) throws Exception {
    header = Files.readAllLines(Path.of(arguments[0])).stream().map(line -> line.split("\t")).toList();
    StringBuilder source = new StringBuilder();
    try (Stream<Path> files = Files.list(Path.of(arguments[1]))) {
      for (Path each : files.toList()) source.append(Files.readString(each));
    }
    enumsAreThoseOfTheHeader();
    structsAreThoseOfTheHeader();
    functionsAreThoseOfTheHeader();
    allOfItIsUsed(source.toString());
    secretsOfOursAreWiped();
    for (Body each : List.<Body>of(LibspvTest::errorsAreTypedAndSayWhatToDo, LibspvTest::textsAreUtf8AndWhole,
        LibspvTest::aWalletWithKeys, LibspvTest::theLog, LibspvTest::closingWakesWhoeverWaits,
        LibspvTest::aSubscriberMayCancelOrAskForNonsense)) {
      with(each);
    }
    aThousandClients();
    System.out.println("Java ok");
  }
}
