/** Where rows come from, one after the other: no more than a chunk of them is in memory, whatever the source holds. */
import { isMapping, type Json, type JsonObject } from '../../../src/language/plan';
import { type DigitsLost, parseJson } from '../../../src/language/plan/json-text';
import { shortenedText } from '../../framework/tool/bounded';
import { type Deadline } from '../../framework/tool/deadline';
import { field } from '../../framework/tool/fields';
import { http } from '../http/run';
import { ToolError } from '../../framework/tool/outcome';
import { runStatement } from '../postgres/statements';
import { asOutcome, withSession } from '../postgres/session';
import { snowflakeCredential } from '../snowflake/run';
import { withSnowflake } from '../snowflake/connection';
import { withFiles } from '../../framework/results/files';
import { type ToolContext } from '../../framework/tool/tool';
import { onDatabase, sqlError } from '../duckdb/run';
import { rowsOf } from '../duckdb/process/connection';
import { asRow, type SideKind, ofSide, type Side, wrongSide } from './side';

export type SourceRows = AsyncIterable<JsonObject>;

/** Opens the source, hands its rows to `work`, and closes it when `work` has ended. */
type Reader = <T>(
  side: Side,
  chunk: number,
  context: ToolContext,
  deadline: Deadline,
  work: (rows: SourceRows) => Promise<T>,
) => Promise<T>;

const READERS: Readonly<Record<SideKind, Reader>> = {
  postgres: (side, chunk, context, deadline, work) =>
    withSession(side.call, context, deadline, async (session) => {
      await session.begin(true);
      await session.client.query(`declare noetl_rows no scroll cursor for ${queryOf(side)}`);
      return work(
        named(
          (async function* () {
            for (;;) {
              session.check();
              const text = `fetch forward ${chunk} from noetl_rows`;
              const { rows } = await runStatement(session, { text, values: [] }, context.digitsLost);
              if (rows.length === 0) return;
              yield* rows;
            }
          })(),
          (error) => asOutcome(error, undefined),
        ),
      );
    }),
  duckdb: (side, _chunk, context, deadline, work) =>
    withFiles(side.call, context, deadline, (files) =>
      onDatabase(side.call, { ...context, files }, deadline, undefined, async (connection) => {
        connection.digitsLost = context.digitsLost;
        const result = await connection.stream(queryOf(side));
        return work(named(rowsOf(result), (error) => deadline.reason() ?? sqlError(error, undefined)));
      }),
    ),
  snowflake: async (side, _chunk, context, deadline, work) =>
    withSnowflake(side.call, await snowflakeCredential(side.call, context), deadline, async (session) => {
      session.digitsLost = context.digitsLost;
      const { rows } = await session.execute(queryOf(side), [], 'query');
      return work(named(rows, (error) => error as ToolError));
    }),
  http: async (side, _chunk, context, _deadline, work) => {
    const { data_path, format, ...config } = side.call.config;
    const outcome = await http.run({ ...side.call, config }, context);
    if (outcome.error) throw new ToolError(outcome.error, { http: outcome.http });
    const data = (outcome.result as JsonObject)['data'] ?? null;
    const document = typeof data === 'string' ? fromText(data, format, context.digitsLost) : data;
    return work(listed(document, data_path));
  },
};

/** @throws ToolError, with `side: source` where the source is to blame */
export async function withSource<T>(
  side: Side,
  chunk: number,
  context: ToolContext,
  deadline: Deadline,
  work: (rows: SourceRows) => Promise<T>,
): Promise<T> {
  try {
    return await READERS[side.end](side, chunk, context, deadline, work);
  } catch (error) {
    throw error instanceof ToolError ? ofSide('source', error) : error;
  }
}

/** Errors of the source under its own name, although they surface where the target is being written. */
async function* named(
  rows: SourceRows,
  asError: (error: unknown) => ToolError,
): SourceRows & AsyncGenerator<JsonObject> {
  try {
    yield* rows;
  } catch (error) {
    throw ofSide('source', error instanceof ToolError ? error : asError(error));
  }
}

function queryOf({ call }: Side): string {
  const query = field(call.config, 'query', 'command', 'statement', 'sql');
  const table = field(call.config, 'table');
  if (typeof query === 'string' && query.trim() !== '') return query.trim().replace(/;\s*$/, '');
  if (typeof table === 'string' && /^[\w$."]+$/.test(table)) return `select * from ${table}`;
  throw wrongSide('source', 'the source needs a `query`, or a `table`');
}

async function* listed(document: Json, path: Json | undefined): SourceRows & AsyncGenerator<JsonObject> {
  const list = typeof path === 'string' && path !== '' ? part(document, path) : document;
  const rows = Array.isArray(list) ? list : [list];
  for (const [at, row] of rows.entries()) {
    try {
      yield asRow(row, at);
    } catch (error) {
      throw ofSide('source', error as ToolError);
    }
  }
}

/** NDJSON is text to the http kind; any other text is no data. */
function fromText(text: string, format: Json | undefined, digitsLost: DigitsLost | undefined): Json {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  try {
    if (format === 'ndjson' || format === 'jsonl' || lines.length > 1)
      return lines.map((line) => parseJson(line, digitsLost));
    return parseJson(text, digitsLost);
  } catch {
    throw ofSide(
      'source',
      new ToolError({
        kind: 'server_error',
        code: 'BAD_JSON',
        message: `http: the response is neither JSON nor JSON lines: ${shortenedText(text, 80)}`,
        retryable: true,
      }),
    );
  }
}

function part(data: Json, path: string): Json {
  let at = data;
  for (const name of path.split('.')) {
    const next = isMapping(at) && Object.hasOwn(at, name) ? (at as JsonObject)[name] : undefined;
    if (next === undefined)
      throw wrongSide('source', `the response has no \`${path}\` (data_path), \`${name}\` is missing`);
    at = next;
  }
  return at;
}
