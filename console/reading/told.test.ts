import { graphOf } from '../../src/language/dsl/graph/graph';
import { compile } from '../../src/language/dsl';
import { type CanonicalEvent } from '../../src/history';
import { NOTHING_READ, readingAfter, type RunReading } from './told';

const SOURCE = `apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: one, path: test/one}
workflow: [{step: start, tool: {kind: noop}}]
`;
const plan = compile(SOURCE).plan!;
const begins = { plan, graph: graphOf(plan) };
const events = (...ids: string[]): readonly CanonicalEvent[] =>
  ids.map((event_id, at) => ({ event_id, seq: at + 1 }) as unknown as CanonicalEvent);
const idsOf = ({ tape }: RunReading): readonly string[] => tape!.events.map(({ event_id }) => event_id);

test('a reading that begins again is shown once it has events, and the former one until then', () => {
  let reading = readingAfter(NOTHING_READ, { type: 'events', events: events('a', 'b'), leftOut: 0, begins });
  reading = readingAfter(reading, { type: 'caughtUp', over: false, divergence: 'once' });
  reading = readingAfter(reading, { type: 'connection', lost: true });
  expect(idsOf(reading)).toEqual(['a', 'b']);
  const again = readingAfter(reading, { type: 'events', events: events('a'), leftOut: 2, begins });
  expect(idsOf(again)).toEqual(['a']);
  expect(again).toMatchObject({ caughtUp: false, lost: true, plan, tape: { leftOut: 2 } });
  expect(again.divergence).toBeUndefined();
  expect(idsOf(readingAfter(again, { type: 'events', events: events('b'), leftOut: 2 }))).toEqual(['a', 'b']);
});
