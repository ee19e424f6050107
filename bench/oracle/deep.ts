/** `bench -- verify --oracle N`: faults planted into foreign playbooks, for `check --deep`; what it finds in those without any is false. */
import { compile } from '../../src/language/dsl';
import { checkDeep, type DeepCode } from '../../src/offline/proof/deep';
import { type Foreign, foreignPlaybook, textOf } from './playbooks';

type Data = Foreign['playbook'];

/** Steps that stand between two steps of a playbook; the last one leads on. @param on where it leads */
type Fault = readonly [
  code: DeepCode,
  step: string,
  steps: (on: string) => Data[],
  change?: (playbook: Data) => void,
];

const http = (path: string, more: Data = {}): Data => ({
  kind: 'http',
  url: `https://planted.example.com/${path}`,
  ...more,
});
const to = (...arcs: Data[]): Data => ({ spec: { mode: 'exclusive' }, arcs });

const FAULTS: readonly Fault[] = [
  [
    'CYCLE_WITHOUT_EXIT',
    'turn',
    (on) => [
      {
        step: 'turn',
        tool: http('turn'),
        next: to({ step: 'again', when: '{{ turn.n >= 0 or turn.n < 0 or true }}' }, { step: on }),
      },
      { step: 'again', tool: { kind: 'python', code: 'result = 1' }, next: to({ step: 'turn' }) },
    ],
  ],
  [
    'CYCLE_WITHOUT_EXIT',
    'count',
    (on) => [
      {
        step: 'count',
        tool: http('count'),
        set: { 'ctx.counted': '{{ (ctx.counted | default(0)) + 1 }}' },
        next: to({ step: on, when: '{{ ctx.counted < 0 }}' }, { step: 'count' }),
      },
    ],
  ],
  [
    'ALWAYS_FAILS',
    'wrong',
    (on) => [
      {
        step: 'wrong',
        tool: http('wrong'),
        set: { 'ctx.wrong': "{{ [1, 2] | sum('x') + 'y' }}" },
        next: to({ step: on }),
      },
    ],
  ],
  [
    'ARC_NEVER_TAKEN',
    'pick',
    (on) => [
      {
        step: 'pick',
        tool: http('pick'),
        next: to({ step: 'picked', when: '{{ pick.n > 5 and pick.n < 3 }}' }, { step: on }),
      },
      { step: 'picked', tool: { kind: 'noop' }, next: to({ step: on }) },
    ],
  ],
  [
    'ARC_NEVER_TAKEN',
    'cover',
    (on) => [
      {
        step: 'cover',
        tool: http('cover'),
        next: to(
          { step: on, when: '{{ cover.n is defined or cover.n is not defined }}' },
          { step: 'rest', when: '{{ cover.n == 4 }}' },
        ),
      },
      { step: 'rest', tool: { kind: 'noop' }, next: to({ step: on }) },
    ],
  ],
  [
    'RULE_NEVER_MATCHES',
    'rule',
    (on) => [
      {
        step: 'rule',
        tool: http('rule', {
          spec: {
            policy: {
              rules: [
                {
                  when: "{{ output.status == 'error' and output.status == 'ok' }}",
                  then: { do: 'retry', attempts: 2, delay: 1 },
                },
                { else: { then: { do: 'continue' } } },
              ],
            },
          },
        }),
        next: to({ step: on }),
      },
    ],
  ],
  [
    'TASK_NEVER_RUNS',
    'pipe',
    (on) => [
      {
        step: 'pipe',
        tool: [
          {
            name: 'first',
            ...http('first', { spec: { policy: { rules: [{ else: { then: { do: 'break' } } }] } } }),
          },
          { name: 'second', ...http('second') },
        ],
        next: to({ step: on }),
      },
    ],
  ],
  [
    'WAITS_FOR_EVER',
    'never',
    (on) => [
      {
        step: 'never',
        tool: { kind: 'wait', event: 'never', when: '{{ event.payload.n > 5 and event.payload.n < 3 }}' },
        next: to({ step: on }),
      },
    ],
  ],
  [
    'WAITS_FOR_OUTSIDE',
    'outside',
    (on) => [{ step: 'outside', tool: { kind: 'wait', event: 'outside' }, next: to({ step: on }) }],
  ],
  [
    'CTX_RACE',
    'one',
    (on) => [
      {
        step: 'split',
        tool: { kind: 'noop' },
        next: { spec: { mode: 'inclusive' }, arcs: [{ step: 'one' }, { step: 'other' }] },
      },
      { step: 'one', tool: http('one'), set: { 'ctx.raced': '{{ one.n }}' }, next: to({ step: on }) },
      { step: 'other', tool: http('other'), set: { 'ctx.raced': '{{ other.n }}' }, next: to({ step: on }) },
    ],
  ],
  [
    'ROUTER_HOLE',
    'hole',
    (on) => [
      {
        step: 'hole',
        tool: http('hole'),
        next: to({ step: on, when: '{{ hole.n > 5 }}' }, { step: on, when: '{{ hole.n < 5 }}' }),
      },
    ],
  ],
  [
    'REPEATED_AT_MOST_ONCE',
    'once',
    (on) => [
      {
        step: 'once',
        tool: http('once', {
          method: 'POST',
          spec: {
            delivery: 'at_most_once',
            policy: {
              rules: [{ when: '{{ output.error.retryable }}', then: { do: 'retry', attempts: 3, delay: 1 } }],
            },
          },
        }),
        next: to({ step: on }),
      },
    ],
  ],
  [
    'NOT_COMPENSATED',
    'later',
    (on) => [
      { step: 'pay', tool: http('payments', { method: 'POST' }), next: to({ step: 'later' }) },
      { step: 'later', tool: http('later'), next: to({ step: on }) },
    ],
  ],
  [
    'LIMIT_DEADLOCK',
    'self',
    (on) => [{ step: 'self', tool: { kind: 'playbook', path: 'oracle/self' }, next: to({ step: on }) }],
    (playbook) => {
      playbook['metadata'].path = 'oracle/self';
      playbook['executor'] = { spec: { concurrency: { limit: 1 } } };
    },
  ],
  ['END_NEVER_REACHED', 'island', () => [{ step: 'island', tool: { kind: 'noop' } }]],
];

