/** Programs in containers. */
import { type Proof } from '../clauses/clause';
import { SECRET, limit, type Ending, type Tool } from '../support/canary-matrix/tool';
import { type KindTests } from '../support/kind-tests';

const AS_SCRIPT: Proof = {
  shown: 'what it prints is data as what a script prints, none of it rounded',
  in: 'activities/kinds/container/container.test.ts',
};

const clauses: KindTests['clauses'] = {
  fields: { image: 'x' },
  proofs: {
    'an input that is missing': { refused: {}, code: 'NT2051' },
    'a host that cannot be reached': {
      shown: 'one that is not there',
      in: 'activities/kinds/container/container.test.ts',
    },
    'wrong credentials': { shown: 'IMAGE_DENIED', in: 'activities/kinds/container/container.test.ts' },
    'a malformed response': {
      shown: 'one that does not come back is unreachable, and what is not JSON is told of',
      in: 'activities/kinds/container/kubernetes-ends.test.ts',
    },
    bytes: AS_SCRIPT,
    NaN: AS_SCRIPT,
    'a decimal': AS_SCRIPT,
    'a date': AS_SCRIPT,
    'a 64-bit integer': AS_SCRIPT,
  },
};

const container = (ending: Ending, more: Tool): Tool => ({
  kind: 'container',
  image: 'canary:1',
  ...limit(ending),
  ...more,
  env: { ENDING: ending, ...((more['env'] as Tool | undefined) ?? {}) },
});

const canary: KindTests['canary'] = {
  carry: (secret, ending) => container(ending, { env: { T: secret } }),
  own: {
    argument: (ending) => container(ending, { args: ['--token', SECRET] }),
    input: (ending) => container(ending, { input: { word: SECRET } }),
    'auth: registry': (ending) => container(ending, { pull: 'always', auth: 'registry' }),
  },
};

const examples: KindTests['examples'] = {
  container: { result: { data: { hello: "O'Neil" }, exit_code: 0 } },
  container_kubernetes: { result: { data: { hello: "O'Neil" }, exit_code: 0, stderr: '' } },
};

export const tests: KindTests = {
  faults: [],
  clauses,
  canary,
  examples,
  against: {
    real: 'podman, if available; the Docker API and the Kubernetes API as test servers',
    not: 'a real cluster; a registry',
  },
};
