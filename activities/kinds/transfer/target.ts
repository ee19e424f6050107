/** Where rows go: a table open for writing, or an address that takes lists of them. */
import { type JsonObject } from '../../../src/language/plan';
import { type Deadline } from '../../framework/tool/deadline';
import { textField } from '../../framework/tool/fields';
import { http } from '../http/run';
import { ToolError } from '../../framework/tool/outcome';
import { asOutcome, withSession } from '../postgres/session';
import { openPostgresTable as openPostgres } from '../postgres/table';
import { snowflakeCredential } from '../snowflake/run';
import { withSnowflake } from '../snowflake/connection';
import { openSnowflakeTable as openSnowflake } from '../snowflake/table';
import { tableWrite, type TableWrite } from '../../framework/sql/table/request';
import { type OpenTable } from '../../framework/sql/table/writer';
import { type ToolContext } from '../../framework/tool/tool';
import { onDatabase, sqlError } from '../duckdb/run';
import { openDuckdbTable as openDuckdb } from '../duckdb/table';
import { duckdbStatement } from './duckdb-end';
import { openStatement, postgresStatement, snowflakeStatement } from './run-statement';
import { type SideKind, ofSide, type Side, wrongSide } from './side';
import { rowStatement } from './statement';

type Writer = <T>(
  side: Side,
  context: ToolContext,
  deadline: Deadline,
  work: (target: OpenTable) => Promise<T>,
) => Promise<T>;

const WRITERS: Readonly<Record<SideKind, Writer>> = {
  postgres: (side, context, deadline, work) => {
    const statement = rowStatement(side, { mark: '%s', placeholder: (number) => `$${number}` });
    const write = statement ? undefined : writeOf(side, 2);
    return withSession(side.call, context, deadline, async (session) =>
      work(
        named(
          statement
            ? openStatement(statement, postgresStatement(session, statement.text))
            : await openPostgres(session, write!),
          (error) => asOutcome(error, undefined),
        ),
      ),
    );
  },
  duckdb: async (side, context, deadline, work) => {
    const statement = rowStatement(side, { mark: '?', placeholder: (number) => `$${number}` });
    const write = statement ? undefined : writeOf(side, 3);
    return onDatabase(side.call, context, deadline, undefined, async (connection) =>
      work(
        named(
          statement
            ? openStatement(statement, duckdbStatement(connection, statement.text, deadline.check))
            : await openDuckdb(connection, write!, deadline.check),
          (error) => sqlError(error, undefined),
        ),
      ),
    );
  },
  snowflake: async (side, context, deadline, work) => {
    const statement = rowStatement(side, { mark: '?', placeholder: () => '?' });
    const write = statement ? undefined : writeOf(side, 3);
    const credential = await snowflakeCredential(side.call, context);
    return withSnowflake(side.call, credential, deadline, async (session) =>
      work(
        named(
          statement
            ? openStatement(statement, snowflakeStatement(session, statement.text))
            : await openSnowflake(session, write!),
          (error) => error as ToolError,
        ),
      ),
    );
  },
  http: async (side, context, _deadline, work) =>
    work(named(address(side, context), (error) => error as ToolError)),
};

/** @throws ToolError, with `side: target` where the target is to blame */
export async function withTarget<T>(
  side: Side,
  context: ToolContext,
  deadline: Deadline,
  work: (target: OpenTable) => Promise<T>,
): Promise<T> {
  try {
    return await WRITERS[side.end](side, context, deadline, work);
  } catch (error) {
    throw error instanceof ToolError ? ofSide('target', error) : error;
  }
}

function named(table: OpenTable, asError: (error: unknown) => ToolError): OpenTable {
  const guarded = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw ofSide('target', error instanceof ToolError ? error : asError(error));
    }
  };
  return { ...table, write: (rows) => guarded(table.write(rows)), commit: () => guarded(table.commit()) };
}

/** The rows come later. */
function writeOf(side: Side, maxParts: number): TableWrite {
  if (textField(side.call, 'table') === undefined)
    throw wrongSide('target', 'the target needs a `table`, or a `query` for each row');
  const write = tableWrite({ ...side.call, config: { ...side.call.config, data: [] } }, maxParts, []);
  return write!;
}

/** Each chunk is one request with an idempotency key of its own: a second execution sends the same keys. */
function address({ call }: Side, context: ToolContext): OpenTable {
  const { mode, key: _key, ...config } = call.config;
  if (mode !== undefined && mode !== 'append' && mode !== 'insert') {
    throw wrongSide('target', `an http target can only append, but mode is '${String(mode)}'`);
  }
  let chunk = 0;
  return {
    name: textField(call, 'url', 'endpoint') ?? '',
    deleted: undefined,
    async write(rows) {
      chunk += 1;
      const idempotency_key = `${call.idempotency_key}/${chunk}`;
      const { error, http: answer } = await http.run(
        { ...call, idempotency_key, config: { method: 'POST', ...config, json: rows as JsonObject[] } },
        context,
      );
      if (error) throw new ToolError(error, { http: answer });
      return { count: rows.length, columns: Object.keys(rows[0] ?? {}) };
    },
    commit: () => Promise.resolve(),
  };
}
