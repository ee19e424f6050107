/** The `tool` of a step: a task, a list of them, blocks, loops within. */
import fc from 'fast-check';
import { type Dict } from '../document';
import { called, defined, pick, type Place, task } from './tasks';

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
  return fc.oneof(
    { weight: 12, arbitrary: one },
    { weight: 8, arbitrary: several },
    { weight: 1, arbitrary: called },
    { weight: 2, arbitrary: nested },
  );
}
