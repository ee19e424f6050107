/**
 * Playbooks of features that other generators leave out, with edits made for each of them, written from the user pages alone:
 * cursor loops, agents, forms, pools, limits, sub-playbooks, keychains, joins, compensation.
 */
import { type parse, stringify } from 'yaml';
import { seeded } from '../../test/support/control-flow-faults';

type Data = Record<string, ReturnType<typeof parse>>;
/** The name of an edit, and what it does to a copy of the playbook. */
export type Edit = readonly [kind: string, change: (playbook: Data) => void];

interface Part {
  readonly steps: readonly Data[];
  /** Where tokens leave it. */
  readonly exits: readonly string[];
  /** Edits of its own steps, by name. */
  readonly edits: readonly (readonly [string, (step: (name: string) => Data, playbook: Data) => void])[];
  readonly keychain?: readonly Data[];
  readonly executor?: Data;
}

const API = 'https://api.example.com';

type Feature = (n: number, random: () => number) => Part;

const arcs = (...list: Data[]): Data => ({ spec: { mode: 'exclusive' }, arcs: list });
const DONE = "{{ event.name == 'step.done' }}";
const FAILED = "{{ event.name == 'step.failed' }}";

const cursor: Feature = (n) => ({
  steps: [
    {
      step: `claim${n}`,
      loop: {
        cursor: {
          kind: 'postgres',
          auth: 'pg',
          claim: `UPDATE q${n} SET taken = true WHERE id IN (SELECT id FROM q${n} LIMIT {{ __frame_max_rows }}) RETURNING id, email`,
        },
        iterator: 'row',
        spec: {
          mode: 'cursor',
          max_in_flight: 2,
          frame: { max_rows: 2, row_concurrency: 2 },
          policy: { failure_mode: 'best_effort' },
        },
      },
      tool: [
        {
          name: `mail${n}`,
          kind: 'http',
          method: 'POST',
          url: `${API}/mail/{{ row.email }}`,
          json: { id: '{{ row.id }}' },
        },
        {
          name: `mark${n}`,
          kind: 'postgres',
          auth: 'pg',
          command: `UPDATE q${n} SET done = true WHERE id = $1`,
          params: ['{{ row.id }}'],
        },
      ],
      set: { [`ctx.done${n}`]: `{{ claim${n}.stats.success }}` },
    },
  ],
  exits: [`claim${n}`],
  edits: [
    ['frames of another size', (step) => void (step(`claim${n}`).loop.spec.frame.max_rows = 3)],
    ['another claim', (step) => void (step(`claim${n}`).loop.cursor.claim += ', name')],
    ['a cursor with another credential', (step) => void (step(`claim${n}`).loop.cursor.auth = 'pg_other')],
    ['more slots', (step) => void (step(`claim${n}`).loop.spec.max_in_flight = 3)],
    ['frames as a whole', (step) => void (step(`claim${n}`).loop.spec.frame.process = 'frame')],
    ['rows: another task', (step) => void step(`claim${n}`).tool.pop()],
    ['rows: another parameter', (step) => void (step(`claim${n}`).tool[1].params = ['{{ row.email }}'])],
    [
      'rows: a rule',
      (step) =>
        void (step(`claim${n}`).tool[0].spec = {
          policy: { rules: [{ when: "{{ output.status == 'error' }}", then: { do: 'continue' } }] },
        }),
    ],
    [
      'failures of rows count',
      (step) => void (step(`claim${n}`).loop.spec.policy.failure_mode = 'fail_fast'),
    ],
    [
      'what is written of a cursor',
      (step) => void (step(`claim${n}`).set[`ctx.done${n}`] = `{{ claim${n}.stats.total }}`),
    ],
  ],
});

