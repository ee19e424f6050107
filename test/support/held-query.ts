/** Queries of DuckDB that certainly run, and run until they are told to end: for tests that must not depend on speed. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { until } from './until';

const HUNG_MS = 60_000;
const all: HeldQuery[] = [];

/** A query that reads a pipe to which nobody writes. Nothing but the end of its process stops it. */
export class HeldQuery {
  private readonly pipe: string;
  readonly sql: string;
  /** While it is open, nobody reads to the end. */
  private writer: number | undefined;

  /** @param folder where the pipe is made; called before the test ends: {@link letGoAll} */
  constructor(folder: string) {
    this.pipe = path.join(folder, `${process.pid}-${all.length}.csv`);
    this.sql = `select * from read_csv('${this.pipe}', columns = {'n': 'int'})`;
    execFileSync('mkfifo', [this.pipe]);
    all.push(this);
  }

  /** Waits until DuckDB reads: a pipe can be opened to write once somebody has opened it to read. */
  async isTaken(): Promise<void> {
    await until(async () => {
      this.writer = fs.openSync(this.pipe, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK);
      return true;
    }, HUNG_MS);
  }

  /** Ends the query, and those to come: DuckDB may open the file more than once. */
  letGo(): void {
    fs.rmSync(this.pipe);
    fs.writeFileSync(this.pipe, '1\n');
    if (this.writer !== undefined) fs.closeSync(this.writer);
    this.writer = undefined;
  }

  get isHeld(): boolean {
    return this.writer !== undefined;
  }
}

export function letGoAll(): void {
  for (const one of all) if (one.isHeld) one.letGo();
}
