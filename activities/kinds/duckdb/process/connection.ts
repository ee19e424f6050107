/** A connection to a database that another process has open: what tools do with it. */
import { type DigitsLost } from '../../../../src/language/plan/json-text';
import { type Json, type JsonObject } from '../../../../src/language/plan';
import { type DuckdbProcess, type DuckdbReply, type DuckdbRequest } from './process';

/** The rows of a result, portion by portion: the next one is on its way while one is looked at. */
export interface DuckdbResult {
  readonly columns: string[];
  /** Can be read once. */
  portions(): AsyncGenerator<Portion>;
  /** How many rows the statement changed; known after the last portion. */
  readonly changed: number;
}

export interface Portion {
  readonly rows: JsonObject[];
  /** Characters of the rows as JSON. */
  readonly size: number;
}

/** @param config of the database @throws ToolError `DUCKDB_CRASHED`, `DUCKDB_LOST`; StatementError as DuckDB words it */
export async function openDuckdb(
  child: DuckdbProcess,
  database: string,
  config: Readonly<Record<string, string>>,
): Promise<void> {
  // Persistent secrets would be stored in files, unencrypted: this is deliberately not a valid folder.
  await child.ask({ op: 'open', database, config: { secret_directory: '/dev/null/none', ...config } });
}

/** @throws ToolError `DUCKDB_CRASHED`, `DUCKDB_LOST`, `INVALID_INPUT`; StatementError as DuckDB words it */
export class Connection {
  /** Told of decimals in JSON of which a double does not keep all digits. */
  digitsLost: DigitsLost | undefined;

  private constructor(
    private readonly child: DuckdbProcess,
    private readonly session: number,
  ) {}

  static async open(child: DuckdbProcess): Promise<Connection> {
    const connection = new Connection(child, child.newSession());
    await connection.ask({ op: 'connect' });
    return connection;
  }

  /** @param value bound to `$1` @returns the number of rows changed */
  async run(sql: string, value?: string): Promise<number> {
    return numberOf(await this.ask({ op: 'run', sql }, value), 'changed');
  }

  /** All rows, as DuckDB itself writes them in JSON. */
  async query(sql: string): Promise<JsonObject[]> {
    return JSON.parse((await this.ask({ op: 'query', sql })).text) as JsonObject[];
  }

  /** Takes a text apart; `start` runs its statements. @returns how many there are */
  async extract(sql: string): Promise<number> {
    return numberOf(await this.ask({ op: 'extract', sql }), 'count');
  }

  /** @param params a list for `?` and `$1`, a mapping for `$name` */
  async start(index: number, params: Json[] | JsonObject | undefined): Promise<DuckdbResult> {
    return this.resultOf(await this.ask({ op: 'start', index, params }));
  }

  async stream(sql: string): Promise<DuckdbResult> {
    return this.resultOf(await this.ask({ op: 'stream', sql }));
  }

  async prepare(sql: string): Promise<void> {
    await this.ask({ op: 'prepare', sql });
  }

  /** Runs what `prepare` prepared, for each list of values. @returns the number of rows changed */
  async execute(lists: readonly (readonly Json[])[]): Promise<number> {
    return numberOf(await this.ask({ op: 'execute' }, JSON.stringify(lists)), 'changed');
  }

  /** Stops what is running; ends its process if it does not stop. @returns a function that calls off the latter */
  interrupt(): () => void {
    return this.child.interrupt(this.session);
  }

  /** What ends the process only now (a setting that cannot be written) has done its work before. */
  async close(): Promise<void> {
    await this.ask({ op: 'disconnect' }).catch(() => undefined);
  }

  private ask(request: DuckdbRequest, text?: string): Promise<DuckdbReply> {
    return this.child.ask({ ...request, session: this.session }, text);
  }

  private resultOf(first: DuckdbReply): DuckdbResult {
    const fetchRows = (): Promise<DuckdbReply> => this.ask({ op: 'fetch' });
    const { digitsLost } = this;
    const result = { columns: first.meta['columns'] as string[], changed: 0, portions };
    return result;
    async function* portions(): AsyncGenerator<Portion> {
      for (let next = Promise.resolve(first); ;) {
        const { meta, text } = await next;
        if (meta['end'] === true) result.changed = meta['changed'] as number;
        else {
          next = fetchRows();
          // It is awaited later, or never if the reader stops.
          next.catch(() => undefined);
        }
        if (typeof meta['rounded'] === 'string') digitsLost?.(meta['rounded']);
        const rows = JSON.parse(text) as JsonObject[];
        if (rows.length > 0) yield { rows, size: text.length - rows.length - 1 };
        if (meta['end'] === true) return;
      }
    }
  }
}

/** The rows one by one. */
export async function* rowsOf(result: DuckdbResult): AsyncGenerator<JsonObject> {
  for await (const { rows } of result.portions()) yield* rows;
}

function numberOf({ meta }: DuckdbReply, name: string): number {
  return meta[name] as number;
}
