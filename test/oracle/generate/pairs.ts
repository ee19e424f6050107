/** Random pairs of playbooks that have to do the same, each in two spellings. */
import fc from 'fast-check';
import { stringify } from 'yaml';
import { type Dict, dict, list } from '../document';
import { caseBody } from './cases';
import { type Around, canonical, type Sample } from './steps';
import { tool } from './pipelines';
import { defined, pick, sometimes } from './tasks';
import { type Tools, tools } from './world';

export interface Pair {
  readonly one: Sample;
  readonly other: Sample;
}

const AROUND: Around = { name: 'start', later: ['s1', 's2'], earlier: [] };
const AFTER = ['s1', 's2'].map((step) => ({ step, tool: { kind: 'python', code: 'result = 1' } }));

function sample(workflow: readonly Dict[], answers: Tools, head: Dict = {}): Sample {
  const root = { apiVersion: 'noetl.io/v2', kind: 'Playbook', metadata: { name: 'pair', path: 'test/pair' } };
  const text = stringify({ ...root, ...head, workload: { w: 1 }, workflow });
  return { text, tools: answers, payload: {} };
}

const answers = (names: readonly string[]): fc.Arbitrary<Tools> => tools(names);
const TASKS = ['start/start_task', 'start/starta', 'start/startb', 'start/startc', 's1/s1_task'];

/** What is not the same in a loop, by the documents: its value, and that a skipped iteration is one that has ended. */
const READS_VALUE = /response\.|start\.|result|skip|_first|\bitem\b|loop|from|ctx\.t|iter|set_ctx|ctx\.x/;

/** A loop over one item against no loop. */
export const loopOfOne: fc.Arbitrary<Pair> = fc
  .tuple(fc.oneof(canonical(AROUND, undefined), caseBody(AROUND, undefined)), answers(TASKS))
  .map(([body, said]) => {
    const step = { step: 'start', ...withoutValues(body) };
    const loop = { loop: { in: [0], iterator: 'item' } };
    return { one: sample([step, ...AFTER], said), other: sample([{ ...step, ...loop }, ...AFTER], said) };
  });

/** In a loop it acts before the end of the step, and leaves that to the rules behind it (docs/design/rules.md, Case). */
const storesPerIteration = ({ when, then }: Dict): boolean =>
  String(when).includes('step.exit') && /"(sink|collect)"/.test(JSON.stringify(then));

function withoutValues(body: Dict): Dict {
  const rules = list(body['case']).filter(
    (rule) => !READS_VALUE.test(JSON.stringify(rule)) && !storesPerIteration(dict(rule)),
  );
  const next = dict(body['next']);
  // An error that rules let pass is `error` at the arcs of the step, but not at those of its loop.
  const arcs = list(next['arcs']).filter(
    (arc) => !READS_VALUE.test(JSON.stringify(arc)) && !/error (is|==)|error\./.test(JSON.stringify(arc)),
  );
  const { vars: _vars, set: _set, case: _case, ...rest } = body;
  return defined({
    ...rest,
    case: rules.length > 0 ? rules : undefined,
    next: next['arcs'] === undefined ? body['next'] : arcs.length > 0 ? { ...next, arcs } : undefined,
  });
}

interface Way {
  readonly call: string;
  readonly arc: string;
}

const ways: readonly Way[] = [
  { call: "event.name == 'call.error'", arc: "event.name == 'step.failed'" },
  {
    call: "event.name == 'call.error' and error.code == 'E1'",
    arc: "event.name == 'step.failed' and error.code == 'E1'",
  },
  { call: "event.name == 'call.done'", arc: "event.name == 'step.done'" },
  {
    call: "event.name == 'call.done' and response.v >= 2",
    arc: "event.name == 'step.done' and output.data.v >= 2",
  },
  { call: "event.name == 'call.done' and response.more", arc: "event.name == 'step.done' and start.more" },
];

