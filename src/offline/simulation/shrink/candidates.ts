/** Ways to make a draft smaller. Each candidate is smaller by some measure, so that shrinking ends. */
import { isMapping, type Json, type JsonObject } from '../../../language/plan';
import { selectorName, type SelectedTask } from '../../rehearsal';
import { type RehearsalDraft } from './draft';

/** What is known of the playbook. */
interface ShrinkContext {
  readonly places: readonly SelectedTask[];
  /** The least that a kind answers. */
  readonly least: (kind: string) => JsonObject;
}

type Pass = (draft: RehearsalDraft, context: ShrinkContext) => Generator<RehearsalDraft>;

/** In order: what removes most comes first. */
export const PASSES: readonly Pass[] = [
  withoutEvents,
  withoutDurations,
  withDefaults,
  withFewerAnswers,
  withSimplerAnswers,
  withSmallerPayload,
  withoutDefaults,
  withoutStart,
  withShorterNames,
];

function* withoutEvents(draft: RehearsalDraft): Generator<RehearsalDraft> {
  for (const events of smallerLists(draft.events)) yield { ...draft, events };
  for (const others of smallerLists(draft.others)) yield { ...draft, others };
}

function* withoutStart({ startAt, ...draft }: RehearsalDraft): Generator<RehearsalDraft> {
  if (startAt !== undefined) yield draft;
}

/** All at once, then one by one; durations that matter are rounded. */
function* withoutDurations(draft: RehearsalDraft): Generator<RehearsalDraft> {
  const has = ({ duration }: JsonObject): boolean => duration !== undefined;
  const drop = ({ duration: _, ...answer }: JsonObject): JsonObject => answer;
  const lists = Object.entries(draft.mocks);
  if (!lists.some(([, list]) => list.some(has))) return;
  const all = Object.fromEntries(lists.map(([key, list]) => [key, list.map(drop)]));
  yield { ...draft, mocks: all };
  for (const [key, list] of lists) {
    if (list.some(has)) yield { ...draft, mocks: { ...draft.mocks, [key]: list.map(drop) } };
    for (const [i, answer] of list.entries())
      if (has(answer) && answer['duration'] !== '1s') {
        if (list.length > 1) yield withAnswer(draft, key, i, drop(answer));
        yield withAnswer(draft, key, i, { ...answer, duration: '1s' });
      }
  }
}

/** A task without a mock is answered by the default of its kind. */
function* withDefaults(draft: RehearsalDraft, { places, least }: ShrinkContext): Generator<RehearsalDraft> {
  for (const key of Object.keys(draft.mocks)) {
    const { [key]: _, ...mocks } = draft.mocks;
    const name = key.replace(/\[\d+\]$/, '');
    if (isFixed(draft, name)) continue;
    const kind = places.find(({ step, task }) => `${step}/${task.name}` === name)?.task.kind;
    yield { ...draft, mocks };
    if (kind && !draft.defaults[kind])
      yield { ...draft, mocks, defaults: { ...draft.defaults, [kind]: least(kind) } };
  }
}

function* withFewerAnswers(draft: RehearsalDraft): Generator<RehearsalDraft> {
  for (const [key, list] of Object.entries(draft.mocks)) {
    if (list.length < 2) continue;
    const different = [...new Map(list.map((one) => [JSON.stringify(one), one])).values()];
    // A readable list makes a clearer rehearsal.
    if (list.length > 4)
      for (const answer of different)
        yield { ...draft, mocks: { ...draft.mocks, [key]: [{ ...answer, repeat: 'always' }] } };
    for (const fewer of smallerLists(list))
      if (fewer.length > 0) yield { ...draft, mocks: { ...draft.mocks, [key]: fewer } };
  }
}

