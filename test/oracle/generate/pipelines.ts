/** The `tool` of a step: a task, a list of them, blocks, loops within. */
import fc from 'fast-check';
import { type Dict } from '../document';
import { called, defined, pick, type Place, sometimes, task } from './tasks';

/** A loop inside of a pipeline. */
function inner(step: string): fc.Arbitrary<Dict> {
  const spec = pick<Dict | undefined>(
    undefined,
    { mode: 'parallel' },
    { mode: 'parallel', max_in_flight: 2 },
  );
  const body = pick([`${step}x`], [`${step}x`, `${step}y`]).chain((names) =>
    fc.tuple(
      ...names.map((name, at) =>
        task({ step, iterator: 'sub', isParallel: false, before: names.slice(0, at), all: names }, name),
      ),
    ),
  );
  return fc
    .record({ body, spec, items: pick([1, 2], [3], []) })
    .map(({ body: all, spec: own, items }) =>
      defined({ name: `${step}i`, kind: 'iterator', in: items, iterator: 'sub', spec: own, tool: all }),
    );
}

const condition = pick(
  '{{ _prev.more | default(false) }}',
  '{{ (bare | default(0)) >= 2 }}',
  '{{ workload.w > 1 }}',
  '{{ (_prev.v | default(0)) >= 1 }}',
  '{{ ctx.t is defined }}',
);

/** `choose`, `while`, `until`; some of their tasks have no name. */
function block(place: Place, depth = 0): fc.Arbitrary<Dict> {
  const [p, q] = place.all as [string, string];
  const tasks = fc.oneof(
    { weight: 3, arbitrary: task({ ...place, all: [p] }, p).map((one) => [one]) },
    { weight: 1, arbitrary: fc.tuple(task(place, p), task({ ...place, before: [p] }, q)) },
    { weight: 1, arbitrary: fc.constant<Dict[]>([{ kind: 'python', code: 'result = 1' }]) },
    ...(depth === 0 ? [{ weight: 1, arbitrary: block(place, 1).map((one) => [one]) }] : []),
  );
  const others = fc.constant<Dict[]>([{ kind: 'noop', input: { other: '{{ _prev.v | default(0) }}' } }]);
  const choose = fc
    .record({ when: condition, then: tasks, second: sometimes(40, condition), last: sometimes(50, others) })
    .map(({ when, then, second, last }) => ({
      choose: [
        { when, then },
        ...(second === undefined ? [] : [{ when: second, then: [{ kind: 'noop' }] }]),
        ...(last ? [{ else: last }] : []),
      ],
    }));
  const turns = fc
    .record({ when: condition, do: tasks, max: pick<unknown>(1, 2, 3, '{{ workload.w + 1 }}') })
    .map((all) => all as Dict);
  const loops = fc.tuple(pick('while', 'until'), turns).map(([keyword, all]): Dict => ({ [keyword]: all }));
  return fc
    .tuple(
      fc.oneof<fc.Arbitrary<Dict>[]>(choose, loops),
      sometimes(30, fc.constant(`${place.step}b${depth}`)),
    )
    .map(([one, name]) => defined({ name, ...one }));
}

/** The `tool` of a step: one task, or a list of them with names. */
export function tool(step: string, iterator: string | undefined, isParallel: boolean): fc.Arbitrary<unknown> {
  const place = (before: readonly string[], all: readonly string[]): Place => ({
    step,
    iterator,
    isParallel,
    before,
    all,
  });
  const one = task(place([], [`${step}_task`]), undefined);
  const several = fc.integer({ min: 2, max: 3 }).chain((count) => {
    const names = ['a', 'b', 'c'].slice(0, count).map((letter) => `${step}${letter}`);
    return fc.tuple(...names.map((name, at) => task(place(names.slice(0, at), names), name)));
  });
  const nested = fc
    .tuple(task(place([], [`${step}a`]), `${step}a`), inner(step))
    .map(([first, second]) => [first, second]);
  const blocks = fc
    .tuple(
      task(place([], [`${step}a`]), `${step}a`),
      block(place([], [`${step}p`, `${step}q`])),
      sometimes(50, task(place([`${step}a`], [`${step}a`, `${step}c`]), `${step}c`)),
    )
    .map((all) => all.filter((each) => each !== undefined));
  return fc.oneof(
    { weight: 12, arbitrary: one },
    { weight: 8, arbitrary: several },
    { weight: 1, arbitrary: called },
    { weight: 2, arbitrary: nested },
    { weight: 3, arbitrary: blocks },
    { weight: 1, arbitrary: block(place([], [`${step}p`, `${step}q`])) },
  );
}
