/** Every event that the specifications name, and an execution that produces it. */
import { enveloped } from '../../../test/support/envelopes';
import { httpError, playbookOf, simulate, type SimulationOptions } from '../../../test/support/simulator';
import { EXTENDED_NAMES, FORMAL_TYPES, type ProfileName, PROFILES, type Row } from '.';

const HTTP = 'kind: http, url: http://x';
const RUNS = {
  'two tasks, one of them tried again': [
    playbookOf(`
- step: start
  tool:
    - name: fetch
      ${HTTP.replace(', ', '\n      ')}
      spec: {policy: {rules: [{when: "{{ output.status == 'error' }}", then: {do: retry, attempts: 3, delay: 1}}]}}
    - {name: keep, kind: python, code: "result = 1"}
  next: {arcs: [{step: end}]}
- step: end
  tool: {kind: noop}`),
    { mocks: { fetch: { sequence: [httpError(503), 1] } } },
  ],
  'a fork that joins, with a step that is not admitted': [
    playbookOf(`
- step: start
  tool: {kind: noop}
  next: {spec: {mode: inclusive}, arcs: [{step: a}, {step: b}, {step: never}]}
- step: a
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
    {},
  ],
  'a loop of which one iteration fails': [
    playbookOf(`
- step: start
  loop: {in: [1, 2], iterator: n}
  spec: {policy: {failure: {mode: best_effort}}}
  tool: {${HTTP}}`),
    { mocks: { start: { sequence: [httpError(404), 1] } } },
  ],
  'a step that fails': [
    playbookOf(`\n- step: start\n  tool: {${HTTP}}`),
    { mocks: { start: httpError(404) } },
  ],
  'rules on events, a retry and a sink': [
    playbookOf(`
- step: start
  tool: {${HTTP}}
  retry: {max_attempts: 3, initial_delay: 1}
  case:
    - when: "{{ event.name == 'call.done' }}"
      then: {sink: {tool: {kind: python, code: "result = 1"}}}`),
    { mocks: { 'start/start_task': { sequence: [httpError(503), 1] } } },
  ],
  'an execution that is paused': [
    playbookOf(`\n- step: start\n  tool: {${HTTP}}`),
    { inject: { 1: [{ type: 'paused' }], 2: [{ type: 'resumed' }] } },
  ],
} as const satisfies Record<string, readonly [string, SimulationOptions]>;
type RunName = keyof typeof RUNS;

function rowsOf(run: RunName, profile: ProfileName): Row[] {
  const [playbook, options] = RUNS[run] as [string, SimulationOptions];
  return enveloped([...simulate(playbook, options).events]).flatMap(PROFILES[profile].project());
}

/** What one run produces of what a section of a specification names; `field` is where the name stands. */
interface Produced {
  readonly section: string;
  readonly profile: ProfileName;
  readonly field: 'event_type' | 'name' | 'alias';
  readonly by: Partial<Record<RunName, readonly string[]>>;
}

const SPECIFIED: readonly Produced[] = [
  {
    section: 'S1 §12.2',
    profile: 'formal',
    field: 'event_type',
    by: {
      'two tasks, one of them tried again': [
        ...['playbook.execution.requested', 'playbook.request.evaluated', 'playbook.started'],
        ...['workflow.started', 'step.started', 'step.finished', 'tool.started', 'tool.processed'],
        ...['next.evaluated', 'retry.started', 'retry.processed', 'workflow.finished', 'playbook.processed'],
      ],
      'a loop of which one iteration fails': [
        ...['loop.started', 'loop.iteration.started', 'loop.iteration.finished', 'loop.finished'],
      ],
      'rules on events, a retry and a sink': [
        ...['case.started', 'case.evaluated', 'sink.started', 'sink.processed'],
      ],
    },
  },
  {
    section: 'S2 §9.2',
    profile: 'extended',
    field: 'name',
    by: {
      'two tasks, one of them tried again': [
        ...['PlaybookExecutionRequested', 'PlaybookRequestEvaluated', 'WorkflowStarted', 'StepStarted'],
        ...['NextEvaluated', 'WorkflowFinished', 'PlaybookProcessed', 'ToolStarted', 'ToolCompleted'],
        ...['ToolErrored', 'RetryStarted', 'RetryProcessed'],
      ],
      'an execution that is paused': ['PlaybookPaused'],
      'a loop of which one iteration fails': [
        ...['LoopStarted', 'LoopIterationStarted', 'LoopIterationCompleted'],
      ],
      'rules on events, a retry and a sink': [
        ...['SinkStarted', 'SinkProcessed', 'CaseStarted', 'CaseEvaluated'],
      ],
    },
  },
  {
    section: 'S2 §9.2, S5 §1.2: names that conditions use',
    profile: 'extended',
    field: 'alias',
    by: {
      'two tasks, one of them tried again': ['step.enter', 'call.done', 'call.error', 'step.exit'],
    },
  },
  {
    section: 'S3 §9.2',
    profile: 'canonical',
    field: 'event_type',
    by: {
      'a fork that joins, with a step that is not admitted': [
        ...['playbook.started', 'playbook.processed', 'workflow.started', 'workflow.finished'],
        ...['token.created', 'token.enqueued', 'token.claimed', 'step.scheduled', 'step.started'],
        ...['task.started', 'task.done', 'step.done', 'next.selected', 'next.enqueued'],
      ],
      'a step that fails': ['step.failed'],
      'a loop of which one iteration fails': ['loop.done'],
    },
  },
  {
    section: 'S4 §8',
    profile: 'canonical',
    field: 'event_type',
    by: {
      'a loop of which one iteration fails': [
        ...['loop.started', 'loop.iteration.started', 'loop.iteration.done', 'loop.iteration.failed'],
        'loop.done',
      ],
    },
  },
  {
    section: 'S5: the event log (starts, ends, actions, errors, skipped steps)',
    profile: 'noetl',
    field: 'event_type',
    by: {
      'a fork that joins, with a step that is not admitted': [
        ...['playbook.initialized', 'step.enter', 'step.exit', 'command.started', 'call.done'],
        ...['step.skipped', 'playbook.completed'],
      ],
      'a step that fails': ['call.error', 'command.failed', 'playbook.failed'],
    },
  },
];

const CASES = SPECIFIED.flatMap(({ section, profile, field, by }) =>
  Object.entries(by).flatMap(([run, names]) =>
    names.map((name) => ({ section, name, run: run as RunName, profile, field })),
  ),
);

test.each(CASES)('$section: $name is told by $run', ({ name, run, profile, field }) => {
  expect(rowsOf(run, profile).map((row) => row[field])).toContain(name);
});

test.each([
  ['S1 §12.2', FORMAL_TYPES],
  ['S2 §9.2', EXTENDED_NAMES],
] as const)('the table has every name of %s', (section, names) => {
  const shown = CASES.filter((one) => one.section === section).map(({ name }) => name);
  expect([...shown].sort()).toEqual([...names].sort());
});
