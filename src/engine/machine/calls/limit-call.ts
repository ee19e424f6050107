/** Requests to the keepers of limits by key: their fields evaluated, and the call that carries them. */
import {
  excerpt,
  type Json,
  type JsonObject,
  type KeptLimit,
  LIMIT_KIND,
  type SourcePosition,
  secondsOf,
  type PlanValue,
} from '../../../language/plan';
import { book, type Context, EngineError, ownCall } from '../batch';
import { type EnginePlace, evaluateAt } from '../scope';
import { seedFrom } from '../state';

/** Longer workflow ids do not fit into every database of a Temporal server. */
const MAX_ID_LENGTH = 200;
const MAX_KEY_LENGTH = 1000;

/**
 * The workflow id of the keeper: legible, and distinct for every scope and key: a colon in a scope is written `~:`, and `~`
 * as `~~`. The key comes last and needs no escape.
 */
export function keeperId({ of, scope, key }: KeptLimit): string {
  const id = `noetl-limit:${of}:${scope.replace(/[~:]/g, '~$&')}:${key}`;
  if (id.length <= MAX_ID_LENGTH) return id;
  const digest = seedFrom(id).map((word) => word.toString(16).padStart(8, '0'));
  return `${Array.from(id).slice(0, 150).join('')}~${digest.join('')}`;
}

/** Evaluates one field of a limit; `name` and `at` are for its errors. */
export class LimitFields {
  constructor(
    private readonly context: Context,
    private readonly place: EnginePlace,
    private readonly name: string,
    private readonly at: SourcePosition,
  ) {}

  /** @throws EngineError `LIMIT_KEY`; TemplateError. Without a value the key is empty. */
  key(value: PlanValue | undefined, field = 'key'): string {
    if (value === undefined) return '';
    const key = evaluateAt(this.context, value, this.place);
    const text = ['string', 'number', 'boolean'].includes(typeof key) ? String(key) : '';
    if (text !== '' && text.length <= MAX_KEY_LENGTH) return text;
    throw this.wrong(
      field,
      `text of 1 to ${MAX_KEY_LENGTH} characters, a number, or true or false`,
      key,
      'LIMIT_KEY',
    );
  }

  /** A whole number from 1. @throws EngineError `LIMIT_NUMBER`; TemplateError */
  count(value: PlanValue, field: string): number {
    const raw = evaluateAt(this.context, value, this.place);
    const number = typeof raw === 'string' && raw.trim() !== '' ? Number(raw) : raw;
    if (typeof number === 'number' && Number.isInteger(number) && number >= 1) return number;
    throw this.wrong(field, 'a whole number from 1', raw);
  }

  /** Milliseconds above 0 of a duration. @throws EngineError `LIMIT_NUMBER`; TemplateError */
  milliseconds(value: PlanValue, field: string): number {
    const raw = evaluateAt(this.context, value, this.place);
    const ms = Math.round((secondsOf(raw) ?? 0) * 1000);
    if (ms > 0) return ms;
    throw this.wrong(field, 'a number of seconds above 0, or a duration like 30s or PT5M', raw);
  }

  private wrong(field: string, must: string, value: Json, code = 'LIMIT_NUMBER'): EngineError {
    const message = `${field} of ${this.name} must be ${must}, got ${excerpt(value)}`;
    return new EngineError(code, message, this.at);
  }
}

/**
 * Asks a keeper.
 *
 * @param id the activity id
 */
export function askKeeper(
  context: Context,
  id: string,
  { keeper, kept, request }: { keeper: string; kept: KeptLimit; request: object },
): void {
  const { state } = context;
  book(state, id, '', false);
  const config = { keeper, kept: { ...kept }, request: { execution: state.executionId, ...request } };
  context.command({
    type: 'runTask',
    call: ownCall(state, id, LIMIT_KIND, config as JsonObject),
    summary: `${kept.of} ${kept.key}`.trim().slice(0, 200),
    atMostOnce: false,
  });
}
