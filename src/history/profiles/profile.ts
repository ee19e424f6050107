/** What a profile is: a projection of the canonical events to what one specification lists, with its JSON Schema. */
import { type Json } from '../../plan';
import { type CanonicalEvent } from '../events';

export const PROFILE_NAMES = ['canonical', 'formal', 'extended', 'noetl'] as const;
export type ProfileName = (typeof PROFILE_NAMES)[number];

/** An event as a profile writes it. */
export type Row = Readonly<Record<string, unknown>>;

/** Projects the events of one execution, which it is given in order from the first; may remember what is open. */
export type Projection = (event: CanonicalEvent) => readonly Row[];

export interface Profile {
  readonly name: ProfileName;
  readonly project: () => Projection;
  /** JSON Schema (draft 2020-12) of a row. */
  readonly schema: () => Json;
}

/** The head that the schemas of all profiles share. */
export function schemaOf(
  name: ProfileName,
  description: string,
  properties: Record<string, Json>,
  optional: readonly string[] = [],
): Json {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `NoETL event, profile ${name}`,
    description,
    type: 'object',
    properties,
    required: Object.keys(properties).filter((key) => !optional.includes(key)),
    additionalProperties: false,
  };
}

export const TEXT: Json = { type: 'string', minLength: 1 };
export const TIME: Json = { type: 'string', format: 'date-time' };
export const OBJECT: Json = { type: 'object' };
export const COUNT: Json = { type: 'integer', minimum: 0 };
export const SOURCE: Json = { enum: ['server', 'worker'] };
export const oneOf = (values: readonly string[]): Json => ({ enum: [...values] });
export const orNull = (type: string): Json => ({ type: [type, 'null'] });

/** Retries by a rule: what `task.retrying` opens, the end of the next attempt closes. */
export class Retries {
  private readonly open = new Set<string>();

  /** Does this event begin a retry? Then its end is waited for. */
  begins(event: CanonicalEvent): boolean {
    if (event.event_type !== 'task.retrying') return false;
    this.open.add(base(event));
    return true;
  }

  /** Does this event end the attempt that a retry asked for? */
  ends(event: CanonicalEvent): boolean {
    if (event.event_type !== 'task.done' && event.event_type !== 'task.failed') return false;
    return this.open.delete(base(event));
  }
}

/** The task, whatever its attempts and entries: the next page of a call is an entry of its own. */
function base({ task_run_id = '' }: CanonicalEvent): string {
  return task_run_id.replace(/~\d+@\d+$/, '');
}
