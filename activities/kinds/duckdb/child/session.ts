/** One task's connection within DuckDB's process, and what the worker may ask of it. */
import {
  type DuckDBConnection,
  type DuckDBExtractedStatements,
  type DuckDBPreparedStatement,
  type DuckDBResult,
  type DuckDBValue,
} from '@duckdb/node-api';
import { type Json, type JsonObject } from '../../../../src/plan';
import { bindParameters, bindRow } from './bind';
import { Refused } from './refused';
import { toJson } from './values';

export interface Answer {
  readonly meta?: object;
  readonly text?: string;
}

type Request = Readonly<Record<string, unknown>>;

/** Characters of JSON sent at once. */
const PORTION = 256 * 1024;

export class Session {
  private statements: DuckDBExtractedStatements | undefined;
  private prepared: DuckDBPreparedStatement | undefined;
  private rows: Portions | undefined;
  private isInterrupted = false;

  constructor(private readonly connection: DuckDBConnection) {}

  interrupt(): void {
    this.isInterrupted = true;
    this.connection.interrupt();
  }

  close(): void {
    this.prepared?.destroySync();
    this.connection.closeSync();
  }

  /** @param text a value to bind, or rows as JSON */
  answer(request: Request, text: string): Promise<Answer> {
    const sql = request['sql'] as string;
    switch (request['op']) {
      case 'run':
        return this.run(sql, text);
      case 'query':
        return this.query(sql);
      case 'extract':
        return this.extract(sql);
      case 'start':
        return this.start(request['index'] as number, request['params'] as Json[] | JsonObject | undefined);
      case 'stream':
        return this.stream(() => this.connection.stream(sql));
      case 'fetch':
        return this.rows!.next();
      case 'prepare':
        return this.prepare(sql);
      case 'execute':
        return this.execute(JSON.parse(text) as Json[][]);
      default:
        return Promise.reject(new Error(`no such request: ${String(request['op'])}`));
    }
  }

  private async run(sql: string, text: string): Promise<Answer> {
    const { rowsChanged } = await this.connection.run(sql, text === '' ? undefined : [text]);
    return { meta: { changed: rowsChanged } };
  }

  private async query(sql: string): Promise<Answer> {
    const reader = await this.connection.runAndReadAll(sql);
    return { text: JSON.stringify(reader.getRowObjectsJson()) };
  }

  private async extract(sql: string): Promise<Answer> {
    this.statements = await this.connection.extractStatements(sql);
    return { meta: { count: this.statements.count } };
  }

  private async start(index: number, params: Json[] | JsonObject | undefined): Promise<Answer> {
    await this.prepareBy(() => this.statements!.prepare(index));
    bindParameters(this.prepared!, params);
    return this.stream(() => this.prepared!.stream());
  }

  private async prepareBy(work: () => Promise<DuckDBPreparedStatement>): Promise<void> {
    this.prepared?.destroySync();
    this.prepared = undefined;
    this.prepared = await work();
  }

  private async stream(work: () => Promise<DuckDBResult>): Promise<Answer> {
    this.rows = new Portions(await work());
    return { meta: { columns: this.rows.columns } };
  }

  private async prepare(sql: string): Promise<Answer> {
    await this.prepareBy(() => this.connection.prepare(sql));
    return {};
  }

  /** Runs the prepared statement for each list of values. */
  private async execute(lists: Json[][]): Promise<Answer> {
    let changed = 0;
    for (const values of lists) {
      if (this.isInterrupted) throw new Error('INTERRUPT Error: Interrupted!');
      bindRow(this.prepared!, values);
      changed += (await this.prepared!.run()).rowsChanged;
    }
    return { meta: { changed } };
  }
}

/** The rows of a result as JSON, read on demand in DuckDB's own chunks. */
class Portions {
  readonly columns: string[];
  private readonly types: ReturnType<DuckDBResult['columnTypes']>;
  private chunk: readonly (readonly DuckDBValue[])[] = [];
  /** In the chunk. */
  private at = 0;
  private isAtEnd = false;

  constructor(private readonly result: DuckDBResult) {
    this.columns = result.deduplicatedColumnNames();
    this.types = result.columnTypes();
  }

  /** A list of rows as text; `end` with the last one, and then how many rows the statement changed. */
  async next(): Promise<Answer> {
    const rows: string[] = [];
    for (let size = 0; size < PORTION;) {
      if (this.at === this.chunk.length) await this.read();
      if (this.isAtEnd) break;
      const row = this.textOf(this.chunk[this.at++]!);
      rows.push(row);
      size += row.length;
    }
    const end = this.isAtEnd;
    const meta = { end, rows: rows.length, ...(end && { changed: this.result.rowsChanged }) };
    return { meta, text: `[${rows.join(',')}]` };
  }

  private async read(): Promise<void> {
    const chunk = await this.result.fetchChunk();
    this.chunk = chunk?.getRows() ?? [];
    this.at = 0;
    this.isAtEnd = this.chunk.length === 0;
  }

  private textOf(values: readonly DuckDBValue[]): string {
    const row = Object.fromEntries(
      values.map((value, at) => [this.columns[at]!, toJson(value, this.types[at])]),
    );
    try {
      return JSON.stringify(row);
    } catch {
      // V8's limit for a text.
      throw new Refused('RESULT_TOO_LARGE', 'duckdb: a row takes more than 512 MiB; select fewer columns');
    }
  }
}
