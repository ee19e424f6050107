import { type Report } from '../diagnostics/diagnostic';
import { didYouMean, oneOf } from '../diagnostics/suggest';
import { asText, describe, type Entry, isNull, type Node } from '../yaml/node';
import { type TaskDoc, type TaskPlace } from './document';

/** Kinds that store rows of a `table` when they are given no SQL. */
const TABLES: ReadonlySet<string> = new Set(['postgres', 'duckdb', 'snowflake']);
const MODES = ['insert', 'append', 'upsert', 'replace'];
const BODIES = ['json', 'payload', 'data', 'body', 'form'];

/**
 * What a tool stores: `data`, or, where it has none, its inputs: the columns of a `table`, the body of a sink by
 * `http`, the entry of an `event_log`. `statement` is SQL under another name.
 */
export function storing(
  kind: string,
  fields: readonly Entry[],
  inputs: readonly Entry[],
  place: TaskPlace,
  report: Report,
): Pick<TaskDoc, 'fields' | 'inputs'> {
  const has = (key: string): Entry | undefined => fields.find((each) => each.key === key);
  const table = TABLES.has(kind) ? has('table') : undefined;
  const bare = kind === 'http' && place.stands !== undefined && !BODIES.some(has);
  const log = kind === 'event_log' && has('data') === undefined;
  const rows = table !== undefined && has('data') === undefined;
  if (table !== undefined) checkMode(has('mode')?.value, report);
  const named = fields.map((each) => (each.key === 'statement' ? { ...each, key: 'command' } : each));
  if (!bare && !log && !rows) return { fields: named, inputs };
  const [first] = inputs;
  if (first === undefined) {
    if (rows) {
      const hint = 'write `data: {column: "{{ … }}"}`';
      report.add('NT2051', table.at, `\`${kind}\` with a \`table\` needs \`data\`: what is stored`, hint);
    }
    return { fields: named, inputs };
  }
  const at = { start: first.at.start, end: inputs.at(-1)!.value.end, path: first.at.path };
  const data: Entry = { key: bare ? 'json' : 'data', at, value: { kind: 'map', entries: inputs, ...at } };
  return { fields: [...named, data], inputs: [] };
}

/** How rows are stored; a template says so when it runs. */
function checkMode(mode: Node | undefined, report: Report): void {
  const word = asText(mode);
  if (mode !== undefined && !isNull(mode) && (word === undefined || !MODES.includes(word))) {
    if (word?.includes('{{')) return;
    report.add(
      'NT2004',
      mode,
      `\`mode\` is ${oneOf(MODES)}, not ${describe(mode)}`,
      didYouMean(word ?? '', MODES),
    );
  }
}
