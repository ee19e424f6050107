/**
 * Speed of the pure engine: inputs a second on a sequential plan, and that the cost of one stays flat. As the workflow
 * drives it, without events; and with events, as exports do.
 */
import { compile, formatDiagnostics } from '../src/dsl';
import { type Command, type Input, Machine } from '../src/engine';
import { type Outcome, type Plan } from '../src/plan';

const head =
  'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: bench, path: bench/bench}\nworkflow:\n';
const outcome: Outcome = { status: 'ok', result: { n: 1 }, error: null, meta: {} };

function planOf(yaml: string): Plan {
  const { plan, diagnostics } = compile(yaml);
  if (!plan) throw new Error(formatDiagnostics(diagnostics, yaml));
  return plan;
}

/** Settles every task at once; returns how many inputs that took. */
function drive(plan: Plan, withEvents: boolean): number {
  const machine = Machine.create(plan, '1');
  let inputs: Input[] = [{ type: 'started', payload: {} }];
  let count = 0;
  while (inputs.length > 0) {
    const batch = { at: count, inputs };
    const commands = withEvents ? machine.apply(batch).commands : machine.advance(batch);
    count += inputs.length;
    inputs = commands.flatMap((command: Command): Input[] =>
      command.type === 'runTask'
        ? [{ type: 'taskSettled', taskRunId: command.call.task_run_id, outcome }]
        : command.type === 'startTimer'
          ? [{ type: 'timerFired', key: command.key }]
          : [],
    );
  }
  if (machine.state.status !== 'completed') throw new Error(`the run ended as ${machine.state.status}`);
  return count;
}

/**
 * Microseconds an input, the best of several measurements of at least a thousand inputs, as many as it takes to warm
 * up. Of processor time: a busy machine measures the same.
 */
function best(plan: Plan, withEvents: boolean, size: number): number {
  const drives = Math.ceil(1000 / size);
  const measured = Array.from({ length: Math.max(10, Math.ceil(60_000 / (drives * size))) }, () => {
    let count = 0;
    const started = process.cpuUsage();
    for (let n = 0; n < drives; n++) count += drive(plan, withEvents);
    const { user, system } = process.cpuUsage(started);
    return (user + system) / count;
  });
  return Math.min(...measured);
}

const sequential = (n: number): string =>
  head +
  Array.from({ length: n }, (_, i) => {
    const next = i + 1 < n ? `\n  next: {arcs: [{step: s${i + 1}}]}` : '';
    return `- step: ${i === 0 ? 'start' : `s${i}`}\n  tool: {kind: python, input: {a: "{{ workload.x }}"}, code: "result = 1"}${next}`;
  }).join('\n');

const loop = (n: number): string =>
  `${head}- step: start\n  loop: {in: "{{ range(${n}) | list }}", iterator: i}\n  tool: {kind: python, input: {a: "{{ iter.i }}"}, code: "result = 1"}`;

export function benchEngine(): Promise<void> {
  for (const [name, make, sizes] of [
    ['steps', sequential, [10, 100, 1000, 10_000]],
    ['iterations', loop, [10, 1000, 10_000, 100_000]],
  ] as const) {
    for (const size of sizes) {
      const plan = planOf(make(size));
      const [us, withEvents] = [false, true].map((events) => best(plan, events, size)) as [number, number];
      const second = Math.round(1e6 / us).toLocaleString('en');
      console.log(
        `${String(size).padStart(7)} ${name.padEnd(11)} ${us.toFixed(2)} us an input, ${second} inputs a second; ${withEvents.toFixed(2)} us with events`,
      );
    }
  }
  return Promise.resolve();
}
