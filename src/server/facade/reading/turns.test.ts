/** How many derivations one caller may have in progress; the threads are the built ones. */
import { clientWith, EXECUTION, loopHistory } from '../../../../test/support/long-history';
import { createFacade, type FacadeServices, type Listening, listen } from '..';

const { client } = clientWith(loopHistory(30_000));
const stopping = new AbortController();
let facade: Listening;

beforeAll(async () => {
  const services = {
    client,
    database: {},
    authenticate: (request: { get(name: string): string | undefined }) =>
      Promise.resolve({ name: request.get('x-caller') ?? '', scopes: ['read'] }),
    version: 'test',
    report: () => undefined,
    stopping: stopping.signal,
  } as unknown as FacadeServices;
  facade = await listen(createFacade(services), 0);
});
afterAll(async () => {
  stopping.abort();
  await facade.close();
});

const stateAt = async (caller: string, at: number): Promise<{ status: number; code?: string }> => {
  const response = await fetch(`${facade.url}/api/executions/${EXECUTION}/state?at=${at}`, {
    headers: { 'x-caller': caller },
  });
  const { code } = (await response.json()) as { code?: string };
  return { status: response.status, code };
};

test('a caller has so many derivations in progress and no more, and others are not refused for that', async () => {
  const answers = await Promise.all(Array.from({ length: 64 }, (_, n) => stateAt('flooding', 100_000 + n)));
  expect(answers).toContainEqual({ status: 429, code: 'TOO_MANY_JOBS' });
  expect([200, 202]).toContain((await stateAt('other', 3)).status);
});
