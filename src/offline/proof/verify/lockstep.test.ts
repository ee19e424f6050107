import path from 'node:path';
import { loopHistory, loopPlan } from '../../../../test/support/long-history';
import { isNightly, someOf } from '../../../../test/support/sampled';
import { Derivation, type HistoryEvent, historyFile, type Pages } from '../../../history';
import { isMapping, type Plan } from '../../../language/plan';
import { readRecording } from '../recording';
import { Lockstep, verdictOf, verdictOn } from '.';

const HISTORIES = path.resolve(__dirname, '../../../../test/histories/0.1.0');
const NAMES = [
  'collect_pages',
  'error_path_failed',
  'error_path_rescued',
  'fan_out_reduce',
  'fetch_transform_store',
  'keychain',
  'limits',
  'loop_elsewhere',
  'streaming_pagination',
  'sub_playbook_parent',
  'wait_event',
  'wait_timeout',
];

const pagesOf = (name: string) => (): Pages => historyFile(path.join(HISTORIES, `${name}.json`));

async function planIn(pages: Pages): Promise<Plan> {
  const derivation = new Derivation();
  for await (const page of pages) await derivation.pass(page);
  return derivation.plan;
}

/** Edits of a plan: spread over it, so that their number does not depend on its length. */
const EDITS = 20;

/** Plans that differ in one number, text or truth, each in another place of the steps. */
function* editsOf(plan: Plan): Generator<Plan, void> {
  const count = leavesOf(plan.steps).length;
  for (let n = 0; n < count; n += Math.ceil(count / EDITS)) {
    const edited = structuredClone(plan) as Plan & { digest: string };
    const { holder, key } = leavesOf(edited.steps)[n]!;
    const value = holder[key];
    if (typeof value === 'boolean') holder[key] = !value;
    else if (typeof value === 'number') holder[key] = value + 1;
    else holder[key] = `${String(value)}!`;
    edited.digest = `edit ${n}`;
    yield edited;
  }
}

/** Not what only says where something is written, nor names, by which parts of a plan refer to each other. */
const SKIPPED = new Set(['at', 'map', 'p', 'source', 'name', 'step', 'kind', 'op']);

function leavesOf(value: unknown): { holder: Record<string, unknown>; key: string }[] {
  if (!Array.isArray(value) && !isMapping(value)) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => {
    if (SKIPPED.has(key)) return [];
    const one = holder[key];
    if (typeof one === 'object' && one !== null) return leavesOf(one);
    return one === null || one === undefined ? [] : [{ holder, key }];
  });
}

describe('a version that decides beside the recorded run', () => {
  it.each(someOf(NAMES, 2))('gets the verdict that the whole recording gives: %s', async (name) => {
    const pages = pagesOf(name);
    const plan = await planIn(pages());
    const recording = await readRecording(pages());
    const judged: Record<string, number> = {};
    for (const now of [plan, ...editsOf(plan)]) {
      const verdict = await verdictOf(pages, { now }, {}).catch((error: unknown) => String(error));
      let expected: unknown;
      try {
        expected = verdictOn(recording, now);
      } catch (error) {
        expected = String(error);
      }
      expect([now.digest, verdict]).toEqual([now.digest, expected]);
      const kind = typeof verdict === 'string' ? 'error' : verdict.kind;
      judged[kind] = (judged[kind] ?? 0) + 1;
    }
    expect(judged['same']).toBeGreaterThan(0);
    expect(Object.keys(judged).length).toBeGreaterThan(1);
  });

  it('reads the history once, and keeps no more of a longer one', async () => {
    const held: number[] = [];
    for (const iterations of isNightly ? [10_000, 30_000] : [3_000, 9_000]) {
      const lockstep = new Lockstep(loopPlan(iterations));
      const derivation = new Derivation({ silent: true, watcher: watcherOf(lockstep) });
      await derivation.pass(loopHistory(iterations));
      expect(lockstep.touches).toMatchObject({ 'step start': 1 });
      held.push(lockstep.most);
    }
    expect(held[1]).toBeLessThan(1.2 * held[0]! + 10);
    let reads = 0;
    const pages = async function* (): AsyncGenerator<readonly HistoryEvent[]> {
      reads++;
      yield* pagesOf('fan_out_reduce')();
    };
    const now = await planIn(pages());
    reads = 0;
    expect(await verdictOf(pages, { now }, {})).toMatchObject({ kind: 'same' });
    expect(reads).toBe(1);
  });
});

function watcherOf(lockstep: Lockstep) {
  return {
    begins: lockstep.begins.bind(lockstep),
    applying: lockstep.applying.bind(lockstep),
    applied: lockstep.applied.bind(lockstep),
  };
}
