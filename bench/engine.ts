/**
 * Speed of the pure engine: inputs a second, and how the cost of one grows with the plan or the loop. As the workflow
 * drives it, without events; and with events, as exports do. Beside it the floor: what memory costs a program that only
 * touches the same things (engine-floor.ts).
 */
import { compile, formatDiagnostics } from '../src/dsl';
import { type Input, Machine } from '../src/engine';
import { type Outcome, type Plan } from '../src/plan';
import { walk } from './engine-floor';

const head =
  'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: bench, path: bench/bench}\nworkflow:\n';
const outcome: Outcome = { status: 'ok', result: { n: 1 }, error: null, meta: {} };

/** As a workflow has it: parsed from the JSON in its input. */
function planOf(yaml: string): Plan {
  const { plan, diagnostics } = compile(yaml);
  if (!plan) throw new Error(formatDiagnostics(diagnostics, yaml));
  return JSON.parse(JSON.stringify(plan)) as Plan;
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
    inputs = [];
    for (const command of commands) {
      if (command.type === 'runTask') {
        inputs.push({ type: 'taskSettled', taskRunId: command.call.task_run_id, outcome });
      } else if (command.type === 'startTimer') inputs.push({ type: 'timerFired', key: command.key });
    }
  }
  if (machine.state.status !== 'completed') throw new Error(`the run ended as ${machine.state.status}`);
  return count;
}

const sequential = (n: number): string =>
  head +
  Array.from({ length: n }, (_, i) => {
    const next = i + 1 < n ? `\n  next: {arcs: [{step: s${i + 1}}]}` : '';
    return `- step: ${i === 0 ? 'start' : `s${i}`}\n  tool: {kind: python, input: {a: "{{ workload.x }}"}, code: "result = 1"}${next}`;
  }).join('\n');

const loop = (n: number): string =>
  `${head}- step: start\n  loop: {in: "{{ range(${n}) | list }}", iterator: i}\n  tool: {kind: python, input: {a: "{{ iter.i }}"}, code: "result = 1"}`;

/** What is measured; each answers how many inputs it took. */
const PROGRAMS = {
  engine: (plan: Plan) => drive(plan, false),
  'with events': (plan: Plan) => drive(plan, true),
  floor: walk,
} as const;

type Program = keyof typeof PROGRAMS;

const SERIES = [
  {
    name: 'steps',
    yaml: sequential,
    sizes: [10, 100, 1000, 10_000],
    programs: ['engine', 'with events', 'floor'],
  },
  { name: 'iterations', yaml: loop, sizes: [10, 1000, 10_000, 100_000], programs: ['engine', 'with events'] },
] as const;

const ROUNDS = 12;

/**
 * Microseconds an input, by size: the best of some rounds, which take the sizes in turn, so that what else the machine
 * does meets all alike. Each measurement is of as many inputs as the largest size has, so that warming up is too. Of
 * processor time, all threads: a busy machine measures nearly the same.
 */
function best(program: Program, plans: readonly Plan[], inputs: number): number[] {
  const found = plans.map(() => Infinity);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [position, plan] of plans.entries()) {
      let count = 0;
      const started = process.cpuUsage();
      while (count < inputs) count += PROGRAMS[program](plan);
      const { user, system } = process.cpuUsage(started);
      found[position] = Math.min(found[position]!, (user + system) / count);
    }
  }
  return found;
}

export function benchEngine(): Promise<void> {
  for (const { name, yaml, sizes, programs } of SERIES) {
    const plans = sizes.map((size) => planOf(yaml(size)));
    const measured = programs.map((program) => ({ program, us: best(program, plans, Math.max(...sizes)) }));
    for (const [position, size] of sizes.entries()) {
      const [engine, ...others] = measured.map(({ program, us }) => ({ program, us: us[position]! }));
      const second = Math.round(1e6 / engine!.us).toLocaleString('en');
      const beside = others.map(({ program, us }) => `${us.toFixed(2)} us ${program}`).join(', ');
      console.log(
        `${String(size).padStart(7)} ${name.padEnd(11)} ${engine!.us.toFixed(2)} us an input, ${second} inputs a second; ${beside}`,
      );
    }
  }
  return Promise.resolve();
}
