/** The postgres tool on a server of the test's own, under the credential `pg_local`. */
import { Client } from 'pg';
import { postgres as tool } from '../../activities/kinds/postgres/run';
import { type JsonObject, type Outcome, type TaskCall } from '../../src/language/plan';
import { startTestPostgres } from './postgres';
import { context, run, type TestContext } from './tool-call';

export interface PostgresTool {
  /** Data of the credential. */
  readonly data: JsonObject;
  context(): TestContext;
  /** Runs a task with `auth: pg_local` unless the fields name another. */
  send(config: JsonObject, more?: Partial<TaskCall>, ctx?: TestContext): Promise<Outcome>;
  /** As `send`, and its result; a failure fails the test. */
  ok(config: JsonObject, more?: Partial<TaskCall>): Promise<JsonObject>;
  /** Runs SQL past the tool. */
  admin(sql: string): Promise<JsonObject[]>;
  stop(): Promise<void>;
}

export async function postgresTool(): Promise<PostgresTool> {
  const server = await startTestPostgres();
  const url = new URL(server.url);
  const data = {
    db_host: url.hostname,
    db_port: Number(url.port),
    db_user: decodeURIComponent(url.username),
    db_password: decodeURIComponent(url.password),
    db_name: url.pathname.slice(1),
  };
  const ctx = (): TestContext => context({ pg_local: { type: 'postgres', data } });
  const send: PostgresTool['send'] = (config, more = {}, given = ctx()) =>
    run(tool, { auth: 'pg_local', ...config }, more, given);
  return {
    data,
    context: ctx,
    send,
    async ok(config, more) {
      const outcome = await send(config, more);
      expect(outcome.error).toBeNull();
      return outcome.result as JsonObject;
    },
    async admin(sql) {
      const client = new Client({ connectionString: server.url });
      await client.connect();
      try {
        return (await client.query<JsonObject>(sql)).rows;
      } finally {
        await client.end();
      }
    },
    async stop() {
      await tool.close!();
      await server.stop();
    },
  };
}
