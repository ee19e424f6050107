/**
 * Names of chunks, `<milliseconds>-<writer>-<number>-<lines>`: sorted by time, and those of one writer in the order of
 * writing even if its clock steps back. How many lines there are is known without reading any.
 */
import { randomBytes } from 'node:crypto';

const TIME_DIGITS = 13;
const NUMBER_DIGITS = 6;
const CHUNK_NAME = /^\d{13}-[0-9a-f]{8}-\d{6}-\d{1,6}$/;

export function isChunkName(text: string): boolean {
  return CHUNK_NAME.test(text);
}

export function linesIn(name: string): number {
  return Number(name.slice(name.lastIndexOf('-') + 1));
}

/** Milliseconds since the epoch. */
export function timeOf(name: string): number {
  return Number(name.slice(0, TIME_DIGITS));
}

/** A text that sorts before every name of that time. @param time milliseconds since the epoch */
export function before(time: number): string {
  return String(Math.max(0, Math.floor(time))).padStart(TIME_DIGITS, '0');
}

export class ChunkNames {
  private readonly writer = randomBytes(4).toString('hex');
  private last = 0;
  private number = 0;

  /** @param now milliseconds since the epoch */
  next(now: number, lines: number): string {
    this.number = now > this.last ? 0 : this.number + 1;
    this.last = Math.max(this.last, now);
    const number = String(this.number).padStart(NUMBER_DIGITS, '0');
    return `${before(this.last)}-${this.writer}-${number}-${String(lines)}`;
  }
}
