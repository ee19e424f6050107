import { VisitBackoff } from './backoff';
import { type ExecutionVisit, Visits } from './visits';

const forever = new AbortController().signal;
/** A visit that waits for something to happen until it is told to leave. */
const waits = (visit: ExecutionVisit): Promise<void> => {
  visit.idleSince = performance.now();
  return new Promise((resolve) => visit.leave.signal.addEventListener('abort', () => resolve()));
};
const works = (): { work: () => Promise<void>; end: () => void } => {
  let end = (): void => undefined;
  const done = new Promise<void>((resolve) => (end = resolve));
  return { work: () => done, end };
};

test('a visit that waits makes room; one that works does not', async () => {
  const visits = new Visits(2);
  const busy = works();
  await visits.begin('busy', forever, busy.work);
  await visits.begin('idle', forever, waits);
  const [busyVisit, idleVisit] = [visits.get('busy')!, visits.get('idle')!];
  await visits.begin('next', forever, waits);
  expect(idleVisit.leave.signal.aborted).toBe(true);
  expect(busyVisit.leave.signal.aborted).toBe(false);
  expect(['busy', 'idle', 'next'].map((id) => visits.get(id) !== undefined)).toEqual([true, false, true]);
  busy.end();
  visits.leaveAll();
  await visits.allDone();
  expect(visits.get('busy')).toBeUndefined();
});

test('nobody is asked to leave while there is room, and a workflow is visited once at a time', async () => {
  const visits = new Visits(2);
  await visits.begin('one', forever, waits);
  const first = visits.get('one')!;
  await visits.begin('one', forever, () => Promise.reject(new Error('visited twice')));
  expect(visits.get('one')).toBe(first);
  expect(first.leave.signal.aborted).toBe(false);
  visits.leaveAll();
  await visits.allDone();
});

test('who waits for room stops waiting when all is over', async () => {
  const visits = new Visits(1);
  const busy = works();
  await visits.begin('busy', forever, busy.work);
  const stop = new AbortController();
  const begun = visits.begin('next', stop.signal, () => Promise.reject(new Error('begun')));
  stop.abort();
  await begun;
  busy.end();
  await visits.allDone();
});

test('failures are tried again after 1 s, 2 s, 4 s, at the latest after 5 minutes', () => {
  let now = 0;
  const backoff = new VisitBackoff(() => now);
  expect(backoff.isWaiting('x')).toBe(false);
  for (const pause of [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]) {
    backoff.fail('x');
    now += pause * 1000 - 1;
    expect(backoff.isWaiting('x')).toBe(true);
    now += 1;
    expect(backoff.isWaiting('x')).toBe(false);
  }
  backoff.fail('x');
  expect(backoff.isWaiting('y')).toBe(false);
  backoff.forget('x');
  expect(backoff.isWaiting('x')).toBe(false);
});
