package org.spv;

/** Settings of a client, with the names of spv_options in spv.h. What is not set has its default. */
public final class Options {
  final String dataDir;
  final Spv.Network network;
  String[] peers = {};
  long peerCount;
  String proxy;
  double fpRate;
  int mempoolWaitMs;
  boolean once;
  boolean wholeBlocks;
  long byteBudget;
  Spv.Transport transport = Spv.Transport.AUTO;
  Spv.CrossCheck crossCheck = Spv.CrossCheck.SAMPLE;
  Spv.Source source = Spv.Source.FILTER;
  int plainOnLoopback;
  long maxDownload;
  long timeoutMs;
  boolean skipClockCheck;
  String database;
  boolean followAll;
  boolean onlyBloomFilters;

  /** The data directory is created with mode 0700 if it does not exist. */
  public Options(String dataDir, Spv.Network network) {
    this.dataDir = dataDir;
    this.network = network;
  }

  /** HOST, HOST:PORT or [IPV6]:PORT; if set, no others are used. */
  public Options peers(String... peers) {
    this.peers = peers;
    return this;
  }

  /** Number of connections, if no peers are set; 0: eight. */
  public Options peerCount(long peerCount) {
    this.peerCount = peerCount;
    return this;
  }

  /** HOST[:PORT] of a SOCKS5 proxy. */
  public Options proxy(String proxy) {
    this.proxy = proxy;
    return this;
  }

  /** False positive rate of the filter. */
  public Options fpRate(double fpRate) {
    this.fpRate = fpRate;
    return this;
  }

  /** 0: ten seconds; negative: do not request unconfirmed transactions. */
  public Options mempoolWaitMs(int mempoolWaitMs) {
    this.mempoolWaitMs = mempoolWaitMs;
    return this;
  }

  /** End when all wallets are scanned instead of following the tip. */
  public Options once(boolean once) {
    this.once = once;
    return this;
  }

  /** Same as Source.BLOCKS, for your own node. */
  public Options wholeBlocks(boolean wholeBlocks) {
    this.wholeBlocks = wholeBlocks;
    return this;
  }

  /** End the sync after this many bytes, sent and received. */
  public Options byteBudget(long byteBudget) {
    this.byteBudget = byteBudget;
    return this;
  }

  /** Transport protocol. */
  public Options transport(Spv.Transport transport) {
    this.transport = transport;
    return this;
  }

  /** Which blocks are also requested from a second peer. */
  public Options crossCheck(Spv.CrossCheck crossCheck) {
    this.crossCheck = crossCheck;
    return this;
  }

  /** What is requested from peers. */
  public Options source(Spv.Source source) {
    this.source = source;
    return this;
  }

  /** Use v1 for a node on this machine: 1 always, -1 never, 0 if full blocks may be used. */
  public Options plainOnLoopback(int plainOnLoopback) {
    this.plainOnLoopback = plainOnLoopback;
    return this;
  }

  /** Bytes of full blocks that Source.AUTO may download from outside the local network. */
  public Options maxDownload(long maxDownload) {
    this.maxDownload = maxDownload;
    return this;
  }

  /** End the sync this long after its start. */
  public Options timeoutMs(long timeoutMs) {
    this.timeoutMs = timeoutMs;
    return this;
  }

  /** Start even if the clock is hours behind a known block. */
  public Options skipClockCheck(boolean skipClockCheck) {
    this.skipClockCheck = skipClockCheck;
    return this;
  }

  /** postgresql://USER@HOST/NAME: wallets and events are in this database. */
  public Options database(String database) {
    this.database = database;
    return this;
  }

  /** Open wallets by itself. */
  public Options followAll(boolean followAll) {
    this.followAll = followAll;
    return this;
  }

  /** With Source.FILTER: use compact block filters neither with a local node nor where no peer offers bloom filters. */
  public Options onlyBloomFilters(boolean onlyBloomFilters) {
    this.onlyBloomFilters = onlyBloomFilters;
    return this;
  }
}
