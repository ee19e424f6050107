/**
 * How long the compiler takes for playbooks of 1,000 steps, one tool each and rich ones: `node dist/bench/compile.js`.
 * The aim is 500 ms.
 */
import { compile } from '../src/dsl';

/** A chain of steps as people write them: a tool with templates, rules, a router with guards. */
function rich(steps: number): string {
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

/** A chain of steps with one tool each and nothing else. */
function plain(steps: number): string {
  const lines = [
    'apiVersion: noetl.io/v2',
    'kind: Playbook',
    'metadata: {name: plain}',
    'workload: {api_url: a}',
    'workflow:',
  ];
  for (let i = 0; i < steps; i += 1) {
    const next = i + 1 < steps ? `step_${i + 1}` : 'end';
    lines.push(
      `- step: ${i === 0 ? 'start' : `step_${i}`}`,
      '  tool:',
      '    kind: http',
      `    url: "{{ workload.api_url }}/${i}"`,
    );
    lines.push('  next:', '    arcs:', `    - step: ${next}`);
  }
  return `${lines.join('\n')}\n`;
}

function measure(shape: string, text: string): object {
  const times = Array.from({ length: 7 }, () => {
    const started = performance.now();
    const { plan, diagnostics } = compile(text);
    if (plan === undefined) throw new Error(JSON.stringify(diagnostics.slice(0, 3)));
    return performance.now() - started;
  });
  const median = [...times].sort((a, b) => a - b)[3]!;
  const lines = text.split('\n').length - 1;
  return { shape, steps: 1000, lines, first_ms: Math.round(times[0]!), median_ms: Math.round(median) };
}

export function benchCompile(): Promise<void> {
  for (const [shape, text] of [
    ['plain', plain(1000)],
    ['rich', rich(1000)],
  ] as const) {
    console.log(JSON.stringify(measure(shape, text)));
  }
  return Promise.resolve();
}

if (require.main === module) void benchCompile();
