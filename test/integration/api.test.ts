/** docs/api.md: the example that starts an execution, at a server with workers. */
import { API_EXAMPLES, apiExamples, runExample } from '../support/api-page';
import { type Stack, startStack } from '../support/stack';

let stack: Stack;
let examples: ReturnType<typeof apiExamples>;
beforeAll(async () => {
  examples = apiExamples();
  stack = await startStack({ kinds: ['shell'] });
});
afterAll(async () => {
  examples?.remove();
  await stack?.stop();
});

const atServer = API_EXAMPLES.filter(({ needs }) => needs === 'server');

test.each(atServer)('$name prints what the page says', async (example) => {
  const env = { TEMPORAL_ADDRESS: stack.server.address, TEMPORAL_NAMESPACE: stack.server.namespace };
  expect(await runExample(examples.folder, example, env)).toBe(example.output);
});
