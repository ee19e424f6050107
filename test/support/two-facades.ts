/** Two facades on one database and one Temporal, whose workers find sub-playbooks in the catalog. */
import { CatalogPlaybooks } from '../../src/cli/runtime/playbooks/catalog-playbooks';
import { FacadePlaybooks } from '../../src/cli/runtime/playbooks/facade-playbooks';
import { firstOf } from '../../src/cli/runtime/playbooks/first-of';
import { Library, Threads } from '../../src/server/facade';
import { Catalog, openDatabase, type Database } from '../../src/server/store';
import { startFacade, type TestFacade } from './facade';
import { startTestPostgres, type TestPostgres } from './postgres';
import { type Stack, startStack } from './stack';

export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Headers, and the facade that is asked. */
export interface Asking {
  readonly at?: number;
  readonly [header: string]: string | number | undefined;
}

export interface TwoFacades {
  readonly postgres: TestPostgres;
  readonly database: Database;
  readonly stack: Stack;
  /** Of the first facade. */
  readonly url: string;
  ask(method: string, path: string, body?: unknown, more?: Asking): Promise<Answer>;
  post(path: string, body: unknown, more?: Asking): Promise<Answer>;
  /** Of an execution, once it has completed. */
  result(executionId: unknown): Promise<unknown>;
}

/** Called once in a test file: starts and stops all of it. @param kinds that workers serve */
export function useTwoFacades(kinds: string[] = []): TwoFacades {
  let postgres: TestPostgres;
  let database: Database;
  let stack: Stack;
  let facades: [TestFacade, TestFacade];
  beforeAll(async () => {
    postgres = await startTestPostgres();
    database = await openDatabase(postgres.url);
    let asked: FacadePlaybooks | undefined;
    stack = await startStack({
      kinds,
      // One path by a library in this process, as `dev` has it, the others over HTTP, as a worker asks.
      playbooks: firstOf([
        {
          resolve: (request) =>
            request.path.startsWith('lib/')
              ? new CatalogPlaybooks(new Library(new Catalog(database.query), new Threads({}))).resolve(
                  request,
                )
              : (asked ??= new FacadePlaybooks({ url: facades[1].url, token: 'any' })).resolve(request),
        },
      ]),
    });
    facades = [await startFacade(stack, { postgres }), await startFacade(stack, { postgres })];
  });
  afterAll(async () => {
    for (const facade of facades ?? []) await facade.stop();
    await stack?.stop();
    await database?.close();
    await postgres?.stop();
    for (const facade of facades) expect(facade.reported).toEqual([]);
  });
  const ask: TwoFacades['ask'] = async (method, path, body, { at = 0, ...headers } = {}) => {
    const response = await fetch(`${facades[at]!.url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(headers as Record<string, string>) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as never };
  };
  return {
    get postgres() {
      return postgres;
    },
    get database() {
      return database;
    },
    get url() {
      return facades[0].url;
    },
    get stack() {
      return stack;
    },
    ask,
    post: (path, body, more) => ask('POST', path, body, more),
    async result(executionId) {
      const { result: value } = (await stack.client.workflow
        .getHandle(`noetl-${String(executionId)}`)
        .result()) as { result: unknown };
      return value;
    },
  };
}

/** A playbook of one step, with a workload. @param more lines before its workflow @param step the fields of the step */
export function playbook(
  path: string,
  more = '',
  step = 'tool: {kind: noop, input: {said: "{{ workload.word }}"}}',
): string {
  return (
    `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: ${path.split('/').at(-1)}, path: ${path}}\n` +
    `workload: {word: hi}\n${more}workflow:\n- step: start\n  ${step}\n`
  );
}
