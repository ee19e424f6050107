import { compile } from './compile';
import { unreadInputs } from './unread-inputs';

const told = (workload: string, url: string, payload: Record<string, number>): string[] => {
  const { plan } = compile(`
apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: a, path: a/b}
workload: ${workload}
workflow: [{step: start, tool: {kind: http, url: "http://x/${url}"}}]
`);
  return unreadInputs(plan!, payload);
};

test.each([
  ['{threshold: 2}', '', { threshold: 3 }, []],
  ['{threshold: 2}', '', { thresold: 3 }, ["nothing reads the input 'thresold': did you mean 'threshold'?"]],
  ['{threshold: "{{ 1 }}"}', '', { n: 1, threshold: 1 }, ["nothing reads the input 'n'"]],
  ['{}', '{{ workload.page | default(1) }}{{ size | default(2) }}', { page: 1, size: 1 }, []],
  ['{}', '{{ ctx.page | default(1) }}{{ ctx | length }}', { page: 1 }, []],
  ['{}', '{{ workload | length }}', { anything: 1 }, []],
])('workload %s, url %s, given %j', (workload, url, payload, sentences) => {
  expect(told(workload, url, payload as Record<string, number>)).toEqual(sentences);
});
