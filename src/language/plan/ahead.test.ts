import { plan } from '../../../test/support/compiled';
import { aheadOfOthers } from './ahead';

const written = (spec: string): string => `apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: x, path: x}
workload: {p: 4}
workflow: [{step: start, tool: {kind: http, url: "http://x", spec: ${spec}}}]
`;

test.each([
  ['{}', false],
  ['{priority: 3}', false],
  ['{priority: 5}', false],
  ['{priority: 2}', true],
  ['{priority: "{{ workload.p }}"}', true],
  ['{priority: 4, fairness: {key: a}}', true],
  ['{fairness: {key: a, weight: 0.5}}', true],
])('%s: %s', (spec, isAhead) => {
  expect(aheadOfOthers(plan(written(spec))) !== undefined).toBe(isAhead);
});
