/** Random tools: what each call of a task answers, and how long it takes. */
import fc from 'fast-check';
import { type Dict } from '../document';
import { type Answer, type Mock } from '../run';

/** One answer of a tool. */
export interface Said {
  readonly code: 'ok' | 'E1' | 'E2' | 'HTTP_503' | 'HTTP_404';
  readonly v: number;
  readonly more: boolean;
  /** Tenths of a second. */
  readonly took: number;
}

/** By task: the answers of its calls in order; the last one answers all that follow, and has no more pages. */
export type Tools = Readonly<Record<string, readonly Said[]>>;

const said: fc.Arbitrary<Said> = fc.record({
  code: fc.oneof(
    { weight: 5, arbitrary: fc.constant('ok' as const) },
    { weight: 3, arbitrary: fc.constantFrom('E1', 'E2', 'HTTP_503', 'HTTP_404') },
  ),
  v: fc.integer({ min: 0, max: 3 }),
  more: fc.boolean(),
  took: fc.integer({ min: 1, max: 50 }),
});

/** Answers for these tasks. */
export function tools(tasks: readonly string[]): fc.Arbitrary<Tools> {
  const answers = fc.array(said, { minLength: 1, maxLength: 5 });
  return fc
    .tuple(...tasks.map(() => answers))
    .map((all) => Object.fromEntries(tasks.map((task, n) => [task, all[n]!])));
}

/** The tools as functions of a call; a new one for each run, since it counts. */
export function mockOf(all: Tools): Mock {
  const counts = new Map<string, number>();
  return ({ id, step, task, kind }) => {
    // Claims take from one table, whichever slot asks.
    const key = id.replace(/\{\d+\}|~\d+@\d+$/g, '');
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    const answers = all[`${step}/${task}`] ?? all[step] ?? [];
    const last = count >= answers.length - 1;
    const answer = answers[Math.min(count, answers.length - 1)] ?? { code: 'ok', v: 1, more: false, took: 1 };
    const after = answer.took * 100 + (hash(`${key}/${count}`) % 97);
    const saying = { ...answer, more: answer.more && !last };
    const isClaim = task.endsWith('_claim') && saying.code === 'ok';
    return { outcome: isClaim ? claimed(saying, count) : outcomeOf(kind, saying), after };
  };
}

/** Up to four rows; without more, none. */
function claimed({ v, more }: Said, count: number): Answer['outcome'] {
  const rows = more ? Array.from({ length: v + 1 }, (_, n) => ({ id: count * 10 + n })) : [];
  return { status: 'ok', result: { rows, row_count: rows.length, columns: ['id'] }, error: null };
}

function outcomeOf(kind: string, { code, v, more }: Said): Answer['outcome'] {
  const data: Dict = { v, more, rows: [v, v + 10] };
  const status = code === 'ok' ? 200 : Number(/\d+/.exec(code)?.[0]);
  const isHttp = kind === 'http';
  const result = isHttp ? { status_code: status, headers: {}, url: 'http://x', elapsed_ms: 1, data } : data;
  const http = isHttp ? { http: { status, headers: {} } } : {};
  if (code === 'ok') return { status: 'ok', result, error: null, ...http };
  const [name, number] =
    (isHttp && Number.isNaN(status)) || (isHttp && status < 100) ? ['HTTP_500', 500] : [code, status];
  const error = {
    kind: 'server_error',
    code: name,
    message: name,
    retryable: number >= 500,
    ...(isHttp && { status: number, status_code: number }),
  };
  if (!isHttp) return { status: 'error', result: null, error };
  return {
    status: 'error',
    result: { ...result, status_code: number, data: null },
    error,
    http: { status: number, headers: {} },
  };
}

function hash(text: string): number {
  let sum = 7;
  for (const letter of text) sum = (sum * 31 + letter.charCodeAt(0)) % 1_000_003;
  return sum;
}
