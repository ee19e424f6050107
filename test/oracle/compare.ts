/** Where two endings of the same playbook differ. */
import { type Dict, dict } from './document';
import { type Message } from './outside';
import { type Call, type Ending, type StepBegun } from './run';

/** Endings as JSON: what is compared. */
export function plainEnd(ending: Ending): Ending {
  return JSON.parse(JSON.stringify(ending)) as Ending;
}

/** The differences, one line each: what, expected, actual. Empty if there is none. */
export function differences(expected: Ending, actual: Ending): string[] {
  const pairs: [string, unknown, unknown][] = [
    ['status', expected.status, actual.status],
    ['result', shown(expected), shown(actual)],
    ['error', errorOf(expected), errorOf(actual)],
    ['steps', stepsOf(expected), stepsOf(actual)],
    ...callsOf(expected, actual),
    ['ctx', ctxOf(expected.ctx), ctxOf(actual.ctx)],
    ['notes', notesOf(expected), notesOf(actual)],
    // What happens to one that waits for ever changes nothing.
    [
      'elapsed',
      ...[expected, actual].map(({ status, elapsed }) => (status === 'waiting' ? -1 : elapsed)),
    ] as [string, number, number],
  ];
  return pairs
    .filter(([, a, b]) => text(a) !== text(b))
    .map(([what, a, b]) => `${what}: expected ${text(a)}, got ${text(b)}`);
}

/** Notes that the documents name. */
const NOTES = new Set(['PAGES_LEFT', 'LOOP_ENDED_EARLY', 'NO_ARC_MATCHED']);
/** A failure ends what runs beside it: how much of that is told at this moment is not said. */
const notesOf = ({ notes, status, elapsed }: Ending): string[] => {
  const named = notes.filter(({ code, at }) => NOTES.has(code) && (status !== 'failed' || at < elapsed));
  return named.map(({ code }) => code).sort();
};

const text = (value: unknown): string => JSON.stringify(sorted(value)) ?? 'nothing';

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  if ('elapsed_ms' in value && 'status_code' in value) return sorted((value as Dict)['data']);
  // Its ids are the product's own.
  if ('workflow_id' in value && 'path' in value)
    return { path: value.path, status: (value as Dict)['status'] };
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sorted((value as Dict)[key])]));
}

const shown = ({ status, result }: Ending): unknown =>
  status === 'completed' ? (result ?? null) : undefined;

function errorOf({ error }: Ending): unknown {
  return error && { code: error.code, step: error.step };
}

/** The steps by the time at which they began; those of one moment in the order of their names. */
function stepsOf({ steps, status, elapsed }: Ending): string[] {
  // What begins at the moment of a failure, does so before or after it.
  return steps
    .filter(({ at }) => status !== 'failed' || at < elapsed)
    .sort((a, b) => a.at - b.at || (a.step < b.step ? -1 : 1))
    .map(({ step, at }) => `${step}@${at}`);
}

/** An empty list that was collected is none. */
function ctxOf(ctx: Dict): Dict {
  return Object.fromEntries(
    Object.entries(ctx).filter(([, value]) => !Array.isArray(value) || value.length > 0),
  );
}

function callsOf(expected: Ending, actual: Ending): [string, unknown, unknown][] {
  const byId = ({ calls, status, elapsed }: Ending): Map<string, unknown> => {
    // One that was cancelled in the moment in which it began is told or not.
    const begun = calls.filter(({ from, to }) => from !== to && (status !== 'failed' || from < elapsed));
    return new Map(begun.map((call) => [call.id, seen(call)]));
  };
  const [all, others] = [byId(expected), byId(actual)];
  const ids = [...new Set([...all.keys(), ...others.keys()])];
  return ids.map((id) => [`call ${id}`, all.get(id), others.get(id)]);
}

/**
 * Whether runs of a step begin at one moment, or waits for one event, or time limits end at one, or a message comes as a call
 * ends: no document orders them.
 */
export function isTied(
  { steps, calls, inner = [], waits = [] }: Ending,
  outside: readonly Message[] = [],
): boolean {
  const ends = new Set([...steps.map(({ at }) => at), ...calls.map(({ to }) => to)]);
  if (outside.some(({ at }) => ends.has(at))) return true;
  const moments = [...[...steps, ...inner].map(({ step, at }) => `${step} ${at}`), ...waits];
  return moments.some((each) => moments.filter((other) => other === each).length > 1);
}

/** Whether branches of a fork end in the moment in which they begin, and one goes round: which ends first decides who is left in the fork. */
export function isTiedRound({ steps, calls, hits }: Ending): boolean {
  const isCalled = ({ step, at }: StepBegun): boolean =>
    calls.some((call) => call.step === step && call.from === at && call.to > at);
  const instant = steps.filter((begun) => !isCalled(begun)).map(({ at }) => at);
  return hits?.includes('rounds') === true && instant.some((at, i) => instant.indexOf(at) < i);
}

/** Whether nothing differs but what another step wrote that began in the moment in which the execution failed. */
export function isTiedAtFailure(
  { status, steps, error, elapsed }: Ending,
  found: readonly string[],
): boolean {
  if (status !== 'failed' || !found.every((difference) => difference.startsWith('ctx: '))) return false;
  return steps.some(({ step, at }) => at === elapsed && step !== error?.step);
}

/** A call that was cancelled ends earlier than its tool would; one that ends at that moment may be either. */
function seen({ input, config, from, to }: Call): unknown {
  const { code: _code, name: _name, ...rest } = dict(config);
  return { input, ...(Object.keys(rest).length > 0 && { config: rest }), time: [from, to] };
}
