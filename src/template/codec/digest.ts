/**
 * Message digests in plain TypeScript: the workflow sandbox has no `node:crypto`. They name things; nothing secret
 * is protected with them.
 */
type Digest = (bytes: readonly number[]) => string;

const rotate = (x: number, n: number): number => (x << n) | (x >>> (32 - n));

/** The message with its padding and length, as 32-bit words. */
function words(bytes: readonly number[], littleEndian: boolean, block = 64, lengthBytes = 8): number[] {
  const total = Math.ceil((bytes.length + 1 + lengthBytes) / block) * block;
  const padded = new Uint8Array(total);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  const bits = bytes.length * 8;
  view.setUint32(littleEndian ? total - 8 : total - 4, bits >>> 0, littleEndian);
  view.setUint32(littleEndian ? total - 4 : total - 8, Math.floor(bits / 2 ** 32), littleEndian);
  return Array.from({ length: total / 4 }, (_, i) => view.getUint32(i * 4, littleEndian));
}

function hex(state: readonly number[], littleEndian: boolean): string {
  return state
    .map((word) => {
      const value = littleEndian
        ? ((word & 255) << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24)
        : word;
      return (value >>> 0).toString(16).padStart(8, '0');
    })
    .join('');
}

const md5Shifts = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21];
const md5Constants = Array.from({ length: 64 }, (_, i) => Math.floor(Math.abs(Math.sin(i + 1)) * 2 ** 32));

const md5: Digest = (bytes) => {
  const message = words(bytes, true);
  const state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];
  for (let at = 0; at < message.length; at += 16) {
    let [a, b, c, d] = state as [number, number, number, number];
    for (let i = 0; i < 64; i++) {
      const round = i >> 4;
      const f = [(b & c) | (~b & d), (d & b) | (~d & c), b ^ c ^ d, c ^ (b | ~d)][round]!;
      const g = [i, 5 * i + 1, 3 * i + 5, 7 * i][round]! % 16;
      const sum = (a + f + md5Constants[i]! + message[at + g]!) | 0;
      [a, b, c, d] = [d, (b + rotate(sum, md5Shifts[round * 4 + (i % 4)]!)) | 0, b, c];
    }
    [a, b, c, d].forEach((word, i) => (state[i] = (state[i]! + word) | 0));
  }
  return hex(state, true);
};

const sha1: Digest = (bytes) => {
  const message = words(bytes, false);
  const state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
  for (let at = 0; at < message.length; at += 16) {
    const w = message.slice(at, at + 16);
    for (let i = 16; i < 80; i++) w.push(rotate(w[i - 3]! ^ w[i - 8]! ^ w[i - 14]! ^ w[i - 16]!, 1));
    let [a, b, c, d, e] = state as [number, number, number, number, number];
    for (let i = 0; i < 80; i++) {
      const round = Math.floor(i / 20);
      const f = [(b & c) | (~b & d), b ^ c ^ d, (b & c) | (b & d) | (c & d), b ^ c ^ d][round]!;
      const k = [0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6][round]!;
      [a, b, c, d, e] = [(rotate(a, 5) + f + e + k + w[i]!) | 0, a, rotate(b, 30), c, d];
    }
    [a, b, c, d, e].forEach((word, i) => (state[i] = (state[i]! + word) | 0));
  }
  return hex(state, false);
};

function firstPrimes(count: number): number[] {
  const found: number[] = [];
  for (let n = 2; found.length < count; n++) if (found.every((p) => n % p !== 0)) found.push(n);
  return found;
}

interface Constants {
  readonly roots2: readonly bigint[];
  readonly roots3: readonly bigint[];
}
let memo: Constants | undefined;

/** Computed on first use: every workflow execution loads this module, few need a digest. */
function constants(): Constants {
  if (memo) return memo;
  const primes = firstPrimes(80);
  memo = {
    roots2: primes.slice(0, 8).map((prime) => fraction(prime, 2n)),
    roots3: primes.map((prime) => fraction(prime, 3n)),
  };
  return memo;
}