const agent: Feature = (n) => ({
  steps: [
    {
      step: `ask${n}`,
      tool: {
        kind: 'agent',
        framework: 'noetl',
        entrypoint: `lib/agent${n}`,
        payload: { item: '{{ workload.item }}', count: n },
      },
      next: arcs(
        { step: `unsure${n}`, when: `{{ ask${n}.status == 'error' }}` },
        { step: `sure${n}`, args: { what: `{{ ask${n}.data }}` } },
      ),
    },
    { step: `unsure${n}`, tool: { kind: 'http', url: `${API}/unsure`, params: { n } } },
    {
      step: `sure${n}`,
      tool: { kind: 'python', input: { what: '{{ args.what }}' }, code: 'result = {"kept": what}' },
    },
  ],
  exits: [`unsure${n}`, `sure${n}`],
  edits: [
    ['an agent is asked otherwise', (step) => void (step(`ask${n}`).tool.payload.count = n + 1)],
    ['another agent', (step) => void (step(`ask${n}`).tool.entrypoint += 'x')],
    [
      'failures of an agent',
      (step) => void (step(`ask${n}`).next.arcs[0].when = `{{ ask${n}.status == 'failed' }}`),
    ],
    ['arcs after an agent change places', (step) => void step(`ask${n}`).next.arcs.reverse()],
    ['what an agent said', (step) => void (step(`ask${n}`).next.arcs[1].args.what = `{{ ask${n}.status }}`)],
    ['a version of an agent', (step) => void (step(`ask${n}`).tool.version = '2')],
    ['an agent has less time', (step) => void (step(`ask${n}`).tool.wait_timeout_seconds = 1)],
  ],
});

const form: Feature = (n) => ({
  steps: [
    {
      step: `approve${n}`,
      tool: {
        kind: 'wait',
        event: `approved${n}`,
        timeout: 3600,
        form: {
          title: 'Approve?',
          fields: {
            amount: { type: 'number', required: true, minimum: 0, maximum: 100 },
            note: { type: 'string', maxLength: 50 },
            kind: { type: 'string', default: 'plain' },
          },
        },
      },
      next: arcs(
        {
          step: `paid${n}`,
          when: `{{ event.name == 'step.done' and not approve${n}.rejected }}`,
          args: { amount: `{{ approve${n}.amount }}`, by: `{{ approve${n}.by }}` },
        },
        { step: `no${n}` },
      ),
    },
    {
      step: `paid${n}`,
      tool: {
        kind: 'http',
        method: 'POST',
        url: `${API}/pay`,
        json: { amount: '{{ args.amount }}', by: '{{ args.by }}', kind: `{{ approve${n}.kind }}` },
      },
    },
    { step: `no${n}`, tool: { kind: 'noop' }, set: { [`ctx.refused${n}`]: true } },
  ],
  exits: [`paid${n}`, `no${n}`],
  edits: [
    ['a field has a lower maximum', (step) => void (step(`approve${n}`).tool.form.fields.amount.maximum = 3)],
    [
      'another field is required',
      (step) => void (step(`approve${n}`).tool.form.fields.why = { type: 'string', required: true }),
    ],
    ['another event', (step) => void (step(`approve${n}`).tool.event += 'x')],
    ['a wait ends sooner', (step) => void (step(`approve${n}`).tool.timeout = 2)],
    [
      'another default of a field',
      (step) => void (step(`approve${n}`).tool.form.fields.kind.default = 'other'),
    ],
    ['rejections are taken', (step) => void (step(`approve${n}`).next.arcs[0].when = DONE)],
    ['who approved is not passed on', (step) => void delete step(`approve${n}`).next.arcs[0].args.by],
    ['another title', (step) => void (step(`approve${n}`).tool.form.title = 'Really approve?')],
    ['a form is gone', (step) => void delete step(`approve${n}`).tool.form],
  ],
});

const guardedWait: Feature = (n) => ({
  steps: [
    {
      step: `await${n}`,
      tool: { kind: 'wait', event: `moved${n}`, timeout: 7200, when: '{{ event.payload.n > 3 }}' },
      next: arcs({ step: `went${n}`, when: DONE }, { step: `stayed${n}`, when: FAILED }),
    },
    { step: `went${n}`, tool: { kind: 'python', input: { n: `{{ await${n}.n }}` }, code: 'result = n' } },
    { step: `stayed${n}`, tool: { kind: 'http', url: `${API}/stayed/${n}` } },
  ],
  exits: [`went${n}`, `stayed${n}`],
  edits: [
    ['a wait takes others', (step) => void (step(`await${n}`).tool.when = '{{ event.payload.n > 6 }}')],
    ['a wait takes all', (step) => void delete step(`await${n}`).tool.when],
    ['a guarded wait ends sooner', (step) => void (step(`await${n}`).tool.timeout = 1)],
    ['nothing follows a time-out', (step) => void step(`await${n}`).next.arcs.pop()],
  ],
});

