/** Every kind that tasks with a secret are made of: the tools (test/kinds), and sub-playbooks. */
import { KIND_TESTS } from '../kind-tests';
import { type CanaryKind, LIMIT_S } from './tool';

const playbook: CanaryKind = {
  carry: (secret, ending, at) => ({
    kind: 'playbook',
    path: `canary/child_${ending}`,
    input: { url: '{{ workload.url }}', at, key: secret },
    ...(ending === 'timeout' ? { timeout: LIMIT_S } : {}),
  }),
  own: {},
  cannot: { 'local loop': 'refused by the compiler: a child workflow cannot run inside an activity' },
};

export const KINDS: Readonly<Record<string, CanaryKind>> = {
  ...Object.fromEntries(Object.entries(KIND_TESTS).map(([kind, { canary }]) => [kind, canary])),
  playbook,
};
