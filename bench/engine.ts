/**
 * Speed of the pure engine: inputs a second, and how the cost of one grows with the plan or the loop. As the workflow
 * drives it, without events; and with events, as exports do.
 *
 * Ten steps stay in the processor's caches; ten thousand are 14 MB of plan, of which every input reads a part that was
 * not read before. How much that is shows the same engine on as many steps with one step's parts (`shared`): it does
 * the same, and ends with the same state.
 */
import { compile, formatDiagnostics } from '../src/dsl';
import { type Input, Machine } from '../src/engine';
import { type Outcome, type Plan } from '../src/plan';
import { bytesHeld } from './heap';

const head =
  'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: bench, path: bench/bench}\nworkflow:\n';
const outcome: Outcome = { status: 'ok', result: { n: 1 }, error: null, meta: {} };

/** As a workflow has it in its input. */
function jsonOf(yaml: string): string {
  const { plan, diagnostics } = compile(yaml);
  if (!plan) throw new Error(formatDiagnostics(diagnostics, yaml));
  return JSON.stringify(plan);
}

/** The plan, with the parts of its second step in all others: only names and targets differ. */
function withSharedParts(plan: Plan): Plan {
  const [, second] = plan.steps;
  const steps = plan.steps.map(({ name, router }) => {
    const arcs = router?.arcs.map(({ step }) => ({ ...second!.router!.arcs[0]!, step }));
    return { ...second!, name, router: arcs && { ...second!.router!, arcs } };
  });
  return { ...plan, steps };
}

/** Settles every task at once; returns how many inputs that took. */
function drive(machine: Machine, withEvents: boolean): number {
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
  if (machine.status !== 'completed') throw new Error(`the run ended as ${machine.status}`);
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

/** What is measured: which plan, and whether events are wanted. */
const PROGRAMS = {
  engine: { planOf: (plan: Plan) => plan, withEvents: false },
  'with events': { planOf: (plan: Plan) => plan, withEvents: true },
  shared: { planOf: withSharedParts, withEvents: false },
} as const;

type Program = keyof typeof PROGRAMS;

const SERIES = [
  {
    name: 'steps',
    yaml: sequential,
    sizes: [10, 100, 1000, 10_000],
    programs: ['engine', 'with events', 'shared'],
  },
  { name: 'iterations', yaml: loop, sizes: [10, 1000, 10_000, 100_000], programs: ['engine', 'with events'] },
] as const;

const ROUNDS = 12;

/**
 * Microseconds an input, by size: the best of some rounds, which take the sizes in turn, so that what else the machine
 * does meets all alike. Each measurement is of as many inputs as the largest size has, so that warming up is too. Of
 * processor time, all threads: a busy machine measures nearly the same.
 */
function best(program: Program, given: readonly Plan[], inputs: number): number[] {
  const { planOf, withEvents } = PROGRAMS[program];
  const plans = given.map(planOf);
  const found = plans.map(() => Infinity);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [position, plan] of plans.entries()) {
      let count = 0;
      const started = process.cpuUsage();
      while (count < inputs) count += drive(Machine.create(plan, '1'), withEvents);
      const { user, system } = process.cpuUsage(started);
      found[position] = Math.min(found[position]!, (user + system) / count);
    }
  }
  return found;
}

/** Bytes of heap that a step or an iteration takes: in the plan, and in the state once it is done. */
function memoryOf(json: string, size: number): string {
  let plan: Plan;
  const ofPlan = bytesHeld(() => (plan = JSON.parse(json) as Plan));
  const ofState = bytesHeld(() => {
    const machine = Machine.create(plan, '1');
    drive(machine, false);
    return machine;
  });
  const [inPlan, inState] = [ofPlan, ofState].map((bytes) => Math.max(0, Math.round(bytes / size)));
  return `${inPlan} bytes of heap each in the plan, ${inState} in the state beside what tools returned`;
}

export function benchEngine(): Promise<void> {
  for (const { name, yaml, sizes, programs } of SERIES) {
    const jsons = sizes.map((size) => jsonOf(yaml(size)));
    const plans = jsons.map((json) => JSON.parse(json) as Plan);
    const measured = programs.map((program) => ({ program, us: best(program, plans, Math.max(...sizes)) }));
    for (const [position, size] of sizes.entries()) {
      const [engine, ...others] = measured.map(({ program, us }) => ({ program, us: us[position]! }));
      const second = Math.round(1e6 / engine!.us).toLocaleString('en');
      const beside = others.map(({ program, us }) => `${us.toFixed(2)} us ${program}`).join(', ');
      console.log(
        `${String(size).padStart(7)} ${name.padEnd(11)} ${engine!.us.toFixed(2)} us an input, ${second} inputs a second; ${beside}`,
      );
    }
    console.log(`        ${name.padEnd(11)} ${memoryOf(jsons.at(-1)!, sizes.at(-1)!)}`);
  }
  return Promise.resolve();
}
