/**
 * Speed of the pure engine: inputs per second, and how the cost of one grows with the plan or the loop; without
 * events, as the workflow drives it, and with events, as exports do.
 *
 * Ten steps stay in the processor's caches; ten thousand are 14 MB of plan, of which every input reads a new part.
 * To measure that effect, `shared` runs the same engine on as many steps that share one step's parts: it does the
 * same work, and ends with the same state.
 */
import { compile, formatDiagnostics } from '../src/language/dsl';
import { type Input, Machine } from '../src/engine/machine';
import { type Outcome, type Plan } from '../src/language/plan';
import { bytesHeld } from './heap';

const head =
  'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: bench, path: bench/bench}\nworkflow:\n';
const outcome: Outcome = { status: 'ok', result: { n: 1 }, error: null, meta: {} };

/** As in the workflow's input. */
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

/** Settles every task at once; returns the number of inputs. */
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

/** The measured programs: the plan, and whether events are produced. */
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
 * Microseconds per input, by size: the best of several rounds, which alternate the sizes, so that other load
 * affects all alike. Each measurement has as many inputs as the largest size, so warm-up is equal too. CPU time of
 * all threads, which depends little on other load.
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

/** Bytes of heap per step or iteration: in the plan, and in the final state. */
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
