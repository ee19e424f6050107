/** The facade over a stack, with a database of its own, on a free port. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  byToken,
  createFacade,
  type EdgeOptions,
  type FacadeServices,
  listen,
  openFor,
} from '../../src/server/facade';
import { openDatabase, Tokens } from '../../src/server/store';
import { startTestPostgres, type TestPostgres } from './postgres';
import { type Stack } from './stack';

export interface TestFacade {
  readonly url: string;
  readonly services: FacadeServices;
  /** Errors that nobody foresaw; a test ends with none. */
  readonly reported: readonly unknown[];
  stop(): Promise<void>;
}

const askOnce = globalThis.fetch;

/** As clients do, asks again for what is being derived: on a busy machine that may be a document of a short run. */
export async function fetchDerived(...request: Parameters<typeof fetch>): Promise<Response> {
  for (;;) {
    const answer = await askOnce(...request);
    if (answer.status !== 202) return answer;
    if (!(await answer.clone().text()).includes('"code":"DERIVING"')) return answer;
    await sleep(100);
  }
}

/**
 * From now on `fetch` waits for what is being derived.
 *
 * @param options.postgres one that runs; else one is started, in a second
 * @param options.over services in place of the usual ones
 */
export async function startFacade(
  { client }: Pick<Stack, 'client'>,
  options: {
    postgres?: TestPostgres;
    over?: Partial<FacadeServices>;
    edge?: EdgeOptions;
    port?: number;
  } = {},
): Promise<TestFacade> {
  globalThis.fetch = fetchDerived;
  const own = options.postgres ? undefined : await startTestPostgres();
  const database = await openDatabase((options.postgres ?? own!).url);
  const reported: unknown[] = [];
  const stopping = new AbortController();
  const services: FacadeServices = {
    client,
    database,
    authenticate: openFor([]),
    byToken: byToken(new Tokens(database), (error) => void reported.push(error)).authenticate,
    version: '0.0.0-test',
    report: (error) => void reported.push(error),
    stopping: stopping.signal,
    ...options.over,
  };
  const listening = await listen(createFacade(services, options.edge), options.port ?? 0);
  return {
    url: listening.url,
    services,
    reported,
    async stop() {
      stopping.abort();
      await listening.close();
      await database.close();
      await own?.stop();
    },
  };
}
