/** A failing run as a rehearsal in the making: data that can be made smaller, and its text. */
import { stringify } from 'yaml';
import { type Json, type JsonObject } from '../../../language/plan';
import { START } from '../../drive';
import { recordedEvent, type Invariant, type RehearsalStatus } from '../../rehearsal';
import { type SeedRun } from '../run';
import { type Given } from '../world';

export interface RehearsalDraft {
  readonly payload: JsonObject;
  /** RFC 3339. */
  readonly startAt?: string;
  /** Answers in short form, by selector. */
  readonly mocks: Readonly<Record<string, readonly JsonObject[]>>;
  /** By kind. */
  readonly defaults: Readonly<Record<string, JsonObject>>;
  readonly events: readonly JsonObject[];
  readonly others: readonly JsonObject[];
  /** Tasks, as `step/task`, whose answers the author gave: they are not made simpler. */
  readonly fixed: ReadonlySet<string>;
  /** Answers that are faults, as text. */
  readonly faults: ReadonlySet<string>;
}

/** What the rehearsal shows. */
export interface Goal {
  /** As `Fault.id`. */
  readonly id: string;
  readonly invariant?: Invariant;
  /** Of a run without an end. */
  readonly limit: number;
}

/** The tasks whose answers the author gave, as `step/task`. */
export function fixedIn(runs: readonly SeedRun[]): ReadonlySet<string> {
  const answers = runs.flatMap(({ given }) => given).filter(({ from }) => from === 'author');
  return new Set(answers.map((one) => selectorOf(one, false)));
}

/** Everything as it was. @param byIteration whether the iterations of loops have answers of their own */
export function draftOf(
  { payload, startAt, given, messages, others }: SeedRun,
  { byIteration, fixed }: { readonly byIteration: boolean; readonly fixed: ReadonlySet<string> },
): RehearsalDraft {
  const mocks: Record<string, JsonObject[]> = {};
  for (const one of given) (mocks[selectorOf(one, byIteration)] ??= []).push(answerOf(one));
  const events = messages.flatMap(({ after, input }): JsonObject[] => {
    const event = recordedEvent(input);
    return event ? [{ after: `${after}ms`, ...event }] : [];
  });
  const start = startAt === START ? {} : { startAt: new Date(startAt).toISOString() };
  return {
    payload,
    ...start,
    mocks,
    defaults: {},
    events,
    others: others.map(otherOf),
    fixed,
    faults: new Set(
      given.flatMap(({ from, choice }) => (from === 'fault' ? [JSON.stringify(choice.words())] : [])),
    ),
  };
}

/** Whether it still has a failure that the seed drew, or a call that is repeated. */
export function hasFault({ mocks, faults }: RehearsalDraft): boolean {
  return Object.values(mocks)
    .flat()
    .some(
      ({ duration: _, repeat: __, executions, ...words }) =>
        executions !== undefined || faults.has(JSON.stringify(words)),
    );
}

function otherOf({ execution, arrives, ends }: SeedRun['others'][number]): JsonObject {
  return { execution, arrives: `${arrives}ms`, ...(ends !== undefined && { ends: `${ends}ms` }) };
}

function selectorOf({ call: { step, task, iteration } }: Given, byIteration: boolean): string {
  return `${step}/${task}${byIteration && iteration !== undefined ? `[${iteration}]` : ''}`;
}

function answerOf({ choice, after, executions }: Given): JsonObject {
  return {
    ...choice.words(),
    ...(after > 0 && { duration: `${after}ms` }),
    ...(executions > 1 && { executions }),
  };
}

export interface Titled {
  /** As written in the file. */
  readonly playbook: string;
  readonly name: string;
  readonly status: RehearsalStatus;
}

/** The rehearsal file. */
export function draftText(
  draft: RehearsalDraft,
  { id, invariant, limit }: Goal,
  { playbook, name, status }: Titled,
): string {
  const { payload, startAt, mocks, defaults, events, others } = draft;
  const answers = Object.entries(mocks).map(
    ([selector, list]) => `  ${flow(selector)}: ${answersText(list)}`,
  );
  return [
    `playbook: ${flow(playbook)}`,
    `name: ${flow(name)}`,
    ...(Object.keys(payload).length > 0 ? [`payload: ${flow(payload)}`] : []),
    ...(startAt ? [`start_at: ${JSON.stringify(startAt)}`] : []),
    ...(id === 'end.endless' ? [`limit: ${limit}`] : []),
    ...(Object.keys(defaults).length > 0 ? [`defaults: ${flow(defaults)}`] : []),
    ...(answers.length > 0 ? ['mocks:', ...answers] : []),
    ...(events.length > 0 ? ['events:', ...events.map((event) => `  - ${flow(event)}`)] : []),
    ...(others.length > 0 ? ['others:', ...others.map((other) => `  - ${flow(other)}`)] : []),
    ...(invariant ? expectationLines(invariant, status) : []),
    '',
  ].join('\n');
}

function expectationLines({ when, name, source }: Invariant, status: RehearsalStatus): string[] {
  const condition = flow(source);
  return [
    'expect:',
    ...(status === 'completed' ? [] : [`  status: ${status}`]),
    `  ${when}:`,
    `    ${name === source ? '-' : `${flow(name)}:`} ${condition}`,
  ];
}

/** One answer alone, or a list in which equal neighbours are one. */
function answersText(list: readonly JsonObject[]): string {
  const merged: JsonObject[] = [];
  let before = '';
  for (const answer of list) {
    const text = JSON.stringify(answer);
    const last = merged.at(-1);
    if (last && text === before)
      merged[merged.length - 1] = { ...last, repeat: Number(last['repeat'] ?? 1) + 1 };
    else merged.push(answer);
    before = text;
  }
  return flow(merged.length === 1 ? merged[0]! : merged);
}

function flow(value: Json): string {
  return stringify(value, { collectionStyle: 'flow', flowCollectionPadding: true, lineWidth: 0 }).trim();
}
