/** Facades that ask for tokens, over a Postgres of the test's own; their Temporal client is never asked. */
import { Client, Connection } from '@temporalio/client';
import {
  byToken,
  createFacade,
  type EdgeOptions,
  type FacadeServices,
  listen,
  type Listening,
  Metrics,
  openFor,
} from '../../src/server/facade';
import { type Database, openDatabase, Tokens } from '../../src/server/store';
import { startTestPostgres, type TestPostgres } from './postgres';

export interface TokenFacades {
  readonly database: Database;
  readonly tokens: Tokens;
  /** @param guarded whether it asks for tokens @returns its address */
  start(edge?: EdgeOptions, guarded?: boolean, more?: Partial<FacadeServices>): Promise<string>;
}

/** Called once in a test file: what it started is stopped after its tests. */
export function useTokenFacades(): TokenFacades {
  const listening: Listening[] = [];
  let postgres: TestPostgres;
  let database: Database;
  let tokens: Tokens;
  beforeAll(async () => {
    postgres = await startTestPostgres();
    database = await openDatabase(postgres.url);
    tokens = new Tokens(database);
  });
  afterAll(async () => {
    for (const one of listening) await one.close();
    await database?.close();
    await postgres?.stop();
  });
  return {
    get database() {
      return database;
    },
    get tokens() {
      return tokens;
    },
    async start(edge = {}, guarded = true, more = {}) {
      const client = new Client({ connection: Connection.lazy({ address: '127.0.0.1:1' }) });
      const report = (error: unknown): void => {
        throw error;
      };
      const { authenticate, check } = byToken(tokens, report);
      const services = {
        client,
        database,
        authenticate: guarded ? authenticate : openFor(edge.cors ?? []),
        byToken: authenticate,
        ...(guarded && { checkToken: check }),
        version: 'x',
        report,
        metrics: new Metrics(),
        ...more,
      };
      const one = await listen(createFacade(services, edge), 0);
      listening.push(one);
      return one.url;
    },
  };
}

export async function ask(
  url: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<{ status: number; body: Record<string, unknown>; headers: Headers }> {
  const response = await fetch(url, { method, headers });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {},
  };
}

export const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
