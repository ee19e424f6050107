/** Random loops over claimed rows, and random calls of playbooks for the result of their last call. */
import fc from 'fast-check';
import { stringify } from 'yaml';
import { type Dict } from '../document';
import { type Sample } from './steps';
import { defined, pick, sometimes } from './tasks';
import { tools } from './world';

const again = { when: "{{ output.status == 'error' }}", then: { do: 'retry', attempts: 2, delay: 1 } };
const pass = { when: "{{ output.status == 'error' }}", then: { do: 'continue' } };
const rulesOf = (rules: fc.Arbitrary<Dict[] | undefined>): fc.Arbitrary<Dict | undefined> =>
  rules.map((each) => each && { policy: { rules: each } });

const head = (name: string, workflow: readonly Dict[]): string =>
  stringify({
    ...{ apiVersion: 'noetl.io/v2', kind: 'Playbook', metadata: { name, path: `test/${name}` } },
    ...{ workload: { w: 1, two: 2 }, workflow },
  });

const frame = fc
  .record({
    max_rows: sometimes(80, pick<unknown>(1, 2, 3, '3', '{{ workload.two }}')),
    row_concurrency: sometimes(60, pick<unknown>(1, 2, 3)),
    process: sometimes(30, pick('row', 'frame')),
  })
  .map(defined);

const row = fc
  .record({ spec: rulesOf(sometimes(40, pick<Dict[]>([again], [pass]))), two: fc.boolean() })
  .map(({ spec, two }): unknown => {
    const input = {
      row: '{{ item }}',
      at: '{{ loop_index }}',
      of: '{{ [iter._index, iter._total, iter._frame_index, iter._frame_row_count] }}',
      slot: '{{ iter._worker_slot_id }}',
      place: '{{ iter._frame_row_index | default(-1) }}',
    };
    const one = defined({ name: 'one', kind: 'python', code: 'result = 1', input, spec });
    return two ? [one, { name: 'other', kind: 'python', code: 'x', input: { v: '{{ one.v }}' } }] : [one];
  });

/** One loop over rows, and what follows. */
export const cursorSamples: fc.Arbitrary<Sample> = fc
  .record({
    slots: sometimes(80, pick<unknown>(1, 2, 3, 4, '{{ workload.two }}')),
    frame: sometimes(85, frame),
    claim: rulesOf(sometimes(40, fc.constant([again]))),
    isBestEffort: fc.boolean(),
    tool: row,
    answers: tools(['start/start_claim', 'start/one', 'start/other']),
    next: pick("event.name == 'loop.done'", "event.name in ['step.done', 'step.failed']", 'true'),
  })
  .map(({ slots, frame: frames, claim, isBestEffort, tool, answers, next }) => {
    const command = 'take {{ __frame_max_rows }} for {{ __worker_slot_id }} RETURNING id';
    const cursor = defined({ kind: 'postgres', auth: 'pg', claim: command, spec: claim });
    const spec = defined({ mode: 'cursor', max_in_flight: slots, frame: frames });
    const start = {
      step: 'start',
      ...(isBestEffort && { spec: { policy: { failure: { mode: 'best_effort' } } } }),
      loop: { cursor, iterator: 'item', spec },
      tool,
      next: { arcs: [{ step: 'end', when: `{{ ${next} }}` }] },
    };
    const end = {
      step: 'end',
      tool: {
        kind: 'noop',
        input: { all: '{{ start }}', stats: '{{ start.stats }}', e: '{{ start.error.code }}' },
      },
    };
    return { text: head('cursor', [start, end]), payload: {}, tools: answers };
  });

const NAMES = ['start', 's1', 's2'];

/** A step of a playbook that is called. */
function inner(index: number): fc.Arbitrary<Dict> {
  const [step, next] = [NAMES[index]!, NAMES[index + 1]];
  const python = { kind: 'python', code: 'result = 1' };
  const noop = pick<Dict>({ kind: 'noop' }, { kind: 'noop', input: { v: index } });
  const loop = { in: [1, 2], iterator: 'item' };
  const one = fc.oneof<fc.Arbitrary<Dict>[]>(
    fc.constant({ tool: python }),
    noop.map((tool) => ({ tool })),
    pick<Dict>({ tool: { kind: 'wait', for: 1 } }, {}),
    pick<Dict>({ loop, tool: python }, { loop, tool: { kind: 'noop', input: { i: '{{ item }}' } } }),
    noop.map((tool) => ({
      tool: [
        { name: `${step}a`, ...python },
        { name: `${step}b`, ...tool },
      ],
    })),
  );
  return fc
    .record({ one, isBestEffort: fc.boolean(), isLast: fc.boolean() })
    .map(({ one: body, isBestEffort, isLast }) =>
      defined({
        step,
        spec: isBestEffort ? { policy: { failure: { mode: 'best_effort' } } } : undefined,
        ...body,
        next:
          next === undefined || isLast
            ? undefined
            : { arcs: [{ step: next, when: "{{ event.name in ['step.done', 'step.failed'] }}" }] },
      }),
    );
}

/** Calls of a playbook for the result of its last call. */
export const answerSamples: fc.Arbitrary<Sample> = fc
  .record({
    steps: fc.tuple(...NAMES.map((_, index) => inner(index))),
    asked: pick<Dict>(
      { return_result: true },
      { return_result: true },
      { return_result: true, result_step: 'start' },
      { result_step: 's1' },
      {},
    ),
    answers: tools(NAMES.flatMap((name) => [`${name}/${name}_task`, `${name}/${name}a`])),
  })
  .map(({ steps, asked, answers }) => ({
    text: head('asks', [
      { step: 'start', tool: { kind: 'playbook', path: 'test/answers', ...asked }, next: 'end' },
      { step: 'end', tool: { kind: 'noop', input: { got: '{{ start }}' } } },
    ]),
    payload: {},
    tools: answers,
    children: { 'test/answers': head('answers', steps) },
  }));