function* withSimplerAnswers(
  draft: RehearsalDraft,
  { places, least }: ShrinkContext,
): Generator<RehearsalDraft> {
  for (const [key, list] of Object.entries(draft.mocks)) {
    const name = key.replace(/\[\d+\]$/, '');
    const kind = places.find(({ step, task }) => `${step}/${task.name}` === name)?.task.kind;
    for (const [i, answer] of list.entries()) {
      const { executions, repeat, ...words } = answer;
      if (executions !== undefined) yield withAnswer(draft, key, i, { ...words, ...(repeat && { repeat }) });
      if (isFixed(draft, name)) continue;
      const simple = { ...(kind && least(kind)), ...(repeat && { repeat }) };
      if (kind && isSimpler(simple, answer)) yield withAnswer(draft, key, i, simple);
      if (words['error'] !== undefined || !isMapping(answer)) continue;
      for (const smaller of smallerMappings(answer)) yield withAnswer(draft, key, i, smaller);
    }
  }
}

function* withSmallerPayload(draft: RehearsalDraft): Generator<RehearsalDraft> {
  for (const payload of smallerMappings(draft.payload)) yield { ...draft, payload };
}

function* withoutDefaults(draft: RehearsalDraft): Generator<RehearsalDraft> {
  for (const kind of Object.keys(draft.defaults)) {
    const { [kind]: _, ...defaults } = draft.defaults;
    yield { ...draft, defaults };
  }
}

/** One list for all iterations; then the shortest name that selects the task. */
function* withShorterNames(draft: RehearsalDraft, { places }: ShrinkContext): Generator<RehearsalDraft> {
  const keys = Object.keys(draft.mocks);
  for (const key of keys) {
    const [, name = key, index] = /^(.*?)(\[\d+\])?$/.exec(key) ?? [];
    if (
      index !== undefined &&
      keys.filter((one) => one.startsWith(`${name}[`)).length === 1 &&
      !keys.includes(name)
    )
      yield renamed(draft, key, name);
    const place = places.find(({ step, task }) => `${step}/${task.name}` === name);
    const short = place && selectorName({ step: place.step, task: place.task.name }, places);
    if (short && short.length < name.length) yield renamed(draft, key, `${short}${index ?? ''}`);
  }
}

/** @param name `step/task`, or a shorter one that selects the task */
function isFixed({ fixed }: RehearsalDraft, name: string): boolean {
  return [...fixed].some((one) => one === name || one.startsWith(`${name}/`) || one.endsWith(`/${name}`));
}

function renamed(draft: RehearsalDraft, from: string, to: string): RehearsalDraft {
  const entries = Object.entries(draft.mocks).map(([key, list]) => [key === from ? to : key, list] as const);
  return { ...draft, mocks: Object.fromEntries(entries) };
}

function withAnswer(draft: RehearsalDraft, key: string, index: number, answer: JsonObject): RehearsalDraft {
  const list = draft.mocks[key]!.map((one, i) => (i === index ? answer : one));
  return { ...draft, mocks: { ...draft.mocks, [key]: list } };
}

/** A success is simpler than any failure. */
function isSimpler(a: JsonObject, b: JsonObject): boolean {
  const isFailure = (one: JsonObject): boolean => one['error'] !== undefined;
  if (isFailure(a) !== isFailure(b)) return isFailure(b);
  return JSON.stringify(a).length < JSON.stringify(b).length;
}

/** Nothing, one half, then all but one element. */
function* smallerLists<T>(list: readonly T[]): Generator<T[]> {
  if (list.length === 0) return;
  yield [];
  const half = Math.ceil(list.length / 2);
  if (list.length > 2) {
    yield list.slice(0, half);
    yield list.slice(half);
  }
  if (list.length < 2) return;
  for (let i = list.length - 1; i >= 0; i--) yield list.filter((_, at) => at !== i);
}

function* smallerMappings(mapping: JsonObject): Generator<JsonObject> {
  for (const [key, value] of Object.entries(mapping)) {
    const { [key]: _, ...rest } = mapping;
    yield rest;
    for (const smaller of smallerValues(value)) yield { ...mapping, [key]: smaller };
  }
}

function* smallerValues(value: Json): Generator<Json> {
  if (Array.isArray(value)) {
    yield* smallerLists(value);
    for (const [i, item] of value.entries())
      for (const smaller of smallerValues(item)) yield value.map((one, at) => (at === i ? smaller : one));
  } else if (isMapping(value)) yield* smallerMappings(value as JsonObject);
}