/** `case` and `retry` against arcs and rules of the task (docs/design/language.md). */
export const vocabularies: fc.Arbitrary<Pair> = fc
  .record({
    kind: pick<Dict>({ kind: 'python', code: 'result = 1' }, { kind: 'http', url: 'http://x' }),
    rules: fc.array(
      fc.record({ way: pick(...ways), to: pick('s1', 's2'), set: fc.boolean(), args: fc.boolean() }),
      { minLength: 1, maxLength: 4 },
    ),
    otherwise: sometimes(60, pick('s1', 's2')),
    retry: sometimes(
      50,
      fc.record({ max: fc.integer({ min: 1, max: 4 }), delay: pick(0.5, 1, 2), factor: pick(1, 2) }),
    ),
    said: answers(TASKS),
  })
  .map(({ kind, rules, otherwise, retry, said }) => {
    const to = (step: string, isGiven: boolean): Dict =>
      defined({ step, args: isGiven ? { way: step } : undefined });
    const older = {
      step: 'start',
      tool: kind,
      retry: retry && {
        max_attempts: retry.max,
        initial_delay: retry.delay,
        backoff_multiplier: retry.factor,
      },
      case: rules.map(({ way, to: step, set, args }, index) => ({
        when: `{{ ${way.call} }}`,
        then: defined({ set: set ? { [`x${index}`]: index } : undefined, next: [to(step, args)] }),
      })),
      next: otherwise,
    };
    const arcs = rules.map(({ way, to: step, set, args }, index) =>
      defined({
        ...to(step, args),
        when: `{{ ${way.arc} }}`,
        set: set ? { [`ctx.x${index}`]: index } : undefined,
      }),
    );
    const last =
      otherwise === undefined ? [] : [{ step: otherwise, when: "{{ event.name == 'step.done' }}" }];
    const again = retry && {
      do: 'retry',
      attempts: retry.max,
      delay: retry.delay,
      backoff: retry.factor === 1 ? 'none' : 'exponential',
    };
    const policy = again && { policy: { rules: [{ when: "{{ outcome.status == 'error' }}", then: again }] } };
    const newer = {
      step: 'start',
      tool: defined({ ...kind, spec: policy }),
      next: { arcs: [...arcs, ...last] },
    };
    return { one: sample([defined(older), ...AFTER], said), other: sample([newer, ...AFTER], said) };
  });

/** A loop whose iterations run elsewhere against one whose iterations run in the workflow. */
export function elsewhere(exec: 'distributed' | 'local'): fc.Arbitrary<Pair> {
  const spec = pick<Dict>({}, { mode: 'parallel' }, { mode: 'parallel', max_in_flight: 2 });
  return (
    fc
      .record({
        spec,
        best: fc.boolean(),
        items: pick([1, 2, 3], [5], []),
        all: tool('start', 'item', true),
        said: answers(TASKS),
      })
      // Chunks are simulated one after the other: slots are not shared out in the order of time.
      .filter(({ all }) => !/"wait"|"rate_limit"/.test(JSON.stringify(all)))
      .map(({ spec: own, best, items, all, said }) => {
        const step = (more: Dict): Dict => ({
          step: 'start',
          ...(best && { spec: { policy: { failure: { mode: 'best_effort' } } } }),
          loop: { in: items, iterator: 'item', spec: { ...own, ...more } },
          tool: all,
          next: { arcs: [{ step: 's1', args: { all: '{{ start }}' } }] },
        });
        return {
          one: sample([step({}), AFTER[0]!], said),
          other: sample([step({ policy: { exec } }), AFTER[0]!], said),
        };
      })
  );
}

/** A step that runs twice against two steps. */
export const twice: fc.Arbitrary<Pair> = fc
  .record({
    loop: sometimes(
      40,
      pick<Dict>(
        { in: [1, 2], iterator: 'item' },
        { in: [1, 2, 3], iterator: 'item', spec: { mode: 'parallel' } },
      ),
    ),
    body: fc.oneof(
      fc.record({ tool: tool('start', undefined, false) }),
      caseBody(AROUND, undefined).map(({ tool: one, retry, vars }) => defined({ tool: one, retry, vars })),
    ),
    said: answers(TASKS),
  })
  .map(({ loop, body, said }) => {
    const isCase = Object.hasOwn(dict(body), 'retry') || Object.hasOwn(dict(body), 'vars');
    const step = (name: string, next: unknown): Dict =>
      defined({ step: name, loop, ...body, [isCase ? 'case' : 'next']: next });
    const arcs = (to: string, when: string | undefined, args: Dict | undefined): Dict =>
      isCase
        ? {
            when: `{{ event.name == 'step.done' and ${when ?? 'true'} }}`,
            then: { next: [defined({ step: to, args })] },
          }
        : defined({ step: to, when: when && `{{ ${when} }}`, args });
    const written = (all: readonly Dict[]): unknown => (isCase ? all : { arcs: all });
    const again = written([
      arcs('start', 'args.again is not defined', { again: 1 }),
      arcs('s1', undefined, undefined),
    ]);
    const first = step('start', written([arcs('start2', undefined, { again: 1 })]));
    const second = step('start2', written([arcs('s1', undefined, undefined)]));
    const both = Object.fromEntries(
      Object.entries(said).flatMap(([task, all]) => [
        [task, all],
        [task.replaceAll('start/start_task', 'start2/start2_task').replace(/^start\//, 'start2/'), all],
      ]),
    );
    return {
      one: sample([step('start', again), AFTER[0]!], said),
      other: sample([first, second, AFTER[0]!], both),
    };
  });
