/** Turns of a model: what servers answer instead of an answer. The protocol itself: activities/kinds/agent. */
import { type Proof } from '../clauses/clause';
import { type Cell, type Fields, requestFaults } from '../faults/cell';
import { from, HEADER, limit, type Ending, SECRET, type Tool } from '../support/canary-matrix/tool';
import { type KindTests } from '../support/kind-tests';

const asking = (endpoint: string, more = {}): Record<string, unknown> => ({
  framework: 'claude',
  model: 'claude-test',
  prompt: 'hello',
  auth: { type: 'api_key', value: 'k' },
  endpoint,
  ...more,
});
const at =
  (where: string, more = {}): Fields =>
  (on) =>
    asking(`${on.origin}/${where}?`, more) as ReturnType<Fields>;
const to =
  (endpoint: string, more = {}): Fields =>
  () =>
    asking(endpoint, more) as ReturnType<Fields>;

const DEAD = 'http://127.0.0.1:1';
const faults: readonly Cell[] = [
  ...requestFaults(at, to),
  ['no credential', to(DEAD, { auth: null }), 'validation', 'NO_CREDENTIAL', false],
  ['no prompt', to(DEAD, { prompt: '' }), 'validation', 'MISSING_FIELD', false],
  ['an address that is none', to('not a url'), 'validation', 'INVALID_URL', false],
  ['an answer that is a page', at('html'), 'server_error', 'NO_MODEL_ANSWER', false],
  ['an answer that is no message', at('json'), 'server_error', 'NO_MODEL_ANSWER', false],
  ['NaN in an answer', at('nan'), 'server_error', 'NO_MODEL_ANSWER', false],
];

const TEXT: Proof = { never: 'what a model says is text, and the input of a tool is JSON, as it stands' };

const clauses: KindTests['clauses'] = {
  fields: { framework: 'claude', model: 'm', prompt: 'p', auth: 'anthropic' },
  proofs: {
    'an input that is missing': { fault: 'no prompt' },
    'a host that cannot be reached': { fault: 'an unknown host' },
    'wrong credentials': { fault: 'answer 401' },
    'a malformed response': { fault: 'an answer that is a page' },
    bytes: TEXT,
    NaN: { fault: 'NaN in an answer' },
    'a decimal': TEXT,
    'a date': TEXT,
    'a 64-bit integer': {
      shown: 'integers of a call keep their digits',
      in: 'activities/kinds/agent/agent.test.ts',
    },
  },
};

/** The server answers by the first word of the path, and is told the place by the rest. */
const tool = (ending: Ending, where: string, more: Tool = {}): Tool => ({
  kind: 'agent',
  framework: 'claude',
  model: 'claude-test',
  prompt: 'hello',
  endpoint: from(ending, where),
  auth: 'keyed',
  ...limit(ending),
  ...more,
});

const canary: KindTests['canary'] = {
  carry: (secret, ending, where) => tool(ending, where, { prompt: `say ${secret}` }),
  cannot: { sink: 'refused by the compiler: what stores a result asks nobody' },
  own: {
    'auth: api_key': (ending, where) => tool(ending, where),
    system: (ending, where) => tool(ending, where, { system: `say ${SECRET}` }),
    header: (ending, where) => tool(ending, where, { headers: { 'x-secret': HEADER } }),
  },
};

const examples: KindTests['examples'] = {
  agent: {
    set: ({ api }) => [`endpoint=${api}`],
    result: { answer: 'Oslo: 4, Rome: 16, Atlantis: unknown', turns: 3 },
  },
};

export const tests: KindTests = {
  faults,
  clauses,
  canary,
  examples,
  against: {
    real: 'a server that checks requests as the documentation of the Messages API has them',
    not: 'a model',
  },
};
