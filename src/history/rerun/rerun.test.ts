/** A rerun comes to what the recorded execution came to, runs nothing that stands, and its events are those of a run. */
import { looped } from '../../../test/support/loops';
import fc from 'fast-check';
import { checkEvents } from '../../../test/support/event-checks';
import { cases } from '../../../test/support/properties';
import { answer, plans } from '../../../test/support/random-plans';
import { httpError, ok, planOf, playbookOf } from '../../../test/support/simulator';
import { drive, type Drive, type Driven, essence } from '../../../test/support/strict-driver';
import { atRest, type Input, rerunState, type State } from '../../engine/machine';
import { type JsonObject, type Plan } from '../../language/plan';
import { changedSteps, firstRevisedStep } from './revision';
import { Survey } from './survey';

interface Recording {
  readonly driven: Driven;
  readonly survey: Survey;
  /** The state at each visit. */
  readonly states: readonly State[];
}

function record(plan: Plan, options: Drive): Recording {
  const survey = new Survey();
  const states: State[] = [];
  let seq = 0;
  const driven = drive(plan, {
    ...options,
    observer: {
      emitted: (event, state) => survey.event(event, state, { event_id: `1/0/3/${seq++}` }),
      admitting: (_token, state) => void states.push(structuredClone(atRest(state))),
    },
  });
  return { driven, survey, states };
}

interface Changes {
  readonly payload?: JsonObject;
  readonly variables?: JsonObject;
  readonly plan?: Plan;
  readonly without?: 'reuse';
}

function rerunFrom(
  plan: Plan,
  { survey, states }: Recording,
  index: number,
  options: Drive,
  changes: Changes = {},
) {
  const visit = survey.visits[index]!;
  const recorded = states[index]!;
  const underWay = new Set(Object.values(recorded.runs).map((run) => run.step));
  const reuse = changes.without
    ? {}
    : survey.reusable(visit, (step) => underWay.has(step) || !Object.hasOwn(recorded.runCounts, step));
  const revision = changes.plan ?? plan;
  const executionId = '223456789012345678';
  const state = rerunState({ recorded, token: visit.token, executionId, plan: revision, reuse });
  const origin = {
    execution_id: recorded.executionId,
    step: visit.step,
    step_run_id: visit.stepRun,
    event_id: visit.eventId,
    digest: plan.digest,
  };
  const input: Input = {
    type: 'rerun',
    origin,
    payload: changes.payload ?? {},
    variables: changes.variables ?? {},
  };
  const calls: string[] = [];
  const driven = drive(revision, {
    ...options,
    from: { state, input },
    answer: (call) => {
      calls.push(call.task_run_id);
      return options.answer(call);
    },
  });
  return { ...driven, calls };
}

const orders = fc.array(fc.nat({ max: 50 }), { maxLength: 80 });

describe('a rerun of a random plan', () => {
  it.each(['reuse', undefined] as const)(
    'comes to the same from wherever it begins, with its events in order (without: %s)',
    (without) => {
      fc.assert(
        fc.property(plans(), orders, orders, fc.nat(), (plan, one, other, pick) => {
          const recording = record(plan, { answer, order: one });
          const index = pick % recording.survey.visits.length;
          const again = rerunFrom(plan, recording, index, { answer, order: other }, { without });
          expect([again.broken, checkEvents(again.events, true)]).toEqual([[], []]);
          expect(essence(again)).toEqual(essence(recording.driven));
        }),
        cases(60),
      );
    },
  );

  it('of any kind, failing ones too, ends and leaves nothing running', () => {
    fc.assert(
      fc.property(plans({ cycles: true, racy: true }), orders, orders, fc.nat(), (plan, one, other, pick) => {
        const recording = record(plan, { answer, order: one });
        const index = pick % recording.survey.visits.length;
        const again = rerunFrom(plan, recording, index, { answer, order: other, persist: true });
        expect([again.broken, checkEvents(again.events)]).toEqual([[], []]);
        expect(['complete', 'fail']).toContain(again.end);
      }),
      cases(50),
    );
  });
});

const fanOut = (more = ''): Plan =>
  planOf(
    playbookOf(
      `
- step: start
  tool: {kind: python, code: "result = 1"}
  next: {spec: {mode: inclusive}, arcs: [{step: good}, {step: bad}, {step: list}]}
- step: good
  tool: {kind: python, code: "result = 2"}
  set: {ctx.good: "{{ good }}"}
  next: {arcs: [{step: after}]}
- step: after
  tool: {kind: python, code: "result = 3"}
  next: {arcs: [{step: end}]}
- step: list
  loop: {in: [1, 2], iterator: n}
  tool: {kind: python, code: "result = n"}
  next: {arcs: [{step: end, when: "{{ event.name == 'loop.done' }}"}]}
- step: bad
  tool: {kind: http, url: "http://x/{{ workload.which }}"}
  next: {arcs: [{step: end}]}${more}
- step: end
  tool: {kind: noop, input: {good: "{{ ctx.good }}", after: "{{ after }}", list: "{{ list }}", bad: "{{ bad.data | default(none) }}", given: "{{ ctx.given | default(0) }}"}}`,
      'executor: {spec: {policy: {failure: {mode: best_effort}}}}\nworkload: {which: wrong, keep: 1}',
    ),
  );
