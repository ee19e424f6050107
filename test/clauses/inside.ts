/** Kinds that the engine does itself, and those that this release knows by name only. */
import { type JsonObject } from '../../src/language/plan';
import { type Proof, type ClauseRow, values } from './clause';

const OWN: Proof = {
  never: 'the engine does it itself: it meets no host, and its values are those of the run, JSON already',
};

const inside = (fields: JsonObject, missing: Proof, more: Partial<ClauseRow['proofs']> = {}): ClauseRow => ({
  fields,
  proofs: {
    'an input that is missing': missing,
    'a host that cannot be reached': OWN,
    'wrong credentials': OWN,
    'a malformed response': OWN,
    ...values(OWN),
    ...more,
  },
});

const UNSERVED: Proof = {
  shown: 'of a kind that no worker runs fails at once, naming it',
  in: 'src/engine/machine/calls/task.test.ts',
};
const unserved = (fields: JsonObject): ClauseRow => ({
  fields,
  open: 'nobody here knows what it reads',
  proofs: {
    'an input that is missing': UNSERVED,
    'a host that cannot be reached': UNSERVED,
    'wrong credentials': UNSERVED,
    'a malformed response': UNSERVED,
    ...values(UNSERVED),
  },
});

const PLAYBOOKS = 'activities/framework/activity/playbooks.test.ts';

export const INSIDE: Readonly<Record<string, ClauseRow>> = {
  noop: inside({}, { never: 'it needs none' }),
  event_log: inside({}, { never: 'it needs none: it says its inputs' }),
  iterator: inside(
    { in: [1], iterator: 'item', tool: { kind: 'noop' } },
    { refused: { in: [1] }, code: 'NT2051' },
  ),
  workbook: inside({ task: 'greet' }, { refused: { task: 'grete' }, code: 'NT3005' }),
  wait: inside({ for: 1 }, { refused: {}, code: 'NT2051' }),
  playbook: inside(
    { path: 'a/b' },
    { refused: {}, code: 'NT2051' },
    {
      'a host that cannot be reached': { shown: 'lets Temporal try again what is no refusal', in: PLAYBOOKS },
      'wrong credentials': {
        shown: 'fails for good, with code and details, for a playbook that is refused',
        in: PLAYBOOKS,
      },
      'a malformed response': { shown: 'refuses a plan that Temporal would refuse', in: PLAYBOOKS },
    },
  ),
  provider: unserved({}),
  subscription: unserved({}),
  mcp: unserved({}),
  gateway: unserved({}),
};
