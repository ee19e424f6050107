/** Tools of MCP servers: what servers answer instead of an answer. The protocol itself: activities/kinds/mcp. */
import { type Proof } from '../clauses/clause';
import { type Cell, type Fields, requestFaults } from '../faults/cell';
import { from, HEADER, limit, type Ending, SECRET, type Tool } from '../support/canary-matrix/tool';
import { type KindTests } from '../support/kind-tests';

const at =
  (where: string, more = {}): Fields =>
  (on) => ({ endpoint: `${on.origin}/${where}`, tool: 'x', ...more });
const to =
  (endpoint: string, more = {}): Fields =>
  () => ({ endpoint, tool: 'x', ...more });

const faults: readonly Cell[] = [
  ...requestFaults(at, to),
  ['no server', { tool: 'x' }, 'validation', 'NO_SERVER', false],
  ['no tool', { endpoint: 'http://127.0.0.1:1/' }, 'validation', 'MISSING_FIELD', false],
  [
    'arguments that are a list',
    to('http://127.0.0.1:1/', { arguments: [1] }),
    'validation',
    'INVALID_INPUT',
    false,
  ],
  [
    'arguments that are no JSON',
    to('http://127.0.0.1:1/', { arguments: '{' }),
    'validation',
    'INVALID_INPUT',
    false,
  ],
  ['an address that is none', to('not a url'), 'validation', 'INVALID_URL', false],
  ['another protocol', to('ftp://127.0.0.1/x'), 'validation', 'INVALID_URL', false],
  ['an answer that is a page', at('html'), 'server_error', 'NO_MCP_ANSWER', false],
  ['an answer that is no message', at('json'), 'server_error', 'NO_MCP_ANSWER', false],
  ['NaN in an answer', at('nan'), 'server_error', 'NO_MCP_ANSWER', false],
];

const DIGITS: Proof = {
  shown: 'numbers of structured content keep their digits',
  in: 'activities/kinds/mcp/over-http.test.ts',
};

const clauses: KindTests['clauses'] = {
  fields: { endpoint: 'http://127.0.0.1/', tool: 'x' },
  proofs: {
    'an input that is missing': { fault: 'no tool' },
    'a host that cannot be reached': { fault: 'an unknown host' },
    'wrong credentials': { fault: 'answer 401' },
    'a malformed response': { fault: 'an answer that is a page' },
    bytes: { never: 'a server sends bytes as base64 in the contents, which stay as they are' },
    NaN: { fault: 'NaN in an answer' },
    'a decimal': DIGITS,
    'a date': { never: 'a server sends dates as text, which stays as it is' },
    'a 64-bit integer': DIGITS,
  },
};

/** The server answers by the first word of the path, and is told the place by the rest. */
const tool = (ending: Ending, where: string, more: Tool = {}): Tool => ({
  kind: 'mcp',
  endpoint: `{{ workload.url }}/${ending}/${where}`,
  tool: 'echo',
  ...limit(ending),
  ...more,
});

const canary: KindTests['canary'] = {
  carry: (secret, ending, where) => tool(ending, where, { arguments: { deep: [secret] } }),
  own: {
    'auth: bearer': (ending, where) => tool(ending, where, { auth: 'bearer' }),
    header: (ending, where) => tool(ending, where, { headers: { 'x-secret': HEADER } }),
    input: (ending, where) => tool(ending, where, { input: { word: SECRET } }),
    address: (ending, where) => ({ ...tool(ending, where), endpoint: `${from(ending, where)}?k=${HEADER}` }),
  },
};

const examples: KindTests['examples'] = {
  mcp: {
    set: ({ api }) => [`endpoint=${api}/mcp`],
    result: { tools: ['weather'], oslo: { city: 'Oslo', t: 4 } },
  },
};

export const tests: KindTests = {
  faults,
  clauses,
  canary,
  examples,
  against: { real: 'servers of the official SDK, over streamable HTTP and stdio' },
};
