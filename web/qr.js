// QR codes (ISO/IEC 18004): bytes in versions 1 to 40 at the error correction levels L and M, with the mask that costs
// least. encode() returns rows of booleans, or null where the text is too long; qrSvg() draws them.
import { s } from "./dom.js";

// Error correction codewords per block, and blocks, for versions 1 to 40.
const kLevels = {
  L: {
    bits: 1,
    words: [
      7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28, 28, 28, 30, 30, 26, 28, 30, 30, 30,
      30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
    ],
    blocks: [
      1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8, 8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17, 18, 19,
      19, 20, 21, 22, 24, 25,
    ],
  },
  M: {
    bits: 0,
    words: [
      10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26, 28, 28, 28, 28, 28, 28, 28,
      28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28,
    ],
    blocks: [
      1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17, 17, 18, 20, 21, 23, 25, 26, 28, 29, 31, 33,
      35, 37, 38, 40, 43, 45, 47, 49,
    ],
  },
};

const kMasks = [
  (x, y) => (x + y) % 2 === 0,
  (x, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

const sizeOf = (version) => 17 + 4 * version;

/// Centres of the alignment patterns along one side.
function alignment(version) {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const last = sizeOf(version) - 7;
  const step = version === 32 ? 26 : Math.ceil((last - 6) / (count - 1) / 2) * 2;
  const centres = [6];
  for (let at = last - (count - 2) * step; at <= last; at += step) centres.push(at);
  return centres;
}

/// Modules that hold data: all but the patterns, in bytes.
function codewords(version) {
  const size = sizeOf(version);
  const centres = alignment(version).length;
  let modules = size * size - 3 * 64 - 2 * (size - 16) - 31;
  if (version > 1) modules -= 25 * (centres * centres - 3) - 10 * (centres - 2);
  if (version >= 7) modules -= 36;
  return Math.floor(modules / 8);
}

const dataWords = (version, level) => codewords(version) - level.words[version - 1] * level.blocks[version - 1];

// The field of 256 elements over x^8 + x^4 + x^3 + x^2 + 1.
const kExp = new Uint8Array(510);
const kLog = new Uint8Array(256);
for (let i = 0, x = 1; i < 255; i += 1) {
  kExp[i] = kExp[i + 255] = x;
  kLog[x] = i;
  x = x & 128 ? (x << 1) ^ 0x11d : x << 1;
}
const multiply = (a, b) => (a && b ? kExp[kLog[a] + kLog[b]] : 0);

/// The product of (x - 2^i) for i below the degree, without its leading 1.
function generator(degree) {
  let poly = [1];
  for (let i = 0; i < degree; i += 1) {
    const next = [...poly, 0];
    for (let j = 0; j < poly.length; j += 1) next[j + 1] ^= multiply(poly[j], kExp[i]);
    poly = next;
  }
  return poly.slice(1);
}

function remainder(words, divisor) {
  const rest = new Uint8Array(divisor.length);
  for (const word of words) {
    const factor = word ^ rest[0];
    rest.copyWithin(0, 1);
    rest[rest.length - 1] = 0;
    divisor.forEach((each, i) => {
      rest[i] ^= multiply(each, factor);
    });
  }
  return rest;
}

/// Mode, length, bytes, end, padding.
function payload(bytes, version, level) {
  const bits = [];
  const put = (value, count) => {
    for (let i = count - 1; i >= 0; i -= 1) bits.push((value >> i) & 1);
  };
  put(4, 4);
  put(bytes.length, version < 10 ? 8 : 16);
  for (const byte of bytes) put(byte, 8);
  const room = dataWords(version, level) * 8;
  put(0, Math.min(4, room - bits.length));
  while (bits.length % 8) bits.push(0);
  for (let pad = 0xec; bits.length < room; pad ^= 0xec ^ 0x11) put(pad, 8);
  const words = new Uint8Array(bits.length / 8);
  bits.forEach((bit, i) => {
    words[i >> 3] |= bit << (7 - (i & 7));
  });
  return words;
}

/// Splits the data into blocks, adds error correction to each, and deals the codewords out in turn.
function interleave(words, version, level) {
  const count = level.blocks[version - 1];
  const divisor = generator(level.words[version - 1]);
  const small = Math.floor(words.length / count);
  const blocks = [];
  for (let i = 0, at = 0; i < count; i += 1) {
    const length = small + (i >= count - (words.length % count) ? 1 : 0);
    blocks.push(words.subarray(at, at + length));
    at += length;
  }
  const out = [];
  for (let i = 0; i <= small; i += 1) for (const block of blocks) if (i < block.length) out.push(block[i]);
  const checks = blocks.map((block) => remainder(block, divisor));
  for (let i = 0; i < divisor.length; i += 1) for (const check of checks) out.push(check[i]);
  return out;
}

/// `bits` with its BCH remainder behind it.
function withRemainder(bits, polynomial, degree) {
  let rest = bits << degree;
  for (let i = 31 - Math.clz32(rest); i >= degree; i = 31 - Math.clz32(rest)) rest ^= polynomial << (i - degree);
  return (bits << degree) | rest;
}

class Grid {
  constructor(version) {
    this.version = version;
    this.size = sizeOf(version);
    this.dark = Array.from({ length: this.size }, () => new Array(this.size).fill(false));
    this.fixed = Array.from({ length: this.size }, () => new Array(this.size).fill(false));
    this.drawPatterns();
  }

  set(x, y, dark) {
    if (x < 0 || y < 0 || x >= this.size || y >= this.size) return;
    this.dark[y][x] = dark;
    this.fixed[y][x] = true;
  }

  drawPatterns() {
    const end = this.size - 1;
    for (let i = 0; i < this.size; i += 1) {
      this.set(6, i, i % 2 === 0);
      this.set(i, 6, i % 2 === 0);
    }
    for (const [x, y] of [
      [3, 3],
      [end - 3, 3],
      [3, end - 3],
    ])
      this.drawFinder(x, y);
    this.drawAlignment();
    this.drawFormat(kLevels.M, 0); // reserves the place
    if (this.version >= 7) this.drawVersion();
  }

  drawFinder(cx, cy) {
    for (let dy = -4; dy <= 4; dy += 1) {
      for (let dx = -4; dx <= 4; dx += 1) {
        const ring = Math.max(Math.abs(dx), Math.abs(dy));
        this.set(cx + dx, cy + dy, ring !== 2 && ring !== 4);
      }
    }
  }

  drawAlignment() {
    const centres = alignment(this.version);
    const last = centres.length - 1;
    centres.forEach((cy, i) =>
      centres.forEach((cx, j) => {
        if ((i === 0 && j === 0) || (i === 0 && j === last) || (i === last && j === 0)) return;
        for (let dy = -2; dy <= 2; dy += 1) {
          for (let dx = -2; dx <= 2; dx += 1) this.set(cx + dx, cy + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1);
        }
      }),
    );
  }

  drawFormat(level, mask) {
    const bits = withRemainder((level.bits << 3) | mask, 0x537, 10) ^ 0x5412;
    const bit = (i) => ((bits >> i) & 1) === 1;
    const end = this.size - 1;
    for (let i = 0; i < 6; i += 1) this.set(8, i, bit(i));
    this.set(8, 7, bit(6));
    this.set(8, 8, bit(7));
    this.set(7, 8, bit(8));
    for (let i = 9; i < 15; i += 1) this.set(14 - i, 8, bit(i));
    for (let i = 0; i < 8; i += 1) this.set(end - i, 8, bit(i));
    for (let i = 8; i < 15; i += 1) this.set(8, end - 14 + i, bit(i));
    this.set(8, end - 7, true);
  }

  drawVersion() {
    const bits = withRemainder(this.version, 0x1f25, 12);
    for (let i = 0; i < 18; i += 1) {
      const a = this.size - 11 + (i % 3);
      const b = Math.floor(i / 3);
      this.set(a, b, ((bits >> i) & 1) === 1);
      this.set(b, a, ((bits >> i) & 1) === 1);
    }
  }

  /// In columns of two from the right, up and down in turn, around the patterns.
  drawData(words) {
    let at = 0;
    for (let right = this.size - 1; right >= 1; right -= 2) {
      if (right === 6) right = 5;
      const up = ((right + 1) & 2) === 0;
      for (let step = 0; step < this.size; step += 1) {
        const y = up ? this.size - 1 - step : step;
        for (const x of [right, right - 1]) {
          if (this.fixed[y][x]) continue;
          this.dark[y][x] = at < words.length * 8 && ((words[at >> 3] >> (7 - (at & 7))) & 1) === 1;
          at += 1;
        }
      }
    }
  }

  masked(level, mask) {
    this.drawFormat(level, mask);
    return this.dark.map((row, y) => row.map((dark, x) => dark !== (!this.fixed[y][x] && kMasks[mask](x, y))));
  }
}

const kFinderLike = [
  [true, false, true, true, true, false, true, false, false, false, false],
  [false, false, false, false, true, false, true, true, true, false, true],
];

function lineCost(line) {
  let cost = 0;
  for (let i = 0, run = 0; i < line.length; i += 1) {
    run = i > 0 && line[i] === line[i - 1] ? run + 1 : 1;
    if (run === 5) cost += 3;
    else if (run > 5) cost += 1;
  }
  for (let i = 0; i + 11 <= line.length; i += 1) {
    for (const pattern of kFinderLike) if (pattern.every((dark, j) => line[i + j] === dark)) cost += 40;
  }
  return cost;
}

function squaresCost(rows) {
  let cost = 0;
  for (let y = 1; y < rows.length; y += 1) {
    for (let x = 1; x < rows.length; x += 1) {
      const dark = rows[y][x];
      if (dark === rows[y - 1][x] && dark === rows[y][x - 1] && dark === rows[y - 1][x - 1]) cost += 3;
    }
  }
  return cost;
}

function penalty(rows) {
  let cost = squaresCost(rows);
  let dark = 0;
  rows.forEach((row, i) => {
    cost += lineCost(row) + lineCost(rows.map((each) => each[i]));
    dark += row.filter(Boolean).length;
  });
  const share = dark / (rows.length * rows.length);
  return cost + 10 * Math.floor(Math.abs(share - 0.5) * 20);
}

function smallestVersion(length, level) {
  for (let version = 1; version <= 40; version += 1) {
    // 4 bits of mode and 8 or 16 of length.
    if (length * 8 + 4 + (version < 10 ? 8 : 16) <= dataWords(version, level) * 8) return version;
  }
  return null;
}

/// `level`: "L" or "M". `version`: at least this one.
export function encode(text, { level: name = "M", version: least = 1 } = {}) {
  const level = kLevels[name];
  const bytes = new TextEncoder().encode(text);
  const fits = smallestVersion(bytes.length, level);
  if (fits === null) return null;
  const version = Math.max(fits, least);
  const grid = new Grid(version);
  grid.drawData(interleave(payload(bytes, version, level), version, level));
  let best = null;
  for (let mask = 0; mask < 8; mask += 1) {
    const rows = grid.masked(level, mask);
    const cost = penalty(rows);
    if (best === null || cost < best.cost) best = { rows, cost };
  }
  return best.rows;
}

/// Black on white in both themes: many readers cannot read the inverse.
export function qrSvg(rows, label) {
  const border = 4;
  const size = rows.length + 2 * border;
  let path = "";
  rows.forEach((row, y) => {
    for (let x = 0; x < row.length; x += 1) {
      if (!row[x]) continue;
      const from = x;
      while (x + 1 < row.length && row[x + 1]) x += 1;
      path += `M${from + border} ${y + border}h${x - from + 1}v1h-${x - from + 1}z`;
    }
  });
  return s(
    "svg",
    { class: "qr", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": label, "shape-rendering": "crispEdges" },
    s("rect", { width: size, height: size, fill: "#fff" }),
    s("path", { d: path, fill: "#000" }),
  );
}
