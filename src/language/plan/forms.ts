/** The form of a wait: what a person is asked, who may answer, and what an answer becomes. Pure: the engine, the facade and the console agree. */
import { checkInputs, type WrongInput } from './inputs/check';
import { INPUT_TYPES, type InputType, schemasIn } from './inputs/schema';
import { isMapping, type Json, type JsonObject } from './json';
import { excerpt, jsonSize } from './json-size';
import { jsonOr } from './json-text';
import { secondsOf } from './seconds';

/** Evaluated. Plain JSON. */
export interface WaitForm {
  readonly title: string | null;
  readonly text: string | null;
  /** As inputs in `metadata.workload`, with `label` and `default`. */
  readonly fields: JsonObject;
  readonly who: {
    /** Callers of this scope may answer. */
    readonly scope: string | null;
    /** Callers with a token of one of these names may. */
    readonly tokens: readonly string[];
    /** Whoever has a link may, for so many seconds; null: there are no links. */
    readonly link: number | null;
  };
}

/** What an answer has besides the fields of its form. */
const ANSWER_KEYS = ['rejected', 'reason', 'by', 'via'] as const;

const MAX_FORM = 64 * 1024;
const MAX_REASON = 2000;
const LINK_S = 7 * 86_400;

/** @returns a text: what is wrong with it */
export function formIn(value: Json): WaitForm | string {
  if (!isMapping(value)) return `must be a mapping, got ${excerpt(value)}`;
  if (jsonSize(value) > MAX_FORM) return 'comes to more than 64 KiB as JSON';
  const { title = null, text = null, fields = {}, who } = value;
  if (!isMapping(fields)) return `its fields must be a mapping, got ${excerpt(fields)}`;
  for (const [name, field] of Object.entries(fields)) {
    const why = whyNoField(name, field);
    if (why !== undefined) return `its field ${name} ${why}`;
  }
  const answerers = answerersIn(who ?? {});
  if (typeof answerers === 'string') return answerers;
  return { title: shownText(title), text: shownText(text), fields, who: answerers };
}

function whyNoField(name: string, field: Json | undefined): string | undefined {
  if ((ANSWER_KEYS as readonly string[]).includes(name)) return 'has a name that every answer has already';
  if (!isMapping(field)) return 'must be a mapping like {type: string}';
  if (field['secret'] === true) return 'is secret, but answers are kept in history';
  const stray = [field['type'] ?? []].flat().find((one) => !(INPUT_TYPES as readonly Json[]).includes(one));
  return stray === undefined
    ? undefined
    : `has the type ${excerpt(stray)}; types are ${INPUT_TYPES.join(', ')}`;
}

function answerersIn(who: Json): WaitForm['who'] | string {
  if (!isMapping(who)) return `its who must be a mapping like {scope: run, link: true}, got ${excerpt(who)}`;
  const { link = null } = who;
  const tokens = [who['tokens'] ?? []].flat().map(String);
  const seconds = link === true ? LINK_S : link === false || link === null ? null : secondsOf(link);
  if (seconds === undefined || seconds === 0)
    return `its who.link must be true or a duration, got ${excerpt(link)}`;
  const usual = tokens.length === 0 && seconds === null ? 'run' : null;
  return { scope: typeof who['scope'] === 'string' ? who['scope'] : usual, tokens, link: seconds };
}

function shownText(value: Json): string | null {
  return value === null || typeof value === 'string' ? value : JSON.stringify(value);
}

/**
 * The result of a wait that is answered so, or what is wrong with the answer.
 *
 * @param given the fields, or `{rejected: true, reason}`
 */
export function answerTo(
  { fields }: WaitForm,
  given: Json,
): { readonly result?: JsonObject; readonly wrong?: readonly WrongInput[] } {
  if (!isMapping(given))
    return { wrong: [{ at: 'answer', message: 'must be a mapping of fields to values' }] };
  const { rejected = false, reason = null, ...values } = given;
  if (rejected === true) {
    if (reason === null || (typeof reason === 'string' && reason.length <= MAX_REASON))
      return { result: { rejected, reason } };
    return {
      wrong: [{ at: 'answer.reason', message: `must be a text of at most ${MAX_REASON} characters` }],
    };
  }
  const defaults = Object.entries(fields).map(([name, field]): [string, Json] => [
    name,
    (isMapping(field) ? field['default'] : undefined) ?? null,
  ]);
  const defaulted = new Set(defaults.flatMap(([name, value]) => (value === null ? [] : [name])));
  const stray = Object.keys(values).filter((name) => !Object.hasOwn(fields, name));
  // Whatever looks like the handle of a secret would fit every type.
  const handles = Object.keys(values).filter((name) => JSON.stringify(values[name]).includes('"$secret":'));
  const wrong = [
    ...(rejected === false ? [] : [{ at: 'answer.rejected', message: 'must be true or false' }]),
    ...checkInputs(schemasIn(fields), defaulted, values as JsonObject, 'answer'),
    ...stray.map((name) => ({ at: `answer.${name}`, message: 'is not a field of the form' })),
    ...handles.map((name) => ({ at: `answer.${name}`, message: 'has a key $secret, which no answer has' })),
  ];
  if (wrong.length > 0) return { wrong };
  return {
    result: { ...Object.fromEntries(defaults), ...values, rejected: false, reason: null } as JsonObject,
  };
}

/** A field as forms show it. */
export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly kind: InputType | 'enum';
  readonly default: Json;
  readonly required: boolean;
  readonly description: string | null;
  readonly options: readonly Json[] | null;
}

export function formFields({ fields }: Pick<WaitForm, 'fields'>): FormField[] {
  return [...schemasIn(fields)].map(([name, { types = [], options, required, description = null }]) => {
    const { label, default: value = null } = fields[name] as JsonObject;
    const [type = 'string'] = types.filter((one) => one !== 'null');
    return {
      ...{ name, required, description, default: value, options: options ?? null },
      label: typeof label === 'string' ? label : name,
      kind: options ? 'enum' : type,
    };
  });
}

/** The value that somebody means who writes this text into the field; what it cannot be stays text, which the check refuses. */
export function valueIn({ kind, options }: Pick<FormField, 'kind' | 'options'>, text: string): Json {
  if (kind === 'enum') return options?.find((one) => (shownText(one) ?? '') === text) ?? text;
  if (kind === 'string') return text;
  try {
    return jsonOr(text.trim(), text);
  } catch {
    return text; // a number beyond all numbers
  }
}

/** A task that waits for an event. */
export interface AwaitedEvent {
  readonly task_run_id: string;
  readonly step: string;
  readonly event: string;
  /** Milliseconds since the epoch; absent without a limit. */
  readonly until?: number;
  readonly form?: WaitForm;
}
