/**
 * The engine's only randomness: sfc32, four 32-bit words kept in the state and seeded from the execution id, so that
 * `random`, `uuid()` and shuffles repeat exactly on replay.
 */
export type Seed = [number, number, number, number];

/** Spreads a string over four words (cyrb128). */
export function seedFrom(text: string): Seed {
  let h1 = 1779033703;
  let h2 = 3144134277;
  let h3 = 1013904242;
  let h4 = 2773480762;
  for (let i = 0; i < text.length; i++) {
    const k = text.charCodeAt(i);
    h1 = h2 ^ Math.imul(h1 ^ k, 597399067);
    h2 = h3 ^ Math.imul(h2 ^ k, 2869860233);
    h3 = h4 ^ Math.imul(h3 ^ k, 951274213);
    h4 = h1 ^ Math.imul(h4 ^ k, 2716044179);
  }
  return [h1 >>> 0, h2 >>> 0, h3 >>> 0, h4 >>> 0];
}

/** The next float in [0, 1); advances the seed in place. */
export function nextRandom(seed: Seed): number {
  let [a, b, c, d] = seed;
  const t = (((a + b) | 0) + d) | 0;
  d = (d + 1) | 0;
  a = b ^ (b >>> 9);
  b = (c + (c << 3)) | 0;
  c = ((c << 21) | (c >>> 11)) + t;
  seed[0] = a >>> 0;
  seed[1] = b >>> 0;
  seed[2] = c >>> 0;
  seed[3] = d >>> 0;
  return (t >>> 0) / 4294967296;
}

/** A version-4 shaped UUID from the generator. */
export function nextUuid(seed: Seed): string {
  let hex = '';
  for (let i = 0; i < 4; i++)
    hex += Math.floor(nextRandom(seed) * 4294967296)
      .toString(16)
      .padStart(8, '0');
  const variant = ((parseInt(hex[16]!, 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}
