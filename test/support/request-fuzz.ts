/**
 * Requests drawn from an OpenAPI document: every operation, with parameters and bodies that fit their schema, nearly fit,
 * or do not at all, from callers with every right and none. Whatever is sent, an answer is neither an error of ours nor
 * late, and shows nothing of our code.
 */
import { nextRandom, seedFrom } from '../../src/engine/machine/state/random';

export interface Schema {
  readonly [key: string]: unknown;
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly required?: readonly string[];
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

export interface FuzzOptions {
  readonly url: string;
  readonly document: ApiDocument;
  readonly seed: string;
  /** Header sets of callers: with each right, none, a wrong token. */
  readonly callers: readonly Readonly<Record<string, string>>[];
  /** Values of path parameters that exist. */
  readonly known: Readonly<Record<string, readonly string[]>>;
  /** An answer that takes longer is late. */
  readonly patienceMs: number;
}

export interface Finding {
  readonly number: number;
  readonly request: string;
  readonly what: string;
}

const LONG = 20_000;
const HOSTILE: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1e308,
  2 ** 53,
  -0.5,
  '',
  ' ',
  '0',
  'null',
  '\0',
  '\ud800',
  '\u202e',
  'é'.repeat(50),
  'x'.repeat(LONG),
  '%',
  "'; DROP TABLE x; --",
  '$(id)',
  '{{ 7 * 7 }}',
  '{{ [[[1]*1000]*1000]*1000 }}',
  '../../etc/passwd',
  'a/b/../c',
  '*',
  '-',
  '9'.repeat(30),
  'P1000000Y',
  '9999999999d',
  '2024-02-30T25:61:61Z',
  '[',
  '(?<=a)(a+)+$',
  '__proto__',
  'constructor',
  [],
  {},
  [[]],
  [null],
  { $secret: 'x' },
  { a: { b: [1] } },
  { ['__proto__']: 1 },
  nested(150),
  Array(500).fill('x'),
];
const RAW: readonly string[] = [
  '',
  '{',
  'null',
  '[]',
  '"x"',
  '{"a": NaN}',
  '{"a":1,"a":2}',
  '\ufeff{}',
  '['.repeat(10_000),
  '{"a":'.repeat(3_000),
  'a=b&c=d',
  `{"a":"${'x'.repeat(300_000)}"}`,
  `[${'0,'.repeat(300_000)}0]`,
];
const TYPES = [
  'application/json',
  'application/json; charset=utf-16',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'a/b',
  '',
];
const ACCEPTED = ['application/json', '*/*', 'application/x-ndjson', 'text/html', 'x'];

function nested(depth: number): unknown {
  let all: unknown = 1;
  for (let n = 0; n < depth; n++) all = n % 2 ? [all] : { a: all };
  return all;
}

/** @returns what should not have been, for requests `from` to `to` of the seed */
export async function fuzz(options: FuzzOptions, from: number, to: number): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (let number = from; number < to; number++) {
    const drawn = new Drawn(options, number);
    const what = await wrongWith(drawn.request(), options.patienceMs);
    if (what !== undefined) findings.push({ number, request: drawn.shown, what });
  }
  return findings;
}

async function wrongWith(request: Request, patienceMs: number): Promise<string | undefined> {
  const began = performance.now();
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), patienceMs);
  try {
    const response = await fetch(request, { signal: late.signal });
    // A stream of a running execution goes on.
    if (/event-stream|ndjson/.test(response.headers.get('content-type') ?? '')) {
      await response.body?.cancel();
      return response.status >= 500 ? `${response.status}` : undefined;
    }
    const text = await response.text();
    if (response.status >= 500 && response.status !== 501) return `${response.status} ${text.slice(0, 400)}`;
    if (/\n\s+at \S+.*:\d+:\d+|node_modules|\/(src|dist)\/[\w/-]+\.[jt]s/.test(text))
      return `shows code: ${text.slice(0, 400)}`;
    return undefined;
  } catch (error) {
    if (late.signal.aborted) return `no answer after ${Math.round(performance.now() - began)} ms`;
    // The edge closes the connection of a request that it has refused before its body was read.
    return /UND_ERR_SOCKET|EPIPE|ECONNRESET/.test(
      String((error as { cause?: { code?: string } }).cause?.code),
    )
      ? undefined
      : String((error as { cause?: unknown }).cause ?? error);
  } finally {
    clearTimeout(timer);
  }
}

class Drawn {
  shown = '';
  private readonly seed;

