/** `path=etl/* status=failed code=HTTP_5* since=2d`: which executions a bulk operation is for. */
import { CodedError } from '../../language/errors';
import { isSecretKey, secondsOf } from '../../language/plan';
import { type ExecutionFilter, LISTED_STATUSES, type ListedStatus } from '../../temporal/client';

export interface BulkFilter {
  /** What Temporal's visibility knows. */
  readonly filter: ExecutionFilter;
  /** Codes of the errors that ended them; a trailing `*` matches the rest. */
  readonly codes: readonly string[];
  /** Steps whose failure ended them. */
  readonly steps: readonly string[];
  /** What only the projection's tables know. */
  readonly tables: { readonly text?: string; readonly input?: readonly string[] };
  /** Also executions that another one called. By default these are left to their callers. */
  readonly called: boolean;
}

type Writable<Of> = { -readonly [Name in keyof Of]: Of[Name] };
/** A filter that is being read. */
type Terms = Writable<{
  [Part in keyof BulkFilter]: Part extends 'filter' | 'tables'
    ? Writable<BulkFilter[Part]>
    : BulkFilter[Part];
}>;

const TERMS: Readonly<Record<string, (selection: Terms, value: string, now: number) => void>> = {
  path: ({ filter }, value) => void (filter.path = value === '*' ? undefined : value),
  label: ({ filter }, value) => void (filter.label = pairsOf('label', value)),
  name: ({ filter }, value) => void (filter.name = value),
  text: ({ tables }, value) => void (tables.text = value),
  input: ({ tables }, value) => void (tables.input = pairsOf('input', value)),
  version: ({ filter }, value) => void (filter.version = value),
  status: ({ filter }, value) => void (filter.status = statusesOf(value)),
  code: (selection, value) => void (selection.codes = value.split(',')),
  step: (selection, value) => void (selection.steps = value.split(',')),
  since: ({ filter }, value, now) => void (filter.started_after = timeOf('since', value, now)),
  until: ({ filter }, value, now) => void (filter.started_before = timeOf('until', value, now)),
  called: (selection, value) => void (selection.called = truthOf(value)),
};

/**
 * Terms are separated by spaces and must all hold; several values of one term are separated by commas: one of them, or of
 * `label` and `input` all. A value with spaces is in quotes: `name="load acme*"`.
 *
 * @param now milliseconds since the epoch, for `since=2d`
 * @throws CodedError `WHERE_INVALID`: what is wrong, and which terms there are
 */
export function whereOf(text: string, now: number): BulkFilter {
  const selection: Terms = { filter: {}, tables: {}, codes: [], steps: [], called: false };
  const terms = (text.match(/(?:[^\s"]|"[^"]*"?)+/g) ?? []).map((term) => term.replaceAll('"', ''));
  if (terms.length === 0)
    throw invalid('it names no condition; write path=* for executions of every playbook');
  const seen = new Set<string>();
  for (const term of terms) {
    const [, name = '', value = ''] = /^([a-z]+)=(.+)$/s.exec(term) ?? [];
    const take = Object.hasOwn(TERMS, name) ? TERMS[name] : undefined;
    if (!take) throw invalid(`'${term}' is not a condition`);
    if (seen.has(name)) throw invalid(`'${name}' occurs twice; separate several values with commas`);
    seen.add(name);
    take(selection, value, now);
  }
  return selection;
}

function pairsOf(name: string, value: string): string[] {
  const pairs = value.split(',');
  const wrong = pairs.find((pair) => !/^[\w./-]+=/.test(pair));
  if (wrong !== undefined) throw invalid(`${name}=${wrong}: expected ${name}=KEY=VALUE`);
  const secret = pairs.find((pair) => name === 'input' && isSecretKey(pair.split('=')[0]!));
  if (secret !== undefined) throw invalid(`${secret.split('=')[0]} may be secret, and is not searched`);
  return pairs;
}

function statusesOf(value: string): ListedStatus[] {
  return value.split(',').map((one) => {
    const status = LISTED_STATUSES.find((name) => name === one.toUpperCase());
    if (!status) throw invalid(`there is no status '${one}': ${LISTED_STATUSES.join(', ').toLowerCase()}`);
    return status;
  });
}

const EARLIEST = 0;
const LATEST = Date.parse('9999-12-31T23:59:59Z');

/** A duration means that long ago. */
function timeOf(name: string, value: string, now: number): string {
  const seconds = secondsOf(value);
  const at = seconds === undefined ? Date.parse(value) : now - seconds * 1000;
  if (Number.isNaN(at) || (seconds === undefined && !/^\d{4}-\d\d/.test(value)))
    throw invalid(
      `${name}=${value} is neither a duration such as 2d nor a time such as 2026-11-23T08:00:00Z`,
    );
  // Outside of these years, databases read times differently or not at all.
  if (at < EARLIEST || at > LATEST) throw invalid(`${name}=${value} is before 1970 or after 9999`);
  return new Date(at).toISOString();
}

function truthOf(value: string): boolean {
  if (value === 'true' || value === 'false') return value === 'true';
  throw invalid(`called=${value}: expected true or false`);
}

function invalid(why: string): CodedError {
  return new CodedError('WHERE_INVALID', `the filter cannot be understood: ${why}`, {
    hint: [
      `Terms: ${Object.keys(TERMS).join(', ')}; for example "path=etl/* status=failed code=HTTP_5* since=2d".`,
    ],
  });
}