/** Prints what `check --deep` finds. */
export function judgeDeep(count: number, seed: number): void {
  const [missed, falses]: [Map<string, string[]>, Map<string, string[]>] = [new Map(), new Map()];
  let planted = 0;
  let findings = 0;
  for (let i = 0; i < count; i++) {
    const { playbook, name } = foreignPlaybook(seed * 1_000 + i);
    // What a saga leaves behind, when a later step fails, is found rightly.
    const sound = codesIn(playbook, name)?.filter(({ code }) => code !== 'NOT_COMPENSATED');
    for (const one of sound ?? [])
      if (one.severity !== 'info') add(falses, one.code, `${name}: ${one.message}`);
    findings += sound?.filter(({ severity }) => severity !== 'info').length ?? 0;
    for (let n = 0; n < 3; n++) {
      const fault = FAULTS[(i * 3 + n) % FAULTS.length]!;
      const found = codesIn(planting(playbook, fault, i % 2 === 0), name);
      if (!found) continue;
      planted++;
      const [code, step] = fault;
      if (!found.some((one) => one.code === code && one.message.includes(step)))
        add(missed, code, `${name}: ${found.map((one) => `${one.code} ${one.step}`).join(', ')}`);
      const known = new Set((sound ?? []).map((one) => `${one.code} ${one.step}`));
      const own = new Set(['turn', 'again', ...fault[2]('end').map((one) => String(one['step']))]);
      const others = found.filter(
        (one) => one.severity !== 'info' && !known.has(`${one.code} ${one.step}`) && !own.has(one.step),
      );
      // What cannot be reached, or never ends, behind the fault follows from it.
      for (const one of others)
        if (!FOLLOWS.has(one.code)) add(falses, one.code, `${name} with ${code}: ${one.message}`);
      findings += found.filter(({ severity }) => severity !== 'info').length;
    }
  }
  const sum = (map: Map<string, string[]>): number => [...map.values()].flat().length;
  console.log(
    `  deep: ${planted - sum(missed)} of ${planted} planted faults found; ${sum(falses)} of ${findings} findings false`,
  );
  for (const [what, map] of [
    ['missed', missed],
    ['false', falses],
  ] as const)
    for (const [code, list] of map) console.log(`    ${what}: ${list.length} × ${code}, e.g. ${list[0]}`);
}

const FOLLOWS: ReadonlySet<string> = new Set([
  'STEP_NEVER_RUNS',
  'END_NEVER_REACHED',
  'ARC_NEVER_TAKEN',
  'NEVER_COMPLETES',
  'NOT_COMPENSATED',
]);

function add(map: Map<string, string[]>, key: string, text: string): void {
  map.set(key, [...(map.get(key) ?? []), text]);
}

function codesIn(playbook: Data, name: string): ReturnType<typeof checkDeep>['findings'] | undefined {
  const { plan, diagnostics } = compile(textOf(playbook), { file: name });
  if (!plan) console.log(`    invalid: ${name}: ${JSON.stringify(diagnostics[0])}`);
  return plan && checkDeep(plan).findings;
}

/** @param isFirst behind the start; otherwise before the end */
function planting(playbook: Data, [, , steps, change]: Fault, isFirst: boolean): Data {
  const copy = structuredClone(playbook);
  const { workflow } = copy as { workflow: Data[] };
  const start = workflow[0]!;
  const first = start['next'].arcs[0].step as string;
  const own = steps(isFirst ? first : 'end');
  const [entry] = own;
  const isIsland = entry!['step'] === 'island';
  if (isFirst && !isIsland) start['next'].arcs[0].step = entry!['step'];
  else if (!isIsland)
    for (const { next } of workflow)
      for (const arc of next?.arcs ?? []) if (arc.step === 'end') arc.step = entry!['step'];
  workflow.splice(workflow.length - 1, 0, ...own);
  change?.(copy);
  return copy;
}