const pool: Feature = (n) => ({
  steps: [
    {
      step: `train${n}`,
      loop: { in: '{{ workload.items }}', iterator: 'item', spec: { mode: 'parallel', max_in_flight: 2 } },
      tool: {
        kind: 'python',
        input: { item: '{{ iter.item }}' },
        code: 'result = {"n": item}',
        spec: { pool: 'gpu' },
      },
      set: { [`ctx.trained${n}`]: `{{ train${n} | length }}` },
    },
  ],
  exits: [`train${n}`],
  edits: [
    ['no pool', (step) => void delete step(`train${n}`).tool.spec.pool],
    ['another pool', (step) => void (step(`train${n}`).tool.spec.pool = 'tpu')],
    ['a pool by an expression', (step) => void (step(`train${n}`).spec = { pool: 'small' })],
    ['other items', (step) => void (step(`train${n}`).loop.in = '{{ workload.items[1:] }}')],
    ['one after the other', (step) => void (step(`train${n}`).loop.spec.mode = 'sequential')],
    [
      'the index instead of the item',
      (step) => void (step(`train${n}`).tool.input.item = '{{ iter._index }}'),
    ],
  ],
});

const limited: Feature = (n) => ({
  steps: [
    {
      step: `call${n}`,
      tool: {
        kind: 'http',
        url: `${API}/limited/${n}`,
        spec: {
          rate_limit: { key: 'api', limit: 5, per: '10s' },
          policy: {
            rules: [
              { when: '{{ output.error.retryable }}', then: { do: 'retry', attempts: 3, delay: 2 } },
              { else: { then: { do: 'continue' } } },
            ],
          },
        },
      },
    },
  ],
  exits: [`call${n}`],
  executor: { spec: { concurrency: { key: '{{ workload.item }}', limit: 1 } } },
  edits: [
    ['fewer attempts', (step) => void (step(`call${n}`).tool.spec.policy.rules[0].then.attempts = 2)],
    ['no attempts', (step) => void step(`call${n}`).tool.spec.policy.rules.shift()],
    [
      'failures fail',
      (step) => void (step(`call${n}`).tool.spec.policy.rules[1].else.then = { do: 'fail', message: 'no' }),
    ],
    ['another rate', (step) => void (step(`call${n}`).tool.spec.rate_limit.limit = 9)],
    [
      'another key of concurrency',
      (_step, playbook) => void (playbook.executor.spec.concurrency.key = 'all'),
    ],
    ['no concurrency', (_step, playbook) => void delete playbook.executor.spec.concurrency],
  ],
});

const child: Feature = (n) => ({
  steps: [
    {
      step: `price${n}`,
      tool: {
        kind: 'playbook',
        path: `lib/price${n}`,
        return_step: 'total',
        timeout: 60,
        input: { item: '{{ workload.item }}', count: '{{ workload.count }}' },
      },
      next: arcs(
        { step: `cheap${n}`, when: `{{ event.name == 'step.done' and price${n}.n < 5 }}` },
        { step: `dear${n}`, when: DONE, args: { n: `{{ price${n}.n }}` } },
        { step: `unpriced${n}`, when: FAILED },
      ),
    },
    { step: `cheap${n}`, tool: { kind: 'noop' }, set: { [`ctx.cheap${n}`]: `{{ price${n}.n }}` } },
    {
      step: `dear${n}`,
      tool: { kind: 'http', method: 'PUT', url: `${API}/dear`, json: { n: '{{ args.n }}' } },
    },
    {
      step: `unpriced${n}`,
      tool: { kind: 'noop' },
      set: { [`ctx.unpriced${n}`]: `{{ price${n}.error.code }}` },
    },
  ],
  exits: [`cheap${n}`, `dear${n}`, `unpriced${n}`],
  edits: [
    ['another step is returned', (step) => void (step(`price${n}`).tool.return_step = 'sum')],
    ['no step is returned', (step) => void delete step(`price${n}`).tool.return_step],
    ['a child is not waited for', (step) => void (step(`price${n}`).tool.wait = false)],
    ['another child', (step) => void (step(`price${n}`).tool.path += 'x')],
    ['a child has less time', (step) => void (step(`price${n}`).tool.timeout = 1)],
    ['a child is given less', (step) => void delete step(`price${n}`).tool.input.count],
    ['a child gets only its inputs', (step) => void (step(`price${n}`).tool.only_inputs = true)],
    [
      'another bound after a child',
      (step) =>
        void (step(`price${n}`).next.arcs[0].when = `{{ event.name == 'step.done' and price${n}.n <= 5 }}`),
    ],
    ['failures of a child', (step) => void step(`price${n}`).next.arcs.pop()],
    ['a version of a child', (step) => void (step(`price${n}`).tool.version = 3)],
  ],
});

