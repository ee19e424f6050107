import { type Report } from '../diagnostics/diagnostic';
import { didYouMean, oneOfText } from '../diagnostics/suggest';
import { asMap, asText, describe, type MapEntry, isNull, type YamlNode } from '../yaml/node';
import { type TaskDoc, type WrittenTool } from './document';

const MODES = ['insert', 'append', 'upsert', 'replace'];
const BODIES = ['json', 'payload', 'data', 'body', 'form'];

/**
 * The data stored by a tool: `data`, otherwise its inputs: as columns of a `table`, as the body of a request in a
 * sink, or as parameters of a sink's SQL. For an `event_log`, the data is its input, which is its result.
 * `statement` is an alias for SQL.
 */
export function storing(
  { kind, declared: { stores, sql = [] }, place }: WrittenTool,
  fields: readonly MapEntry[],
  inputs: readonly MapEntry[],
): Pick<TaskDoc, 'fields' | 'inputs'> {
  const { report } = place;
  const has = (key: string): MapEntry | undefined => fields.find((each) => each.key === key);
  const table = stores === 'table' ? has('table') : undefined;
  const bare = stores === 'body' && place.stands !== undefined && !BODIES.some(has);
  const rows = table !== undefined && has('data') === undefined;
  if (table !== undefined) checkMode(has('mode')?.value, report);
  const named = fields.map((each) => (each.key === 'statement' ? { ...each, key: 'command' } : each));
  if (kind === 'event_log') return eventFields(named, inputs);
  if (place.stands !== undefined && !has('params')) {
    const bound = placeholdersIn(fields.filter(({ key }) => sql.includes(key)));
    const params = inputs.filter(({ key }) => bound.has(key));
    const others = inputs.filter(({ key }) => !bound.has(key));
    if (params.length > 0) return { fields: [...named, mapped('params', params)], inputs: others };
  }
  if (!bare && !rows) return { fields: named, inputs };
  const [first] = inputs;
  if (first === undefined) {
    if (rows) {
      const hint = 'write `data: {column: "{{ … }}"}`';
      report.add('NT2051', table.at, `\`${kind}\` with a \`table\` needs \`data\`: what is stored`, hint);
    }
    return { fields: named, inputs };
  }
  return { fields: [...named, mapped(bare ? 'json' : 'data', inputs)], inputs: [] };
}

/** A field whose value is a mapping of these inputs. */
function mapped(key: string, inputs: readonly MapEntry[]): MapEntry {
  const [first] = inputs;
  const at = { start: first!.at.start, end: inputs.at(-1)!.value.end, path: first!.at.path };
  return { key, at, value: { kind: 'map', entries: inputs, ...at } };
}

/** Names of placeholders in SQL: `:name`, `$name`, `%(name)s`. */
function placeholdersIn(sql: readonly MapEntry[]): ReadonlySet<string> {
  const text = sql.map(({ value }) => asText(value)).join('\n');
  return new Set([...text.matchAll(/[:$]([a-z_]\w*)|%\((\w+)\)s/gi)].map(([, a, b]) => (a ?? b)!));
}

/** A mapping is used unchanged, anything else under `data`. */
function eventFields(
  fields: readonly MapEntry[],
  inputs: readonly MapEntry[],
): Pick<TaskDoc, 'fields' | 'inputs'> {
  const data = fields.find((each) => each.key === 'data');
  if (data === undefined) return { fields, inputs };
  const added = asMap(data.value)?.entries ?? [data];
  const over = new Set(added.map((each) => each.key));
  return {
    fields: fields.filter((each) => each !== data),
    inputs: [...inputs.filter((each) => !over.has(each.key)), ...added],
  };
}

/** The write mode; a template is checked at run time. */
function checkMode(mode: YamlNode | undefined, report: Report): void {
  const word = asText(mode);
  if (mode !== undefined && !isNull(mode) && (word === undefined || !MODES.includes(word))) {
    if (word?.includes('{{')) return;
    report.add(
      'NT2004',
      mode,
      `\`mode\` is ${oneOfText(MODES)}, not ${describe(mode)}`,
      didYouMean(word ?? '', MODES),
    );
  }
}