const failsAt = (step: string): Drive => ({
  answer: (call) => (call.step === step ? httpError(404) : ok(`${call.step} ${call.iteration ?? ''}`.trim())),
});
const works: Drive = { answer: (call) => ok({ data: `${call.step} anew` }) };

test('what other branches finished stands; only the step and what comes after it runs', () => {
  const plan = fanOut();
  const recording = record(plan, failsAt('bad'));
  expect(recording.driven.end).toBe('fail');
  const index = recording.survey.visits.findIndex(({ step }) => step === 'bad');
  const again = rerunFrom(plan, recording, index, works, {
    payload: { which: 'right' },
    variables: { given: 7 },
  });
  expect(again.calls).toEqual(['bad#1~1@1']);
  expect(again.state.workload).toEqual({ which: 'right', keep: 1 });
  expect(again.result).toEqual({
    good: 'good',
    after: 'after',
    list: looped(['list 0', 'list 1']),
    bad: 'bad anew',
    given: 7,
  });
  const [first] = again.events;
  expect(first).toMatchObject({
    event_type: 'playbook.execution.requested',
    payload: { rerun: { execution_id: recording.driven.state.executionId, step_run_id: 'bad#1' } },
  });
  const adopted = again.events.filter((event) => event.payload['reused']);
  expect(adopted.map((event) => [event.event_type, event.step_run_id])).toEqual([
    ['step.started', 'list#1'],
    ['step.started', 'good#1'],
    ['step.started', 'after#1'],
  ]);
});

test('what a step before the beginning came to is never put in place of a new run of it', () => {
  const cycle = planOf(
    playbookOf(`
- step: start
  tool: {kind: python, code: "result = 1"}
  next: {arcs: [{step: check}]}
- step: check
  tool: {kind: python, code: "result = 1"}
  next: {arcs: [{step: start, when: "{{ check == 'again' }}"}]}`),
  );
  const recording = record(cycle, { answer: () => ok('done') });
  let checks = 0;
  const again = rerunFrom(cycle, recording, 1, {
    answer: (call) => ok(call.step === 'check' && checks++ === 0 ? 'again' : 'done'),
  });
  expect(again.calls).toEqual(['check#1~1@1', 'start#2~1@1', 'check#2~1@1']);
});

describe('a new revision', () => {
  const plan = fanOut();

  it('may change the step, what comes after it, and what steps before it do', () => {
    const more = fanOut('\n- step: extra\n  tool: {kind: noop}\n  next: {arcs: [{step: end}]}');
    expect(firstRevisedStep(plan, more, 'bad', ['good', 'list', 'bad'])).toBeUndefined();
    const other = planOf(
      playbookOf(
        '\n- step: start\n  tool: {kind: noop}\n  next: {arcs: [{step: bad}]}\n- step: bad\n  tool: {kind: noop}',
      ),
    );
    const same = planOf(
      playbookOf(
        '\n- step: start\n  tool: {kind: python, code: "result = 2"}\n  next: {arcs: [{step: bad}]}\n- step: bad\n  tool: {kind: noop}\n  next: {arcs: [{step: new}]}\n- step: new\n  tool: {kind: noop}',
      ),
    );
    expect(firstRevisedStep(other, same, 'bad', ['bad'])).toBeUndefined();
    expect([...changedSteps(other, same)]).toEqual(['start', 'bad']);
  });

  const line = (...steps: string[]): Plan => planOf(playbookOf(`\n${steps.join('\n')}`));
  const step = (name: string, next: string, more = ''): string =>
    `- step: ${name}\n  tool: {kind: noop}${more}\n  next: {arcs: [${next
      .split(' ')
      .filter(Boolean)
      .map((target) => `{step: ${target}}`)
      .join(', ')}]}`;
  const last = '- step: c\n  tool: {kind: noop}';
  const recorded = line(step('start', 'b'), step('b', 'c'), last);

  it.each([
    [
      line(step('start', 'c'), step('b', 'c'), last),
      'step start (test.yaml:7:9) continues to c on the way to c, the recorded one to b',
    ],
    [
      line(step('start', 'x'), step('x', 'c'), last),
      'step start (test.yaml:7:9) continues to x on the way to c, the recorded one to b',
    ],
    [
      line(step('start', 'b'), step('b', 'c', '\n  loop: {in: [1], iterator: n}'), last),
      'step b (test.yaml:10:9) is a loop, the recorded one is not',
    ],
    [
      line(step('start', 'b'), step('b', 'c'), step('side', 'c'), last),
      'step side (test.yaml:13:9) comes before c in the new revision only',
    ],
  ])('is refused by its first difference: case %#', (revision, said) => {
    expect(firstRevisedStep(recorded, revision, 'c', ['c'])).toBe(said);
  });

  it('has to know the steps at which other branches stand', () => {
    const without = planOf(playbookOf(`\n${step('start', 'c')}\n${last}`));
    const old = planOf(
      playbookOf(
        `\n- step: start\n  tool: {kind: noop}\n  next: {spec: {mode: inclusive}, arcs: [{step: c}, {step: other}]}\n- step: other\n  tool: {kind: noop}\n${last}`,
      ),
    );
    expect(firstRevisedStep(old, without, 'c', ['c', 'other'])).toBe(
      'step other, which another branch had reached, is not in the new revision',
    );
  });
});
