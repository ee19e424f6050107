/**
 * The rows of an execution, kept on disk in compressed blocks while somebody reads them: memory holds a few numbers for
 * each thousand events. The file has no name: it is gone when this process is.
 */
import fs from 'node:fs';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { type ProfileName } from '../../../history';
import { type Block } from './rows';

const inflated = promisify(inflateRaw);

/** A row as it is sent. */
export interface Line {
  readonly event_id: string;
  readonly event_type: string;
  /** Among the rows, from 1. */
  readonly position: number;
  /** JSON. */
  readonly row: string;
}

/** What it is known by: several rows of other profiles may tell one event. */
export function cursorAt({ event_id, position }: Line, profile: ProfileName = 'canonical'): string {
  return profile === 'canonical' ? event_id : String(position);
}

/** Of a row: the id of its event, and its position. */
type IsUnseen = (eventId: string, position?: number) => boolean;

interface Kept extends Omit<Block, 'bytes'> {
  readonly offset: number;
  readonly length: number;
  /** Rows before this block. */
  readonly first: number;
}

export class Spool {
  private readonly file: Promise<FileHandle>;
  private readonly blocks: Kept[] = [];
  private waiting: (() => void)[] = [];
  /** What ended it early. */
  failure: { readonly error: unknown } | undefined;
  private isOver = false;
  /** Bytes on disk. */
  size = 0;
  rows = 0;
  lastSeq = 0;

  constructor() {
    this.file = unnamedFile();
    this.file.catch(() => undefined);
  }

  get isComplete(): boolean {
    return this.isOver;
  }

  get hasFailed(): boolean {
    return this.failure !== undefined;
  }

  /** Of the last event. */
  get lastId(): string | undefined {
    return this.blocks.at(-1)?.lastId;
  }

  get count(): number {
    return this.blocks.length;
  }

  async put({ bytes, ...block }: Block): Promise<void> {
    const file = await this.file;
    const offset = this.size;
    await file.write(bytes, 0, bytes.length, offset);
    this.size += bytes.length;
    this.blocks.push({ ...block, offset, length: bytes.length, first: this.rows });
    this.rows += block.rows;
    this.lastSeq = block.lastSeq;
    this.wake();
  }

  /** No block follows. */
  end(failure?: { readonly error: unknown }): void {
    this.failure = failure;
    this.isOver = true;
    this.wake();
  }

  /**
   * Waits for a block. @returns undefined if there is none any more, or when the signal comes
   *
   * @throws the error that ended the reading, after the last block
   */
  async block(index: number, signal?: AbortSignal): Promise<readonly Line[] | undefined> {
    while (index >= this.blocks.length && !this.isOver && !signal?.aborted) await this.change(signal);
    if (signal?.aborted) return undefined;
    const kept = this.blocks[index];
    if (kept) return await this.read(kept);
    if (this.failure) throw this.failure.error;
    return undefined;
  }

  /** The first block with an event that was not seen. Blocks before it are not read. */
  firstUnseen(isUnseen: IsUnseen, from = 0): number {
    let index = from;
    while (index < this.blocks.length && !isUnseen(this.blocks[index]!.lastId, this.ends(index))) index++;
    return index;
  }

  /** The first block that ends no earlier than an event. */
  blockWith(seq: number): number {
    let index = 0;
    while (index < this.blocks.length && this.blocks[index]!.lastSeq < seq) index++;
    return index;
  }

  lastSeqOf(block: number): number {
    return this.blocks[block]!.lastSeq;
  }

  /** The rows from a position on, among those whose event was not seen; and how many there are of those. */
  async page(
    first: number,
    count: number,
    isUnseen: IsUnseen,
  ): Promise<{ readonly lines: readonly Line[]; readonly total: number }> {
    let index = this.firstUnseen(isUnseen);
    const start = this.blocks[index];
    if (!start) return { lines: [], total: 0 };
    const unseen = (await this.read(start)).filter(({ event_id, position }) => isUnseen(event_id, position));
    const before = start.first + start.rows - unseen.length;
    const lines: Line[] = [];
    while (index < this.blocks.length && this.ends(index) <= before + first) index++;
    for (; index < this.blocks.length && lines.length < count; index++) {
      const block = this.blocks[index]!;
      const skipped = Math.max(0, before + first - block.first);
      for (const line of (await this.read(block)).slice(skipped, skipped + count - lines.length))
        lines.push(line);
    }
    return { lines, total: this.rows - before };
  }

  async close(): Promise<void> {
    this.end(this.failure);
    await this.file.then((file) => file.close()).catch(() => undefined);
  }

  /** Whether it has so many rows of events that were not seen, or all there are. It may have some more. */
  has(count: number, isUnseen: IsUnseen): boolean {
    const start = this.blocks[this.firstUnseen(isUnseen)];
    return this.isOver || (start !== undefined && this.rows - start.first - start.rows >= count);
  }

  /** Resolves when it `has` them, or the signal comes. */
  async until(count: number, isUnseen: IsUnseen, signal?: AbortSignal): Promise<void> {
    while (!this.has(count, isUnseen) && !signal?.aborted) await this.change(signal);
  }

  /** Waits until there is more to be read, or the signal comes. */
  private change(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      this.waiting.push(wake);
      signal?.addEventListener('abort', wake, { once: true });
    });
  }

  private ends(index: number): number {
    const { first, rows } = this.blocks[index]!;
    return first + rows;
  }

  private async read({ offset, length, first }: Kept): Promise<Line[]> {
    const bytes = Buffer.allocUnsafe(length);
    await (await this.file).read(bytes, 0, length, offset);
    const lines: Line[] = [];
    for (const text of (await inflated(bytes)).toString('utf8').split('\n')) {
      const [event_id = '', event_type = '', row] = text.split('\t', 3);
      if (row !== undefined) lines.push({ event_id, event_type, row, position: first + lines.length + 1 });
    }
    return lines;
  }

  private wake(): void {
    const { waiting } = this;
    this.waiting = [];
    for (const resolve of waiting) resolve();
  }
}

async function unnamedFile(): Promise<FileHandle> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'noetl-events-'));
  const file = await open(path.join(folder, 'rows'), fs.constants.O_RDWR | fs.constants.O_CREAT, 0o600);
  await rm(folder, { recursive: true, force: true });
  return file;
}