/** The first 64 bits of the fractional part of a root of a prime: where SHA-2 takes its constants from. */
function fraction(prime: number, degree: bigint): bigint {
  const scaled = BigInt(prime) << (64n * degree);
  let low = 0n;
  let high = 1n << 70n;
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (middle ** degree <= scaled) low = middle;
    else high = middle;
  }
  return low & 0xffffffffffffffffn;
}

/** The upper 32 bits. */
const upper = (root: bigint): number => Number(root >> 32n) | 0;

const sha256: Digest = (bytes) => {
  const message = words(bytes, false);
  const { roots2, roots3 } = constants();
  const k = roots3.map(upper);
  const state = roots2.map(upper);
  for (let at = 0; at < message.length; at += 16) {
    const w = message.slice(at, at + 16);
    for (let i = 16; i < 64; i++) {
      const [x, y] = [w[i - 15]!, w[i - 2]!];
      const s0 = rotate(x, 25) ^ rotate(x, 14) ^ (x >>> 3);
      const s1 = rotate(y, 15) ^ rotate(y, 13) ^ (y >>> 10);
      w.push((w[i - 16]! + s0 + w[i - 7]! + s1) | 0);
    }
    let [a, b, c, d, e, f, g, h] = state as [number, number, number, number, number, number, number, number];
    for (let i = 0; i < 64; i++) {
      const s1 = rotate(e, 26) ^ rotate(e, 21) ^ rotate(e, 7);
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + k[i]! + w[i]!) | 0;
      const s0 = rotate(a, 30) ^ rotate(a, 19) ^ rotate(a, 10);
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [a, b, c, d, e, f, g, h] = [(t1 + t2) | 0, a, b, c, (d + t1) | 0, e, f, g];
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => (state[i] = (state[i]! + word) | 0));
  }
  return hex(state, false);
};

const mask = 0xffffffffffffffffn;
const rotate64 = (x: bigint, n: bigint): bigint => ((x >> n) | (x << (64n - n))) & mask;

const sha512: Digest = (bytes) => {
  const halves = words(bytes, false, 128, 16);
  const message = Array.from(
    { length: halves.length / 2 },
    (_, i) => (BigInt(halves[2 * i]!) << 32n) | BigInt(halves[2 * i + 1]!),
  );
  const { roots2, roots3 } = constants();
  const state = [...roots2];
  for (let at = 0; at < message.length; at += 16) {
    const w = message.slice(at, at + 16);
    for (let i = 16; i < 80; i++) {
      const [x, y] = [w[i - 15]!, w[i - 2]!];
      const s0 = rotate64(x, 1n) ^ rotate64(x, 8n) ^ (x >> 7n);
      const s1 = rotate64(y, 19n) ^ rotate64(y, 61n) ^ (y >> 6n);
      w.push((w[i - 16]! + s0 + w[i - 7]! + s1) & mask);
    }
    let [a, b, c, d, e, f, g, h] = state as [bigint, bigint, bigint, bigint, bigint, bigint, bigint, bigint];
    for (let i = 0; i < 80; i++) {
      const s1 = rotate64(e, 14n) ^ rotate64(e, 18n) ^ rotate64(e, 41n);
      const t1 = h + s1 + ((e & f) ^ (~e & mask & g)) + roots3[i]! + w[i]!;
      const s0 = rotate64(a, 28n) ^ rotate64(a, 34n) ^ rotate64(a, 39n);
      const t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
      [a, b, c, d, e, f, g, h] = [(t1 + t2) & mask, a, b, c, (d + t1) & mask, e, f, g];
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => (state[i] = (state[i]! + word) & mask));
  }
  return state.map((word) => word.toString(16).padStart(16, '0')).join('');
};

/** Hexadecimal digests by algorithm. */
export const digests: Readonly<Record<string, Digest>> = { md5, sha1, sha256, sha512 };
