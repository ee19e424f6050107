/** One task's connection within DuckDB's process, and what the worker may ask of it. */
import {
  type DuckDBConnection,
  type DuckDBExtractedStatements,
  type DuckDBPreparedStatement,
  type DuckDBResult,
  type DuckDBValue,
} from '@duckdb/node-api';
import { type Json, type JsonObject } from '../../../../src/language/plan';
import { bindParameters, bindRow } from './bind';
import { Refused } from './refused';
import { takeRounded, duckdbToJson } from './values';

export interface SessionAnswer {
  readonly meta?: object;
  readonly text?: string;
}

type Request = Readonly<Record<string, unknown>>;

/** Characters of JSON sent at once. */
const PORTION = 256 * 1024;
/** Rows that are written at once. */
const ROWS_AT_ONCE = 64;
/** A frame and V8's texts hold more, but no result does. */
const LONGEST_ROW = 256 * 1024 * 1024;
const TOO_LONG = 'duckdb: a row takes more than 256 MiB; select fewer columns, or copy it to a file';

export class DuckdbSession {
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
  answer(request: Request, text: string): Promise<SessionAnswer> {
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

  private async run(sql: string, text: string): Promise<SessionAnswer> {
    const { rowsChanged } = await this.connection.run(sql, text === '' ? undefined : [text]);
    return { meta: { changed: rowsChanged } };
  }

  private async query(sql: string): Promise<SessionAnswer> {
    const reader = await this.connection.runAndReadAll(sql);
    return { text: JSON.stringify(reader.getRowObjectsJson()) };
  }

  private async extract(sql: string): Promise<SessionAnswer> {
    this.statements = await this.connection.extractStatements(sql);
    return { meta: { count: this.statements.count } };
  }

  private async start(index: number, params: Json[] | JsonObject | undefined): Promise<SessionAnswer> {
    await this.prepareBy(() => this.statements!.prepare(index));
    bindParameters(this.prepared!, params);
    return this.stream(() => this.prepared!.stream());
  }

  private async prepareBy(work: () => Promise<DuckDBPreparedStatement>): Promise<void> {
    this.prepared?.destroySync();
    this.prepared = undefined;
    this.prepared = await work();
  }

  private async stream(work: () => Promise<DuckDBResult>): Promise<SessionAnswer> {
    this.rows = new Portions(await work());
    const { meta, text = '' } = await this.rows.next();
    return { meta: { ...meta, columns: this.rows.columns }, text };
  }

  private async prepare(sql: string): Promise<SessionAnswer> {
    await this.prepareBy(() => this.connection.prepare(sql));
    return {};
  }

  /** Runs the prepared statement for each list of values. */
  private async execute(lists: Json[][]): Promise<SessionAnswer> {
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
  private readonly names: readonly string[];
  private readonly types: ReturnType<DuckDBResult['columnTypes']>;
  /** Of a chunk, by column. */
  private chunk: readonly (readonly DuckDBValue[])[] = [];
  private length = 0;
  /** In the chunk. */
  private at = 0;
  private isAtEnd = false;

  constructor(private readonly result: DuckDBResult) {
    this.columns = result.deduplicatedColumnNames();
    this.names = this.columns.map((name, at) => `${at === 0 ? '{' : ','}${JSON.stringify(name)}:`);
    this.types = result.columnTypes();
  }

  /** A list of rows as text; `end` with the last one, and then how many rows the statement changed. */
  async next(): Promise<SessionAnswer> {
    const rows: string[] = [];
    let rounded: string | undefined;
    for (let size = 0; size < PORTION;) {
      if (this.at === this.length) await this.read();
      if (this.isAtEnd) break;
      const texts = this.texts();
      rounded ??= takeRounded();
      for (const row of texts) {
        if (row.length > LONGEST_ROW) throw new Refused('RESULT_TOO_LARGE', TOO_LONG);
        rows.push(row);
        size += row.length;
      }
    }
    const end = this.isAtEnd;
    const meta = {
      end,
      rows: rows.length,
      ...(rounded !== undefined && { rounded }),
      ...(end && { changed: this.result.rowsChanged }),
    };
    return { meta, text: `[${rows.join(',')}]` };
  }

  private async read(): Promise<void> {
    const chunk = await this.result.fetchChunk();
    this.chunk = chunk?.getColumns() ?? [];
    this.length = chunk?.rowCount ?? 0;
    this.at = 0;
    this.isAtEnd = this.length === 0;
  }

  /**
   * The next rows as `JSON.stringify` writes them: names are written once for all rows. By column, which takes two
   * thirds of the time; few at once, since a row may be long.
   */
  private texts(): string[] {
    const rows = new Array<string>(Math.min(ROWS_AT_ONCE, this.length - this.at)).fill('');
    for (const [column, values] of this.chunk.entries()) {
      const [name, type] = [this.names[column]!, this.types[column]];
      for (let row = 0; row < rows.length; row++) {
        const value = duckdbToJson(values[this.at + row]!, type);
        rows[row] += name + (typeof value === 'number' ? String(value) : JSON.stringify(value));
      }
    }
    this.at += rows.length;
    return rows.map((row) => `${row || '{'}}`);
  }
}
