import path from 'node:path';
import { loopHistory } from '../../test/support/long-history';
import { someOf } from '../../test/support/sampled';
import {
  Derivation,
  StandingEnds,
  eventStream,
  type HistoryEvent,
  historyFile,
  readStanding,
  standingOf,
} from '.';

const HISTORIES = path.resolve(__dirname, '../../test/histories/0.1.0');
const NAMES = [
  'collect_pages',
  'error_path_failed',
  'fan_out_reduce',
  'heavy',
  'keychain_unresolved',
  'limits',
  'loop_elsewhere',
  'sub_playbook_child',
  'sub_playbook_parent',
  'wait_timeout',
];

async function eventsOf(name: string): Promise<readonly HistoryEvent[]> {
  if (name === 'a long loop') return loopHistory(3_000);
  const all: HistoryEvent[] = [];
  for await (const page of historyFile(path.join(HISTORIES, `${name}.json`))) all.push(...page);
  return all;
}

async function* inPages(events: readonly HistoryEvent[]): AsyncGenerator<readonly HistoryEvent[]> {
  for (let from = 0; from < events.length; from += 50) yield events.slice(from, from + 50);
}

test.each([...someOf(NAMES, 2), 'a long loop'])('the standing is what all events say: %s', async (name) => {
  const events = await eventsOf(name);
  // Also of a history that has not ended, or that an operator ended.
  const last = events.at(-1)!;
  const terminated = {
    eventId: last.eventId,
    eventTime: last.eventTime,
    workflowExecutionTerminatedEventAttributes: { reason: 'by hand' },
  } as unknown as HistoryEvent;
  for (const history of [events, [...events.slice(0, -1), terminated]]) {
    const derivation = new Derivation({ bodies: true });
    const ends = new StandingEnds();
    for await (const some of eventStream(inPages(history), derivation)) ends.take(some);
    const expected = standingOf('w', derivation, ends, { variableLimit: 100 });
    expect(await readStanding(inPages(history), 'w', { variableLimit: 100 })).toEqual(expected);
  }
});

test('before its first workflow task an execution is as old as its request', async () => {
  const [first] = await eventsOf('wait_timeout');
  const asked = Number(first!.eventTime!.seconds) * 1000;
  const { started_at, duration_ms, status } = await readStanding(inPages([first!]), 'w', {});
  expect(status).toBe('running');
  expect(Math.abs(Date.parse(started_at) - asked)).toBeLessThan(1_000);
  expect(duration_ms).toBeLessThan(Date.now() - asked + 1_000);
});
