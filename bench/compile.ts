/**
 * Duration of compiling playbooks of 1,000 steps: with one tool each, with rules and routers, and with the
 * vocabulary of `case`: `node dist/bench/main.js compile`.
 */
import { compile } from '../src/language/dsl';

/** A chain of realistic steps: a tool with templates, rules, a router with guards. */
export function rich(steps: number): string {
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

/** A chain of steps with only one tool each. */
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

/** A chain of steps with the vocabulary of `case`: loops, retry policies, rules, collected pages and sinks. */
function withCase(steps: number): string {
  const lines = [
    'apiVersion: noetl.io/v2',
    'kind: Playbook',
    'metadata: {name: case, path: bench/case}',
    'workload: {api_url: https://example.com, limit: 10, cities: [a, b]}',
    'workflow:',
  ];
  for (let i = 0; i < steps; i += 1) {
    const name = i === 0 ? 'start' : `step_${i}`;
    const loop = i % 4 === 0;
    const next = i + 1 < steps ? `step_${i + 1}` : 'end';
    lines.push(
      `- step: ${name}`,
      '  args: {page: 1}',
      ...(loop ? ['  loop: {in: "{{ workload.cities }}", iterator: city, spec: {mode: parallel}}'] : []),
      '  tool:',
      '    kind: http',
      `    url: "{{ workload.api_url }}/items/${i}?limit={{ workload.limit }}"`,
      '    params: {page: "{{ page }}"}',
      '  retry:',
      `  - when: "{{ error.status in [429, 500, 503] }}"`,
      '    then: {max_attempts: 5, initial_delay: 1, backoff_multiplier: 2}',
      `  - when: "{{ response.data.paging.has_more }}"`,
      '    then:',
      '      max_attempts: 100',
      '      next_call: {params: {page: "{{ response.data.paging.page + 1 }}"}}',
      `      collect: {strategy: append, path: data.items, into: pages}`,
      '  case:',
      `  - when: "{{ event.name == 'step.exit' and response is defined }}"`,
      '    then:',
      `      set: {count_${i}: "{{ response.data | length }}"}`,
      '      sink:',
      '        tool: {kind: postgres, auth: pg, table: items, mode: upsert, key: id}',
      '        args: {id: "{{ result.id }}", name: "{{ result.name | default(\'\') }}"}',
      `      next: [{step: ${next}, args: {count: "{{ response.data | length }}"}}]`,
      `  - when: "{{ event.name == 'call.error' and error is defined }}"`,
      '    then: {next: [{step: end}]}',
      '  vars:',
      `    last_${i}: "{{ result.data.id }}"`,
    );
  }
  lines.push('- step: end', '  tool: {kind: noop}');
  return `${lines.join('\n')}\n`;
}

function measure(shape: string, text: string): object {
  const times = Array.from({ length: 7 }, () => {
    const started = performance.now();
    const before = process.cpuUsage();
    const { plan, diagnostics } = compile(text);
    if (plan === undefined) throw new Error(JSON.stringify(diagnostics.slice(0, 3)));
    const { user, system } = process.cpuUsage(before);
    return { wall: performance.now() - started, cpu: (user + system) / 1000 };
  });
  const lines = text.split('\n').length - 1;
  const first = times[0]!;
  return {
    shape,
    steps: 1000,
    lines,
    first_ms: Math.round(first.wall),
    median_ms: median(times.map(({ wall }) => wall)),
    // CPU time including garbage collection: independent of other load on the machine.
    median_cpu_ms: median(times.map(({ cpu }) => cpu)),
  };
}

function median(values: readonly number[]): number {
  return Math.round([...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!);
}

export function benchCompile(): Promise<void> {
  for (const [shape, text] of [
    ['plain', plain(1000)],
    ['rich', rich(1000)],
    ['case', withCase(1000)],
  ] as const) {
    console.log(JSON.stringify(measure(shape, text)));
  }
  return Promise.resolve();
}

if (require.main === module) void benchCompile();