const keychain: Feature = (n) => ({
  steps: [{ step: `me${n}`, tool: { kind: 'http', url: `${API}/me/${n}`, auth: `token${n}` } }],
  exits: [`me${n}`],
  keychain: [
    {
      name: `secret${n}`,
      kind: 'secret_manager',
      provider: 'environment',
      map: { client_secret: `CLIENT_${n}` },
    },
    {
      name: `token${n}`,
      kind: 'oauth2',
      endpoint: `${API}/oauth/token`,
      data: { client_id: 'x', client_secret: `{{ keychain.secret${n}.client_secret }}` },
    },
  ],
  edits: [
    [
      'another variable',
      (_step, { keychain: list }) =>
        void (list.find((one: Data) => one.name === `secret${n}`).map.client_secret = 'OTHER'),
    ],
    [
      'another client',
      (_step, { keychain: list }) =>
        void (list.find((one: Data) => one.name === `token${n}`).data.client_id = 'y'),
    ],
    [
      'another endpoint',
      (_step, { keychain: list }) =>
        void (list.find((one: Data) => one.name === `token${n}`).endpoint += '2'),
    ],
    ['without a credential', (step) => void delete step(`me${n}`).tool.auth],
    ['another credential', (step) => void (step(`me${n}`).tool.auth = 'other')],
  ],
});

const joined: Feature = (n) => ({
  steps: [
    {
      step: `fork${n}`,
      tool: { kind: 'python', code: `result = {"n": ${n}}` },
      next: {
        spec: { mode: 'inclusive' },
        arcs: [{ step: `left${n}` }, { step: `right${n}`, when: '{{ workload.count > 1 }}' }],
      },
    },
    {
      step: `left${n}`,
      tool: { kind: 'http', url: `${API}/left/${n}` },
      next: { arcs: [{ step: `both${n}`, args: { left: `{{ left${n}.n }}` } }] },
    },
    {
      step: `right${n}`,
      tool: { kind: 'http', url: `${API}/right/${n}` },
      next: { arcs: [{ step: `both${n}`, args: { right: `{{ right${n}.n }}` } }] },
    },
    {
      step: `both${n}`,
      tool: {
        kind: 'python',
        input: { a: '{{ args.left }}', b: '{{ args.right | default(0) }}' },
        code: 'result = {"a": a, "b": b}',
      },
    },
  ],
  exits: [`both${n}`],
  edits: [
    ['each branch goes on', (step) => void (step(`both${n}`).spec = { policy: { join: 'each' } })],
    ['one branch only', (step) => void (step(`fork${n}`).next.spec.mode = 'exclusive')],
    [
      'another guard of a branch',
      (step) => void (step(`fork${n}`).next.arcs[1].when = '{{ workload.count > 2 }}'),
    ],
    ['a branch is always taken', (step) => void delete step(`fork${n}`).next.arcs[1].when],
    [
      'another argument of a join',
      (step) => void (step(`left${n}`).next.arcs[0].args = { right: `{{ left${n}.n }}` }),
    ],
    ['a branch leads on', (step) => void step(`right${n}`).next.arcs.pop()],
    [
      'another default in a join',
      (step) => void (step(`both${n}`).tool.input.b = '{{ args.right | default(1) }}'),
    ],
  ],
});

