/** How long the compiler takes for a playbook of 1,000 steps: `node dist/bench/compile.js`. The aim is 500 ms. */
import { compile } from '../src/dsl';

/** A chain of steps as people write them: a tool with templates, rules, a router with guards. */
function playbook(steps: number): string {
  const lines = [
    'apiVersion: noetl.io/v2',
    'kind: Playbook',
    'metadata: {name: large, path: bench/large}',
    'workload: {api_url: https://example.com, limit: 10}',
    'workflow:',
  ];
  for (let i = 0; i < steps; i += 1) {
    const name = i === 0 ? 'start' : `step_${i}`;
    lines.push(
      `- step: ${name}`,
      `  desc: Step number ${i}`,
      '  tool:',
      '  - name: fetch',
      '    kind: http',
      '    method: GET',
      `    url: "{{ workload.api_url }}/items/${i}?limit={{ workload.limit }}"`,
      '    spec:',
      '      policy:',
      '        rules:',
      `        - when: "{{ outcome.status == 'error' and outcome.http.status in [429, 500, 503] }}"`,
      '          then: {do: retry, attempts: 3, backoff: exponential, delay: 1}',
      '        - else: {then: {do: continue}}',
      '  - name: count',
      '    kind: python',
      '    input: {page: "{{ _prev }}"}',
      '    code: |',
      '      items = page.get("data", [])',
      '      result = {"count": len(items)}',
      '  set:',
      `    ctx.count_${i}: "{{ ${name}.results.count.count | default(0) }}"`,
      '  next:',
      '    spec: {mode: exclusive}',
      '    arcs:',
      `    - {step: ${i + 1 < steps ? `step_${i + 1}` : 'end'}, when: "{{ event.name == 'step.done' }}"}`,
    );
  }
  return `${lines.join('\n')}\n`;
}

const text = playbook(1000);
const times: number[] = [];
for (let run = 0; run < 7; run += 1) {
  const started = performance.now();
  const { plan, diagnostics } = compile(text);
  times.push(performance.now() - started);
  if (plan === undefined) throw new Error(JSON.stringify(diagnostics.slice(0, 3)));
}
const sorted = [...times].sort((a, b) => a - b);
console.log(
  JSON.stringify({
    steps: 1000,
    lines: text.split('\n').length,
    first_ms: Math.round(times[0]!),
    median_ms: Math.round(sorted[3]!),
  }),
);
