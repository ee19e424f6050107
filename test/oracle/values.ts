/** Templates, and the views through which they read results (docs/design/names.md). */
import {
  truthOfCondition,
  evaluate,
  hasTemplateSyntax,
  listed,
  parseTemplate,
  plainValue,
  View,
} from '../../src/language/template';
import { type Dict, dict } from './document';

export interface Outcome {
  readonly status: 'ok' | 'error';
  readonly result: unknown;
  readonly error: Dict | null;
  readonly meta?: Dict;
  readonly http?: Dict;
}

/** Names that a template sees: the first map that has the name decides. */
export type Names = readonly Dict[];

const templates = new Map<string, ReturnType<typeof parseTemplate>>();

function templateOf(text: string): ReturnType<typeof parseTemplate> {
  const template = templates.get(text) ?? parseTemplate(text);
  templates.set(text, template);
  return template;
}

/** The value of YAML with templates. An undefined one is `undefined` at the root, and null inside. */
export function valueOf(raw: unknown, names: Names): unknown {
  if (typeof raw === 'string') {
    if (!hasTemplateSyntax(raw)) return raw;
    const lookup = (name: string): unknown => names.find((each) => Object.hasOwn(each, name))?.[name];
    return plainValue(evaluate(templateOf(raw), { lookup }));
  }
  if (Array.isArray(raw)) return raw.map((each) => valueOf(each, names) ?? null);
  if (typeof raw === 'object' && raw !== null) return mapOf(raw as Dict, names);
  return raw;
}

export function mapOf(raw: Dict, names: Names): Dict {
  return Object.fromEntries(Object.entries(raw).map(([key, each]) => [key, valueOf(each, names) ?? null]));
}

/** Whether a condition holds. A condition that is absent does. */
export function holds(when: unknown, names: Names): boolean {
  return (
    when === undefined || truthOfCondition(valueOf(typeof when === 'string' ? when.trim() : when, names))
  );
}

/** What a tool returned: the body of `http`, otherwise the result itself. */
export function payloadOf({ result, http }: Outcome): unknown {
  return http ? (dict(result)['data'] ?? null) : result;
}

const SELF = new Set(['data', 'result', 'body', 'rows']);

function envelopeField(outcome: Outcome, key: string): unknown {
  if (key === 'error') return outcome.error ?? undefined;
  if (key === 'status' || key === 'meta' || key === 'http') return outcome[key];
  if (outcome.http && (key === 'status_code' || key === 'headers')) return dict(outcome.result)[key];
  return undefined;
}

function payloadField(payload: unknown, key: string | number): unknown {
  if (typeof key === 'number') return listOf(payload)?.at(key);
  return Object.hasOwn(dict(payload), key) ? dict(payload)[key] : undefined;
}

/** A step, a task, `response` or `result`: keys of the payload first, then aliases and the envelope. */
export class ResultView extends View {
  constructor(
    private readonly outcome: Outcome,
    private readonly payload: unknown = payloadOf(outcome),
    private readonly tasks: Dict = {},
  ) {
    super();
  }
  get(key: string | number): unknown {
    const own = payloadField(this.payload, key);
    if (own !== undefined) return own;
    if (typeof key !== 'string') return undefined;
    if (key === 'results' && Object.keys(this.tasks).length > 0) return this.tasks;
    if (SELF.has(key)) return this.payload;
    return envelopeField(this.outcome, key);
  }
  plain(): unknown {
    return this.payload;
  }
}

/** `output`, `outcome`, `this`: the envelope first. */
export class OutcomeView extends View {
  constructor(private readonly outcome: Outcome) {
    super();
  }
  get(key: string | number): unknown {
    if (key === 'result') return this.outcome.result;
    if (key === 'data') return payloadOf(this.outcome);
    const own = typeof key === 'string' ? envelopeField(this.outcome, key) : undefined;
    return own ?? payloadField(payloadOf(this.outcome), key);
  }
  plain(): unknown {
    return this.outcome;
  }
}

/** An event: its name is equal to each of its names. */
export class EventView extends View {
  constructor(private readonly all: readonly string[]) {
    super();
  }
  get(key: string | number): unknown {
    return key === 'name' ? new NameView(this.all) : undefined;
  }
  plain(): unknown {
    return { name: this.all[0] };
  }
}

class NameView extends View {
  constructor(private readonly all: readonly string[]) {
    super();
  }
  get(): undefined {
    return undefined;
  }
  plain(): unknown {
    return this.all[0];
  }
  override equals(other: unknown): boolean {
    return typeof other === 'string' && this.all.includes(other);
  }
}

/** Mappings merge key by key, everything else is replaced. */
export function deepMerge(under: unknown, over: unknown): unknown {
  const isMap = (value: unknown): boolean =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isMap(under) || !isMap(over)) return over;
  const merged: Dict = { ...dict(under) };
  for (const [key, value] of Object.entries(dict(over))) {
    merged[key] = Object.hasOwn(merged, key) ? deepMerge(merged[key], value) : value;
  }
  return merged;
}

/** A list, also that of a loop's value; undefined for anything else. */
export function listOf(value: unknown): readonly unknown[] | undefined {
  const items = listed(value);
  return Array.isArray(items) ? (items as unknown[]) : undefined;
}
