/** Properties that hold for every plan, whatever order the completions of independent tasks arrive in. */
import fc from 'fast-check';
import { checkEvents } from '../../../test/support/event-checks';
import { cases } from '../../../test/support/properties';
import { httpError, planOf, playbookOf, simulate, type Simulation } from '../../../test/support/simulator';
import { type Plan } from '../../language/plan';

interface Shape {
  steps: {
    kind: 'task' | 'noop' | 'loop' | 'parallel';
    inclusive: boolean;
    arcs: { jump: number; guard: boolean }[];
    fails: boolean;
  }[];
}

const shapes: fc.Arbitrary<Shape> = fc.record({
  steps: fc.array(
    fc.record({
      kind: fc.constantFrom('task', 'noop', 'loop', 'parallel') as fc.Arbitrary<'task'>,
      inclusive: fc.boolean(),
      arcs: fc.array(fc.record({ jump: fc.integer({ min: 1, max: 4 }), guard: fc.boolean() }), {
        maxLength: 3,
      }),
      fails: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    }),
    { minLength: 2, maxLength: 12 },
  ),
});

function yamlOf({ steps }: Shape): string {
  const name = (index: number): string => (index === 0 ? 'start' : `s${index}`);
  return playbookOf(
    steps
      .map((step, index) => {
        const arcs = step.arcs
          .filter(({ jump }) => index + jump < steps.length)
          .map(
            ({ jump, guard }) =>
              `{step: ${name(index + jump)}, when: "{{ ${guard} }}", args: {from_${index}: ${jump}}}`,
          );
        const loop = step.kind === 'loop' || step.kind === 'parallel';
        return [
          `- step: ${name(index)}`,
          ...(loop
            ? [
                `  loop: {in: [1, 2, 3], iterator: item, spec: {mode: ${step.kind === 'loop' ? 'sequential' : 'parallel'}}}`,
              ]
            : []),
          step.kind === 'noop'
            ? '  tool: {kind: noop}'
            : `  tool: {kind: python, input: {who: ${index}}, code: "result = 1"}`,
          ...(arcs.length > 0
            ? [
                `  next: {spec: {mode: ${step.inclusive ? 'inclusive' : 'exclusive'}}, arcs: [${arcs.join(', ')}]}`,
              ]
            : []),
        ].join('\n');
      })
      .join('\n'),
  );
}

function mocksOf(shape: Shape, withFailures: boolean): Record<string, ReturnType<typeof httpError>> {
  const failing = shape.steps.flatMap((step, index) =>
    withFailures && step.fails && step.kind !== 'noop' ? [index === 0 ? 'start' : `s${index}`] : [],
  );
  return Object.fromEntries(failing.map((name) => [name, httpError(500)]));
}

/** Chooses by a list of numbers, then by the oldest. */
function chooser(choices: number[]): (n: number) => number {
  let position = 0;
  return (n) => (choices[position++] ?? 0) % n;
}

function essence(run: Simulation): unknown {
  return {
    end: run.end,
    result: run.result,
    steps: [...run.state.executed].sort(),
    results: sorted(run.state.results),
  };
}

function sorted(value: Record<string, unknown>): [string, unknown][] {
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
}

const orders = fc.array(fc.nat({ max: 50 }), { maxLength: 60 });

describe('whatever the plan and the order of completions', () => {
  it('no token is lost: a run without failures completes, with nothing left behind', () => {
    fc.assert(
      fc.property(shapes, orders, (shape, order) => {
        const run = simulate(yamlOf(shape), { choose: chooser(order) });
        expect(run.end).toBe('complete');
        expect({
          ...run.state.tokens,
          ...run.state.runs,
          ...run.state.frames,
          ...run.state.forks,
          ...run.state.pending,
        }).toEqual({});
        expect(checkEvents(run.events, true)).toEqual([]);
      }),
      cases(60),
    );
  });

  it('the order of completions changes neither what ran nor what came out', () => {
    fc.assert(
      fc.property(shapes, orders, orders, (shape, one, other) => {
        const plan = planOf(yamlOf(shape));
        expect(essence(simulate(plan, { choose: chooser(one) }))).toEqual(
          essence(simulate(plan, { choose: chooser(other) })),
        );
      }),
      cases(60),
    );
  });

  it('in a graph without cycles no step runs twice, unless one router names it twice', () => {
    fc.assert(
      fc.property(shapes, orders, (shape, order) => {
        fc.pre(shape.steps.every(({ arcs }) => new Set(arcs.map(({ jump }) => jump)).size === arcs.length));
        const { executed } = simulate(yamlOf(shape), { choose: chooser(order) }).state;
        expect(new Set(executed).size).toBe(executed.length);
      }),
      cases(60),
    );
  });

  it('a failure, a cancel or a pause ends the run or holds it; nothing hangs and nothing is started after', () => {
    const disturbance = fc.constantFrom('none', 'cancel', 'pause');
    fc.assert(
      fc.property(shapes, orders, disturbance, fc.integer({ min: 1, max: 8 }), (shape, order, what, when) => {
        const inject =
          what === 'none'
            ? undefined
            : {
                [when]: [
                  what === 'cancel' ? ({ type: 'cancelRequested' } as const) : ({ type: 'paused' } as const),
                ],
              };
        const run = simulate(yamlOf(shape), { choose: chooser(order), mocks: mocksOf(shape, true), inject });
        if (run.end === 'stuck') expect(run.state.status).toBe('paused');
        else expect(['complete', 'fail', 'cancelled']).toContain(run.end);
        expect(run.state.pending).toEqual({});
        expect(checkEvents(run.events)).toEqual([]);
      }),
      cases(60),
    );
  });

  it('the state survives JSON at every point', () => {
    fc.assert(
      fc.property(shapes, orders, (shape, order) => {
        const plan: Plan = planOf(yamlOf(shape));
        const mocks = mocksOf(shape, true);
        const plain = simulate(plan, { choose: chooser(order), mocks });
        const persisted = simulate(plan, { choose: chooser(order), mocks, persist: true });
        expect(persisted.events).toEqual(plain.events);
        expect(essence(persisted)).toEqual(essence(plain));
      }),
      cases(60),
    );
  });
});