const saga: Feature = (n) => ({
  steps: [
    {
      step: `charge${n}`,
      tool: { kind: 'http', method: 'POST', url: `${API}/charges`, json: { item: '{{ workload.item }}', n } },
      next: arcs(
        { step: `ship${n}`, when: DONE },
        { step: `release${n}`, when: FAILED, args: { why: '{{ error.code }}' } },
      ),
    },
    {
      step: `ship${n}`,
      tool: { kind: 'http', method: 'POST', url: `${API}/shipments`, json: { charge: `{{ charge${n}.n }}` } },
      next: arcs(
        { step: `shipped${n}`, when: DONE },
        { step: `refund${n}`, when: FAILED, args: { why: '{{ error.code }}' } },
      ),
    },
    { step: `shipped${n}`, tool: { kind: 'noop' } },
    {
      step: `refund${n}`,
      tool: { kind: 'http', method: 'DELETE', url: `${API}/charges/{{ charge${n}.n }}` },
      next: { arcs: [{ step: `release${n}`, args: { why: '{{ args.why }}' } }] },
    },
    {
      step: `release${n}`,
      tool: { kind: 'python', input: { why: '{{ args.why }}' }, code: 'result = why' },
      set: { [`ctx.undone${n}`]: '{{ args.why }}' },
    },
  ],
  exits: [`shipped${n}`, `release${n}`],
  edits: [
    ['no refund', (step) => void (step(`ship${n}`).next.arcs[1].step = `release${n}`)],
    ['another refund', (step) => void (step(`refund${n}`).tool.method = 'POST')],
    ['a refund whenever it ends', (step) => void delete step(`ship${n}`).next.arcs[1].when],
    ['failures are not undone', (step) => void step(`charge${n}`).next.arcs.pop()],
    ['why is not passed on', (step) => void delete step(`refund${n}`).next.arcs[0].args],
    [
      'a charge is repeated',
      (step) =>
        void (step(`charge${n}`).tool.spec = {
          policy: {
            rules: [{ when: '{{ output.error.retryable }}', then: { do: 'retry', attempts: 2, delay: 1 } }],
          },
        }),
    ],
    ['another amount', (step) => void (step(`charge${n}`).tool.json.n = n + 100)],
    ['a time limit of shipping', (step) => void (step(`ship${n}`).tool.timeout = 0.5)],
  ],
});

const pages: Feature = (n) => ({
  steps: [
    {
      step: `list${n}`,
      tool: { kind: 'http', url: `${API}/list/${n}`, params: { page: '{{ args.page | default(1) }}' } },
      set: { [`ctx.seen${n}`]: `{{ (ctx.seen${n} | default(0)) + 1 }}` },
      next: arcs(
        {
          step: `list${n}`,
          when: `{{ event.name == 'step.done' and list${n}.more and ctx.seen${n} < 4 }}`,
          args: { page: '{{ (args.page | default(1)) + 1 }}' },
        },
        { step: `listed${n}` },
      ),
    },
    { step: `listed${n}`, tool: { kind: 'noop', input: { seen: `{{ ctx.seen${n} }}` } } },
  ],
  exits: [`listed${n}`],
  edits: [
    [
      'fewer pages',
      (step) =>
        void (step(`list${n}`).next.arcs[0].when =
          `{{ event.name == 'step.done' and list${n}.more and ctx.seen${n} < 2 }}`),
    ],
    [
      'pages in other steps',
      (step) => void (step(`list${n}`).next.arcs[0].args.page = '{{ (args.page | default(1)) + 2 }}'),
    ],
    [
      'pages go on after failures',
      (step) => void (step(`list${n}`).next.arcs[0].when = `{{ list${n}.more and ctx.seen${n} < 4 }}`),
    ],
    [
      'another first page',
      (step) => void (step(`list${n}`).tool.params.page = '{{ args.page | default(0) }}'),
    ],
    [
      'pages are counted otherwise',
      (step) => void (step(`list${n}`).set[`ctx.seen${n}`] = `{{ (ctx.seen${n} | default(0)) + 2 }}`),
    ],
  ],
});

const FEATURES: readonly Feature[] = [
  cursor,
  agent,
  form,
  guardedWait,
  pool,
  limited,
  child,
  keychain,
  joined,
  saga,
  pages,
];

