/** Checks the canonical events of the run: an ordered subsequence, and events that must not occur. */
import { type EngineEvent } from '../../../engine/machine';
import { type Json } from '../../../language/plan';
import { type EventExpectation } from '../format/rehearsal';
import { eventFields } from '../event-fields';
import { type Rehearsed, type RehearsalProblem, differences } from './problem';

export function checkExpectedEvents({ rehearsal, run }: Rehearsed): RehearsalProblem[] {
  let position = 0;
  let before = 'the start';
  for (const expected of rehearsal.expect.events) {
    const index = run.events.findIndex((event, i) => i >= position && matches(expected, event));
    if (index < 0) return [missing(expected, before, run.events, position)];
    position = index + 1;
    before = describe(expected);
  }
  return [];
}

export function checkNever({ rehearsal, run }: Rehearsed): RehearsalProblem[] {
  return rehearsal.expect.never.flatMap((expected): RehearsalProblem[] => {
    const match = run.events.find((event) => matches(expected, event));
    if (match === undefined) return [];
    const message = `${describe(expected)} occurred`;
    return [{ part: 'never', at: expected.at, message, details: [eventLine(match)] }];
  });
}

function missing(
  expected: EventExpectation,
  before: string,
  events: readonly EngineEvent[],
  position: number,
): RehearsalProblem {
  const earlier = events.slice(0, position).some((event) => matches(expected, event));
  const similar = events.filter((event) => event.event_type === expected.type);
  const nearest =
    similar.length === 0
      ? `no event \`${expected.type}\` occurred`
      : `\`${expected.type}\` occurred ${similar.length === 1 ? 'once' : `${similar.length} times`}:`;
  const details = [nearest, ...similar.slice(0, 5).map((event) => `  ${eventLine(event)}`)];
  return {
    part: 'events',
    at: expected.at,
    message: `${describe(expected)} did not occur after ${before}`,
    details,
    ...(earlier ? { hint: 'it occurred before that: move it up in the list' } : {}),
  };
}

function matches(expected: EventExpectation, event: EngineEvent): boolean {
  if (event.event_type !== expected.type) return false;
  const actual = eventFields(event);
  if (!expected.fields.every(({ name, value }) => String(actual[name] ?? '') === value)) return false;
  return (
    expected.payload === undefined ||
    differences(expected.payload, JSON.parse(JSON.stringify(event.payload)) as Json, false, '').length === 0
  );
}

function eventLine(event: EngineEvent): string {
  const fields = Object.entries(eventFields(event)).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} ${String(value)}`],
  );
  return [event.event_type, fields.join(', ')].filter(Boolean).join(': ');
}

function describe({ type, fields, payload }: EventExpectation): string {
  const parts = fields.map(({ name, value }) => `${name} ${value}`);
  if (payload !== undefined) parts.push('this payload');
  return parts.length === 0 ? `\`${type}\`` : `\`${type}\` (${parts.join(', ')})`;
}
