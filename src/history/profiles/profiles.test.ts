import fs from 'node:fs';
import path from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import { eventSchema } from '../../../test/support/event-schemas';
import { enveloped } from '../../../test/support/envelopes';
import { httpError, playbookOf, simulate, type SimulationOptions } from '../../../test/support/simulator';
import { type EngineEvent } from '../../engine/machine';
import { type CanonicalEvent, eventName } from '../events';
import { EXTENDED_NAMES, FORMAL_TYPES, PROFILE_NAMES, PROFILES, type ProfileName, type Row } from '.';

const RUNS: readonly [string, SimulationOptions][] = [
  [
    playbookOf(`
- step: start
  spec: {policy: {admit: {rules: [{when: "{{ workload.go | default(true) }}", then: {allow: true}}]}}}
  tool:
    kind: http
    url: http://x
    spec: {policy: {rules: [{when: "{{ output.status == 'error' }}", then: {do: retry, attempts: 3, delay: 1}}]}}
  set: {ctx.seen: true}
  next: {spec: {mode: inclusive}, arcs: [{step: a}, {step: b}, {step: never}]}
- step: a
  loop: {in: [1, 2], iterator: n}
  tool: {kind: python, code: "result = 1"}
  next: {arcs: [{step: end}]}
- step: b
  tool: {kind: python, code: "result = 1"}
  next: {arcs: [{step: end}]}
- step: never
  spec: {policy: {admit: {rules: [{when: "{{ false }}", then: {allow: true}}]}}}
  tool: {kind: noop}
- step: end
  tool: {kind: noop}`),
    {
      mocks: { start: { sequence: [httpError(503), 1] } },
      inject: {
        1: [{ type: 'paused' }, { type: 'variablesSet', variables: { v: 1 } }],
        2: [{ type: 'resumed' }, { type: 'variablesDeleted', names: ['v'] }],
      },
    },
  ],
  [
    playbookOf(`
- step: start
  loop: {in: [1, 2], iterator: n}
  tool: {kind: http, url: http://x}`),
    { mocks: { start: httpError(404) } },
  ],
  [
    playbookOf(`
- step: start
  tool: {kind: http, url: http://x}
  retry: {max_attempts: 3, initial_delay: 1}
  case:
    - when: "{{ event.name == 'call.done' }}"
      then: {log: done, sink: {tool: {kind: python, code: "result = 1"}}}`),
    { mocks: { 'start/start_task': { sequence: [httpError(503), 1] } } },
  ],
  [
    playbookOf(`\n- step: start\n  tool: {kind: http, url: http://x}`),
    { inject: { 1: [{ type: 'cancelRequested', reason: 'enough' }] } },
  ],
];
const runs: CanonicalEvent[][] = RUNS.map(([playbook, options]) =>
  enveloped(simulate(playbook, options).events as EngineEvent[]),
);

function rowsOf(profile: ProfileName): Row[][] {
  return runs.map((events) => events.flatMap(PROFILES[profile].project()));
}

describe.each(PROFILE_NAMES)('profile %s', (name) => {
  const validate = new Ajv2020({ allErrors: true, validateFormats: false }).compile(
    eventSchema(name) as object,
  );

  it('writes rows that its schema accepts, each with an id of its own', () => {
    for (const rows of rowsOf(name)) {
      for (const row of rows) {
        validate(JSON.parse(JSON.stringify(row)));
        expect({ row, errors: validate.errors }).toEqual({ row, errors: null });
      }
      expect(new Set(rows.map((row) => row['event_id'])).size).toBe(rows.length);
    }
  });

  it('has a schema that refuses a row without its execution, and one with a field of its own making', () => {
    const [[row]] = rowsOf(name) as [[Row]];
    const { execution_id, ...without } = row;
    expect(validate(without)).toBe(false);
    expect(validate({ ...without, execution_id, colour: 'red' })).toBe(false);
  });

  it(`keeps docs/reference/events/${name}.schema.json (UPDATE_REFERENCE=1 writes it)`, () => {
    const file = path.resolve(__dirname, `../../../docs/reference/events/${name}.schema.json`);
    const schema = `${JSON.stringify(eventSchema(name), null, 2)}\n`;
    if (process.env.UPDATE_REFERENCE) {
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, schema);
    }
    expect(fs.readFileSync(file, 'utf8')).toBe(schema);
  });
});

test('formal tells every event type that S1 §12.2 names, and no other', () => {
  const told = new Set(rowsOf('formal').flatMap((rows) => rows.map((row) => row['event_type'])));
  expect([...told].sort()).toEqual([...FORMAL_TYPES].sort());
});

test('formal pairs what begins with what ends', () => {
  const pairs = { 'step.started': 'step.finished', 'tool.started': 'tool.processed' };
  const more = { 'loop.started': 'loop.finished', 'retry.started': 'retry.processed' };
  for (const rows of rowsOf('formal').slice(0, 2)) {
    const count = (type: string, status?: string): number =>
      rows.filter((row) => row['event_type'] === type && (status === undefined || row['status'] !== status))
        .length;
    for (const [begins, ends] of Object.entries({ ...pairs, ...more }))
      expect([begins, count(begins)]).toEqual([begins, count(ends, 'skipped')]);
  }
});

test('extended tells every name that S2 §9.2 lists, and the names that conditions use', () => {
  const rows = rowsOf('extended').flat();
  const told = new Set(rows.map((row) => row['name']));
  expect(EXTENDED_NAMES.filter((name) => !told.has(name))).toEqual([]);
  const aliases = Object.fromEntries(
    rows.flatMap((row) => (row['alias'] ? [[row['name'], row['alias']]] : [])),
  );
  expect(aliases).toEqual({
    StepStarted: 'step.enter',
    ToolCompleted: 'call.done',
    ToolErrored: 'call.error',
    StepCompleted: 'step.exit',
    StepErrored: 'step.exit',
  });
});

test('extended has the entities and statuses of S2 §9.1 only, and the sources of S2 §9.2', () => {
  const rows = rowsOf('extended').flat();
  const of = (field: string): Set<unknown> => new Set(rows.map((row) => row[field]));
  const entities = ['playbook', 'workflow', 'step', 'tool', 'loop', 'retry', 'sink'];
  expect([...of('entity')].filter((entity) => !entities.includes(entity as string))).toEqual([]);
  const [control, data] = [EXTENDED_NAMES.slice(0, 8), EXTENDED_NAMES.slice(8)];
  for (const { name, source } of rows as { name: never; source: string }[]) {
    if (control.includes(name)) expect([name, source]).toEqual([name, 'server']);
    if (data.includes(name)) expect([name, source]).toEqual([name, 'worker']);
  }
});

test('canonical tells every event type of S3 §9 and S4 §8, with the name S2 would give it', () => {
  const rows = rowsOf('canonical').flat();
  const told = new Set(rows.map((row) => row['event_type']));
  const specified = [
    ...['token.created', 'token.enqueued', 'token.claimed', 'step.scheduled', 'step.started', 'step.done'],
    ...['step.failed', 'task.started', 'task.done', 'loop.done', 'next.selected', 'next.enqueued'],
    ...['loop.started', 'loop.iteration.started', 'loop.iteration.done', 'loop.iteration.failed'],
  ];
  expect(specified.filter((type) => !told.has(type))).toEqual([]);
  for (const row of rows) expect(row['name']).toBe(eventName(row['event_type'] as string));
});
