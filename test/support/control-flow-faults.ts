/** Sound playbooks at random, and faults planted in them that no reading of a single step shows. */
import { parse, stringify } from 'yaml';

export type Random = () => number;

/** mulberry32 */
export function seeded(seed: number): Random {
  let a = seed;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface Arc {
  step: string;
  when?: string;
  [more: string]: unknown;
}
export interface Step {
  step: string;
  tool?: Record<string, unknown>;
  next?: { spec?: { mode: string }; arcs: Arc[] };
  /** What a fault can be planted in; removed from the text. */
  role?: string;
  [more: string]: unknown;
}

const http = (name: string, more: object = {}): Step => ({
  step: name,
  tool: { kind: 'http', url: `https://example.com/${name}`, ...more },
});
const to = (step: string, when?: string): Arc => ({ step, ...(when && { when }) });

/** A part of a playbook, given its number and the step that follows it. */
type Part = (n: number, next: string) => Step[];

const PARTS: readonly Part[] = [
  (n, next) => [{ ...http(`call${n}`), next: { arcs: [to(next)] }, role: 'chain' }],
  (n, next) => [
    {
      ...http(`ask${n}`),
      next: {
        arcs: [
          to(`low${n}`, `{{ ask${n}.count < 10 }}`),
          to(`high${n}`, `{{ ask${n}.count >= 10 }}`),
          to(next),
        ],
      },
      role: 'choice',
    },
    { ...http(`low${n}`), next: { arcs: [to(next)] }, role: 'branch' },
    { ...http(`high${n}`), next: { arcs: [to(next)] }, role: 'branch' },
  ],
  (n, next) => [
    {
      ...http(`split${n}`),
      next: { spec: { mode: 'inclusive' }, arcs: [to(`left${n}`), to(`right${n}`, `{{ split${n}.wide }}`)] },
      role: 'fork',
    },
    {
      ...http(`left${n}`),
      set: { [`ctx.left${n}`]: `{{ left${n}.id }}` },
      next: { arcs: [to(next)] },
      role: 'left',
    },
    {
      ...http(`right${n}`),
      set: { [`ctx.right${n}`]: `{{ right${n}.id }}` },
      next: { arcs: [to(next)] },
      role: 'right',
    },
  ],
  (n, next) => [
    {
      ...http(`poll${n}`),
      next: { arcs: [to(next, `{{ poll${n}.state == 'done' }}`), to(`sleep${n}`)] },
      role: 'poll',
    },
    { step: `sleep${n}`, tool: { kind: 'wait', for: 5 }, next: { arcs: [to(`poll${n}`)] } },
  ],
  (n, next) => [
    {
      ...http(`page${n}`, { params: { page: `{{ ctx.page${n} | default(1) }}` } }),
      set: { [`ctx.page${n}`]: `{{ (ctx.page${n} | default(1)) + 1 }}` },
      next: { arcs: [to(`page${n}`, `{{ ctx.page${n} < 20 }}`), to(next)] },
      role: 'pages',
    },
  ],
  (n, next) => [
    {
      step: `approve${n}`,
      tool: { kind: 'wait', event: `approved${n}`, when: '{{ event.payload.amount > 5 }}', timeout: 60 },
      next: {
        arcs: [
          to(next, "{{ event.name == 'step.done' }}"),
          to(`late${n}`, "{{ event.name == 'step.failed' }}"),
        ],
      },
      role: 'wait',
    },
    { ...http(`late${n}`), next: { arcs: [to(next)] } },
  ],
  (n, next) => [
    {
      ...http(`try${n}`),
      next: { arcs: [to(`repair${n}`, "{{ event.name == 'step.failed' }}"), to(next)] },
      role: 'handled',
    },
    { ...http(`repair${n}`), next: { arcs: [to(next)] }, role: 'branch' },
  ],
  (n, next) => [
    {
      step: `each${n}`,
      loop: { in: '{{ workload.rows }}', iterator: 'row' },
      tool: { kind: 'http', url: 'https://example.com/{{ row }}' },
      next: { arcs: [to(next)] },
      role: 'chain',
    },
  ],
  (n, next) => [
    {
      step: `retry${n}`,
      tool: {
        kind: 'http',
        url: `https://example.com/retry${n}`,
        spec: {
          policy: {
            rules: [
              {
                when: "{{ outcome.status == 'error' and outcome.error.retryable }}",
                then: { do: 'retry', attempts: 3, delay: 1 },
              },
              { when: "{{ outcome.status == 'error' }}", then: { do: 'fail' } },
              { else: { then: { do: 'continue' } } },
            ],
          },
        },
      },
      next: { arcs: [to(next)] },
      role: 'policy',
    },
  ],
];

/** A sound playbook of about this many steps. */
export function soundPlaybook(random: Random, size: number): Step[] {
  const parts: Part[] = [];
  for (let steps = 2; steps < size;) {
    const part = PARTS[Math.floor(random() * PARTS.length)]!;
    parts.push(part);
    steps += part(0, '').length;
  }
  const entries = parts.map((part, n) => part(n, '')[0]!.step);
  return [
    { step: 'start', tool: { kind: 'noop' }, next: { arcs: [to(entries[0] ?? 'end')] } },
    ...parts.flatMap((part, n) => part(n, entries[n + 1] ?? 'end')),
    { step: 'end', tool: { kind: 'noop' } },
  ];
}

export function textOf(steps: readonly Step[]): string {
  const workflow = steps.map(({ role: _role, ...step }) => step);
  return stringify({
    apiVersion: 'noetl.io/v2',
    kind: 'Playbook',
    metadata: { name: 'planted', path: 'test/planted' },
    workload: { rows: [1, 2], limit: 3 },
    workflow,
  });
}

/** A fault: changes the steps in place. Returns false if there is no place for it. */
export interface Fault {
  readonly name: string;
  /** Codes of which one must be reported. */
  readonly codes: readonly string[];
  plant(steps: Step[], random: Random): boolean;
}

const IMPOSSIBLE: readonly ((step: string) => string)[] = [
  () => '{{ 1 > 2 }}',
  (step) => `{{ ${step}.state == 'a' and ${step}.state == 'b' }}`,
  (step) => `{{ ${step}.count > 10 and ${step}.count < 5 }}`,
  (step) => `{{ ${step}.flag and not ${step}.flag }}`,
  () => '{{ workload.limit in [1, 2] and workload.limit > 2 }}',
];

function pick<T>(list: readonly T[], random: Random): T | undefined {
  return list[Math.floor(random() * list.length)];
}

/** Plants in a step with one of these roles. */
function inRole(
  roles: readonly string[],
  change: (step: Step, steps: Step[], random: Random) => void,
): Fault['plant'] {
  return (steps, random) => {
    const step = pick(
      steps.filter(({ role }) => role !== undefined && roles.includes(role)),
      random,
    );
    if (step) change(step, steps, random);
    return step !== undefined;
  };
}

const never = (step: Step, random: Random): string => pick(IMPOSSIBLE, random)!(step.step);
const arcs = (step: Step): Arc[] => step.next!.arcs;
const UNREACHED = ['ARC_NEVER_TAKEN', 'STEP_NEVER_RUNS', 'END_NEVER_REACHED', 'NEVER_COMPLETES'];

export const FAULTS: readonly Fault[] = [
  {
    name: 'removed arc',
    codes: UNREACHED,
    plant: inRole(['choice', 'fork', 'handled', 'chain'], (step, _steps, random) => {
      const at = Math.floor(random() * Math.min(2, arcs(step).length));
      if (arcs(step).length === 1) delete step.next;
      else step.next!.arcs.splice(step.role === 'handled' ? 0 : at, 1);
    }),
  },
  {
    name: 'impossible guard',
    codes: UNREACHED,
    plant: inRole(
      ['choice'],
      (step, _steps, random) => void (arcs(step)[Math.floor(random() * 2)]!.when = never(step, random)),
    ),
  },
  {
    name: 'join on an arc that never fires',
    codes: UNREACHED,
    plant: inRole(['fork'], (step, _steps, random) => void (arcs(step)[1]!.when = never(step, random))),
  },
  {
    name: 'admission that always refuses',
    codes: ['STEP_NEVER_RUNS', 'RULE_NEVER_MATCHES', 'NEVER_COMPLETES'],
    plant: inRole(['branch', 'left', 'right'], (step) => {
      step['spec'] = {
        policy: {
          admit: {
            rules: [
              { when: '{{ workload.limit > 5 and workload.limit < 3 }}', then: { allow: true } },
              { else: { then: { allow: false } } },
            ],
          },
        },
      };
    }),
  },
  {
    name: 'event nobody sends',
    codes: ['WAITS_FOR_OUTSIDE', 'WAITS_FOR_EVER'],
    plant: inRole(['wait'], (step) => void delete step.tool!['timeout']),
  },
  {
    name: 'event that never satisfies',
    codes: ['WAITS_FOR_EVER', 'ARC_NEVER_TAKEN'],
    plant: inRole(['wait'], (step, _steps, random) => {
      step.tool!['when'] = '{{ event.payload.amount > 5 and event.payload.amount < 2 }}';
      if (random() < 0.5) delete step.tool!['timeout'];
    }),
  },
  {
    name: 'cycle without exit',
    codes: ['CYCLE_WITHOUT_EXIT'],
    plant: inRole(['poll'], (step, _steps, random) => void (arcs(step)[0]!.when = never(step, random))),
  },
  {
    name: 'counter that never counts',
    codes: ['CYCLE_WITHOUT_EXIT'],
    plant: inRole(['pages'], (step) => {
      const key = Object.keys(step['set'] as object)[0]!;
      step['set'] = { [key]: 1 };
    }),
  },
  {
    name: 'arc back to an earlier step',
    codes: ['CYCLE_WITHOUT_EXIT'],
    plant: (steps, random) => {
      const chain = steps.filter(({ role }) => role === 'chain');
      const step = pick(chain, random);
      if (!step) return false;
      step.next = { arcs: [to(steps[1]!.step)] };
      return true;
    },
  },
  {
    name: 'double writer',
    codes: ['CTX_RACE'],
    plant: inRole(['left'], (step, steps) => {
      const right = steps.find((one) => one.step === step.step.replace('left', 'right'))!;
      step['set'] = { 'ctx.shared': `{{ ${step.step}.id }}` };
      right['set'] = { 'ctx.shared': `{{ ${right.step}.id }}` };
    }),
  },
  {
    name: 'reader beside a writer',
    codes: ['CTX_RACE'],
    plant: inRole(['left'], (step, steps) => {
      const right = steps.find((one) => one.step === step.step.replace('left', 'right'))!;
      right.tool!['params'] = { of: `{{ ctx.${step.step} | default(0) }}` };
    }),
  },
  {
    name: 'arc hidden by an earlier one',
    codes: UNREACHED,
    plant: inRole(['choice', 'poll'], (step) => void step.next!.arcs.reverse()),
  },
  {
    name: 'rule hidden by an earlier one',
    codes: ['RULE_NEVER_MATCHES'],
    plant: inRole(['policy'], (step) => {
      const { rules } = (step.tool!['spec'] as { policy: { rules: { when?: string; then: unknown }[] } })
        .policy;
      [rules[0], rules[1]] = [rules[1]!, rules[0]!];
    }),
  },
  {
    name: 'step that always fails',
    codes: ['ALWAYS_FAILS', 'NEVER_COMPLETES'],
    plant: inRole(['chain'], (step) => {
      step['loop'] = { in: '{{ 5 }}', iterator: 'row' };
    }),
  },
];

/** A deep copy, with roles. */
export function copyOf(steps: readonly Step[]): Step[] {
  return parse(stringify(steps)) as Step[];
}