/** Edits of the whole that change nothing. */
const HARMLESS: readonly Edit[] = [
  ['= steps in another order', ({ workflow }) => void workflow.push(...workflow.splice(1).reverse())],
  [
    '= keys in another order',
    (playbook) => void playbook.workflow.forEach((step: Data) => reverseKeys(step)),
  ],
  ['= guards in parentheses', (playbook) => eachGuard(playbook, (text) => `{{ (${text}) }}`)],
  ['= guards twice negated', (playbook) => eachGuard(playbook, (text) => `{{ not (not (${text})) }}`)],
  [
    '= a description',
    ({ workflow }) => void workflow.forEach((step: Data, i: number) => (step.desc = `step ${i}`)),
  ],
  ['= an input that nothing reads', ({ workload }) => void (workload.unread = 1)],
  [
    '= a long time limit',
    ({ workflow }) => void workflow.forEach(({ tool }: Data) => isHttp(tool) && (tool.timeout ??= 5_000)),
  ],
  [
    '= a router that says its mode',
    ({ workflow }) =>
      void workflow.forEach(({ next }: Data) => next && (next.spec ??= { mode: 'exclusive' })),
  ],
  [
    '= a literal as a template',
    (playbook) => void (playbook.workload.count = `{{ ${playbook.workload.count} }}`),
  ],
  [
    '= a list of one tool',
    ({ workflow }) =>
      void workflow.forEach((step: Data) => !Array.isArray(step.tool) && (step.tool = [step.tool])),
  ],
];

function isHttp(tool: Data): boolean {
  return !Array.isArray(tool) && tool.kind === 'http';
}

function reverseKeys(data: Data): void {
  for (const [key, value] of Object.entries(data).reverse()) {
    delete data[key];
    data[key] = value;
  }
}

function eachGuard(playbook: Data, by: (text: string) => string): void {
  for (const { next } of playbook.workflow)
    for (const arc of next?.arcs ?? []) {
      const text = /^\{\{(.*)\}\}$/s.exec(arc.when ?? '')?.[1];
      if (text) arc.when = by(text.trim());
    }
}

export interface Foreign {
  readonly name: string;
  readonly playbook: Data;
  readonly edits: readonly Edit[];
}

/** A playbook of three to five features, one after the other. */
export function foreignPlaybook(seed: number): Foreign {
  const random = seeded(seed);
  const drawn = FEATURES.map((feature) => ({ feature, key: random() }))
    .sort((a, b) => a.key - b.key)
    .slice(0, 3 + Math.floor(random() * 3));
  const parts = drawn.map(({ feature }, i) => feature(i + 1, random));
  const firsts = [...parts.map(({ steps }) => String(steps[0]!.step)), 'end'];
  const steps: Data[] = [
    { step: 'start', tool: { kind: 'noop' }, next: { arcs: [{ step: firsts[0] }] } },
    ...parts.flatMap((part, i) =>
      part.steps.map((step) =>
        part.exits.includes(step.step) && !step.next
          ? { ...step, next: { arcs: [{ step: firsts[i + 1] }] } }
          : step,
      ),
    ),
    { step: 'end', tool: { kind: 'noop', input: { ctx: '{{ ctx }}' } } },
  ];
  const keychains = parts.flatMap((part) => part.keychain ?? []);
  const executor = parts.find((part) => part.executor)?.executor;
  const playbook = {
    apiVersion: 'noetl.io/v2',
    kind: 'Playbook',
    metadata: { name: `foreign${seed}`, path: `oracle/foreign${seed}` },
    ...(executor && { executor }),
    ...(keychains.length > 0 && { keychain: keychains }),
    workload: { item: 'rope', count: 2, items: [3, 5, 8] },
    workflow: steps,
  };
  const stepIn = (of: Data) => (name: string) => of.workflow.find((one: Data) => one.step === name);
  const own = parts.flatMap(({ edits }) =>
    edits.map(([kind, change]): Edit => [kind, (copy) => change(stepIn(copy), copy)]),
  );
  return { name: `foreign ${seed}`, playbook, edits: [...own, ...HARMLESS] };
}

export function textOf(playbook: Data): string {
  return stringify(playbook, { lineWidth: 0, aliasDuplicateObjects: false });
}