  constructor(
    private readonly options: FuzzOptions,
    number: number,
  ) {
    this.seed = seedFrom(`${options.seed}/${number}`);
  }

  request(): Request {
    const { document, url, callers } = this.options;
    const template = this.of(Object.keys(document.paths));
    const method = this.of(Object.keys(document.paths[template]!));
    const operation = document.paths[template]![method]!;
    const path = template.replace(/\{(\w+)\}/g, (_, name: string) => this.segment(name));
    const query = (operation.parameters ?? [])
      .filter((one) => one.in === 'query' && this.chance(0.6) && one.name !== 'follow')
      .map(
        ({ name, schema }) => `${name}=${encodeURIComponent(wellFormed(String(this.value(schema, 0.4))))}`,
      );
    const body = this.body(operation);
    const headers: Record<string, string> = {
      ...this.of(callers),
      accept: this.of(ACCEPTED),
      ...(body !== undefined && { 'content-type': this.chance(0.85) ? TYPES[0]! : this.of(TYPES) }),
    };
    const where = `${path}${query.length > 0 ? `?${query.join('&')}` : ''}`;
    this.shown = `${method.toUpperCase()} ${where.slice(0, 300)} ${body?.slice(0, 300) ?? ''}`;
    return new Request(`${url}${where}`, {
      method: method.toUpperCase(),
      headers,
      ...(body !== undefined && { body }),
    });
  }

  private segment(name: string): string {
    const known = this.options.known[name] ?? [];
    if (known.length > 0 && this.chance(0.6)) return encodeURIComponent(this.of(known)).replace(/%2F/g, '/');
    return (
      encodeURIComponent(
        wellFormed(String(this.of([...HOSTILE, ...Object.values(this.options.known).flat()]))),
      ).slice(0, 4_000) || 'x'
    );
  }

  private body({ requestBody }: Operation): string | undefined {
    const schema = requestBody?.content['application/json']?.schema;
    if (!schema) return undefined;
    if (this.chance(0.1)) return this.of(RAW);
    return JSON.stringify(this.value(schema, this.of([0, 0.1, 0.4])));
  }

  /** @param wrong how probably a part is not as declared */
  private value(schema: Schema, wrong: number, depth = 0): unknown {
    if (this.chance(wrong)) return this.of(HOSTILE);
    const { $ref } = schema;
    if ($ref)
      return depth > 6
        ? null
        : this.value(
            this.options.document.components?.schemas?.[$ref.split('/').at(-1)!] ?? {},
            wrong,
            depth + 1,
          );
    if (schema.enum) return this.of(schema.enum);
    if (schema.const !== undefined) return schema.const;
    const choices = (schema['anyOf'] ?? schema['oneOf']) as readonly Schema[] | undefined;
    if (choices) return this.value(this.of(choices), wrong, depth + 1);
    if (schema.example !== undefined && this.chance(0.5)) return schema['example'];
    switch (schema.type) {
      case 'object':
        return this.mapping(schema, wrong, depth);
      case 'array':
        return Array.from({ length: Math.floor(this.next() * 4) }, () =>
          this.value(schema.items ?? {}, wrong, depth + 1),
        );
      case 'string':
        return this.of(
          Object.values(this.options.known)
            .flat()
            .concat(['a', 'x/y', '1h', '2026-01-01T00:00:00Z', '*/5 * * * *']),
        );
      case 'integer':
        return this.of([0, 1, 2, 10, 1_000, Number(schema['maximum'] ?? 5), Number(schema['minimum'] ?? 0)]);
      case 'number':
        return this.of([0, 0.5, 1, 60]);
      case 'boolean':
        return this.chance(0.5);
      default:
        return this.of(HOSTILE);
    }
  }

  private mapping({ properties = {}, required = [] }: Schema, wrong: number, depth: number): unknown {
    const names = Object.keys(properties).filter(
      (name) => depth < 8 && (required.includes(name) || this.chance(0.5)),
    );
    const all = Object.fromEntries(
      names.map((name) => [name, this.value(properties[name]!, wrong, depth + 1)]),
    );
    return this.chance(wrong) ? { ...all, [String(this.of(HOSTILE))]: this.of(HOSTILE) } : all;
  }

  private of<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.next() * choices.length)]!;
  }

  private chance(share: number): boolean {
    return this.next() < share;
  }

  private next(): number {
    return nextRandom(this.seed);
  }
}

/** `encodeURIComponent` accepts no half of a surrogate pair. */
function wellFormed(text: string): string {
  return text.replace(/[\ud800-\udfff]/g, '?');
}
