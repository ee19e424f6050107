/**
 * Checks the expectations of a rehearsal against its simulation: one function each, and the table that runs them
 * all.
 */
import { itemName, type Json, type Plan, type SourcePosition } from '../../../language/plan';
import { formatTime } from '../format/amounts';
import { errorFields } from '../event-fields';
import { STATUS_OF_END } from '../invariants/watch';
import { type Simulated } from '../../drive';
import { checkCalls } from './calls';
import { differences, differing, type RehearsalProblem, show, type Rehearsed } from './problem';
import { checkExpectedEvents, checkNever } from './events';
import { checkHappenings, checkMocks, unanswered } from './mocks';
import { checkSteps } from './steps';
import { type Violation } from '../invariants/read';

type Check = (rehearsed: Rehearsed) => RehearsalProblem[];

/** In order of usefulness: how it ended and why, then what it did. */
const CHECKS: readonly Check[] = [
  checkStatus,
  checkError,
  checkInvariants,
  checkData,
  checkSteps,
  checkCalls,
  checkExpectedEvents,
  checkNever,
  checkElapsed,
  checkHappenings,
  checkMocks,
];

/** The failed expectations; a call without an answer ends the rehearsal, so it is the only problem reported. */
export function problemsOf(rehearsed: Rehearsed): RehearsalProblem[] {
  const stopped = unanswered(rehearsed);
  return stopped === undefined ? CHECKS.flatMap((check) => check(rehearsed)) : [stopped];
}

function checkStatus({ rehearsal, run, plan }: Rehearsed): RehearsalProblem[] {
  const { value, at } = rehearsal.expect.status;
  const status = STATUS_OF_END[run.end];
  if (value === status) return [];
  const error = run.error;
  return [
    {
      part: 'status',
      at,
      message: `expected ${value}, got ${status}`,
      details: error ? errorLines(run) : status === 'waiting' ? waitingLines(run) : [],
      ...(error ? { playbookAt: error.at ?? stepAt(plan, error.step) } : {}),
      ...(status === 'failed' && value === 'completed'
        ? { hint: 'to expect a failure, write `error: {code: …}`' }
        : {}),
    },
  ];
}

/** Where the execution failed, and why. */
function errorLines({ error }: Simulated): string[] {
  const { code, message, step, task, iteration, attempt } = error!;
  const place = [
    step && `step ${step}`,
    task && `task ${task}`,
    iteration !== undefined && itemName(iteration),
    attempt !== undefined && `attempt ${attempt}`,
  ].filter(Boolean);
  return [`${code}${place.length > 0 ? ` in ${place.join(', ')}` : ''}: ${message}`];
}

function waitingLines({ state }: Simulated): string[] {
  const steps = Object.values(state.tokens).map((token) => token.step);
  const why = state.status === 'paused' ? 'it is paused' : 'nothing more can happen';
  return [`${why}; tokens are at ${[...new Set(steps)].join(', ')}`];
}

function checkError({ rehearsal, run, plan }: Rehearsed): RehearsalProblem[] {
  const expected = rehearsal.expect.error;
  const { error } = run;
  // If it did not fail at all, the status check reports it.
  if (expected === undefined || error === undefined) return [];
  const actual: Readonly<Record<string, Json | undefined>> = errorFields(error);
  const wrong = expected.fields.filter(({ name, value }) => String(actual[name] ?? '') !== value);
  const lines = wrong.map(({ name, value }) => {
    const actualValue = actual[name];
    return `error.${name}: expected ${value}, got ${actualValue === undefined ? 'none' : String(actualValue)}`;
  });
  const { message } = expected;
  const mismatch = message !== undefined && !message.matches(error.message);
  if (mismatch) lines.push(`error.message: expected ${message.text}, got ${show(error.message)}`);
  if (lines.length === 0) return [];
  const at = wrong[0]?.at ?? message?.at ?? expected.at;
  return [
    {
      part: 'error',
      at,
      message: 'another error occurred',
      details: lines,
      playbookAt: error.at ?? stepAt(plan, error.step),
    },
  ];
}

function checkData({ rehearsal, run }: Rehearsed): RehearsalProblem[] {
  return rehearsal.expect.data.flatMap(({ of, name, exact, node }) => {
    // Without a result the status check has reported why.
    if (of === 'result' && run.result === undefined) return [];
    const actual = of === 'result' ? run.result : run.state.ctx;
    return differing(name, differences(node, actual, exact, of));
  });
}

function checkElapsed({ rehearsal, run }: Rehearsed): RehearsalProblem[] {
  return rehearsal.expect.elapsed.flatMap(({ comparison, at }): RehearsalProblem[] => {
    if (comparison.holds(run.elapsed)) return [];
    const message = `expected ${comparison.text}, got ${formatTime(run.elapsed)} of simulated time`;
    return [{ part: 'elapsed', at, message, details: [] }];
  });
}

function stepAt(plan: Plan, name: string | undefined): SourcePosition | undefined {
  return plan.steps.find((step) => step.name === name)?.at;
}

export function checkInvariants({ watch }: Rehearsed): RehearsalProblem[] {
  return watch.violations.map((one) => ({
    part: partOf(one),
    at: one.invariant.at,
    message: `does not hold ${momentOf(one)}`,
    details: [...(one.invariant.name === one.invariant.source ? [] : [one.invariant.source]), ...one.why],
  }));
}

/** As in problems: `at_end.no double charge`. */
export function partOf({ invariant: { when, name } }: Violation): string {
  return `${when}.${name}`;
}

/** `after 3 s`, `at the end`. */
function momentOf({ invariant: { when }, at }: Violation): string {
  return when === 'always' ? `after ${formatTime(at)}` : 'at the end';
}
