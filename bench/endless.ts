/**
 * What playbooks that go on without a worker and without end are charged, beside the time that they take: what is charged
 * too little makes workflow tasks too long, and the others wait. Without Temporal. The exit code is 1 if one way takes more
 * than six times as long for a unit as is usual.
 */
import { planOf } from './compare/setting';
import { type Input, Machine } from '../src/engine/machine';

const noop = '{kind: noop}';
const rules = (then: string): string => `spec: {policy: {rules: [{when: "{{ true }}", then: ${then}}]}}`;
/** In every way in which a step, or a task of it, comes back to itself without a worker. */
const ENDLESS: Readonly<Record<string, string>> = {
  'an arc': `- step: start\n  tool: ${noop}\n  next: {arcs: [{step: b}]}\n- step: b\n  tool: ${noop}\n  next: {arcs: [{step: start}]}`,
  'a guarded arc': `- step: start\n  tool: ${noop}\n  set: {ctx.n: "{{ (ctx.n or 0) + 1 }}"}\n  next: {arcs: [{step: start, when: "{{ ctx.n > 0 }}"}, {step: end}]}\n- step: end\n  tool: ${noop}`,
  'an inclusive router': `- step: start\n  tool: ${noop}\n  set: {ctx.n: "{{ (ctx.n or 0) + 1 }}"}\n  next: {spec: {mode: inclusive}, arcs: [{step: start, when: "{{ ctx.n < 1000000 }}"}, {step: b}]}\n- step: b\n  tool: ${noop}\n  next: {arcs: [{step: start}]}`,
  'an arc of a case': `- step: start\n  tool: ${noop}\n  case: [{when: "{{ event.name == 'step.exit' }}", then: {next: [{step: start}]}}]`,
  'a call of a case': `- step: start\n  tool: ${noop}\n  case: [{when: "{{ event.name == 'call.done' }}", then: {call: true}}]`,
  'a retry': `- step: start\n  tool: ${noop}\n  retry: {max_attempts: 1000000, initial_delay: 0, retry_when: "{{ true }}"}`,
  'a repetition of a policy': `- step: start\n  tool: {kind: noop, ${rules('{do: retry, attempts: 1000000, delay: 0}')}}`,
  'a jump': `- step: start\n  tool:\n  - {name: a, kind: noop}\n  - {name: b, kind: noop, ${rules('{do: jump, to: a}')}}`,
  'a loop': `- step: start\n  loop: {in: "{{ range(100000) | list }}", iterator: i}\n  tool: {kind: noop, input: {n: "{{ i }}"}}\n  next: {arcs: [{step: start}]}`,
};
/** Milliseconds of work that are measured; before, the compiler has seen it all. */
const [WARM_MS, MEASURED_MS] = [1000, 2000];
const TIMES_THE_USUAL = 6;

/** Microseconds for each unit that is charged. */
function timePerUnit(yaml: string): number {
  const plan = planOf(`workflow:\n${yaml}\n`);
  let [units, ms] = [0, 0];
  for (const most of [WARM_MS, MEASURED_MS])
    for ([units, ms] = [0, 0]; ms < most;) {
      const machine = Machine.create(plan, '1');
      let inputs: Input[] = [{ type: 'started', payload: {} }];
      for (let at = 0; inputs.length > 0 && ms < most; at += 1) {
        const began = performance.now();
        const commands = machine.advance({ at, inputs });
        ms += performance.now() - began;
        units += machine['context'].spent;
        inputs = commands.flatMap((command) =>
          command.type === 'startTimer' ? [{ type: 'timerFired' as const, key: command.key }] : [],
        );
      }
    }
  return (ms * 1000) / units;
}

export function benchEndless(): Promise<void> {
  const times = Object.entries(ENDLESS).map(([name, yaml]) => ({ name, time: timePerUnit(yaml) }));
  const usual = times.map(({ time }) => time).sort((a, b) => a - b)[times.length >> 1]!;
  for (const { name, time } of times) {
    const ratio = time / usual;
    console.log(
      `${name.padEnd(28)} ${(time * 1000).toFixed(0).padStart(5)} ns a unit, ${ratio.toFixed(2)} of the usual`,
    );
    if (ratio > TIMES_THE_USUAL) process.exitCode = 1;
  }
  return Promise.resolve();
}
