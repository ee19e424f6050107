/** Random messages from outside. */
import fc from 'fast-check';
import { type Message } from '../outside';
import { defined, pick, sometimes } from './tasks';

type Told = Omit<Message, 'at'>;

const event: fc.Arbitrary<Told> = fc
  .record({
    name: pick('e1', 'e1', 'e2'),
    payload: fc.record({ v: fc.integer({ min: 0, max: 3 }), more: fc.boolean() }),
    id: sometimes(40, pick('a', 'b')),
  })
  .map((all) => ({ event: defined(all) as unknown as NonNullable<Message['event']> }));

const other: fc.Arbitrary<Told> = pick<Told>({ control: 'cancel' }, { set: { w: 7 } }, { set: { t: 1 } });

/** A time that hardly anything else has. */
const timeOf = (tenths: number, position: number): number => tenths * 100 + 83 + position;

/** Messages, in so many of a hundred playbooks. */
export function outside(percent: number): fc.Arbitrary<readonly Message[] | undefined> {
  const pause = fc
    .tuple(fc.integer({ min: 0, max: 60 }), sometimes(90, fc.integer({ min: 1, max: 60 })))
    .map(([from, length]): [number, Told][] => [
      [from, { control: 'pause' }],
      ...(length === undefined ? [] : [[from + length, { control: 'resume' }] as [number, Told]]),
    ]);
  const one = (told: fc.Arbitrary<Told>): fc.Arbitrary<[number, Told][]> =>
    fc.tuple(fc.integer({ min: 0, max: 100 }), told).map((each) => [each]);
  const all = fc.oneof(
    { weight: 8, arbitrary: one(event) },
    { weight: 3, arbitrary: pause },
    { weight: 1, arbitrary: one(other) },
  );
  const some = fc
    .array(all, { minLength: 1, maxLength: 5 })
    .map((each) => each.flat().map(([tenths, told], n): Message => ({ at: timeOf(tenths, n), ...told })));
  return sometimes(percent, some);
}
