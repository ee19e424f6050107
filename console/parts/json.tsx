/** Values: trees, lists of mappings as tables, and descriptions of values stored elsewhere. */
import { type JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { isMapping } from '../../src/language/plan/json';
import { CopyButton } from './copy';
import { saveFile } from './download';

/** Members drawn at first; the rest on demand. */
const AT_FIRST = 50;
const LONG_TEXT = 400;
const MAX_COLUMNS = 60;
/** Values of one that is worth a file. */
const LARGE = 200;

interface Props {
  readonly value: unknown;
  /** Levels that are unfolded at first. */
  readonly open?: number;
  readonly label?: string;
}

export function JsonValue({ value, open = 2, label = 'value' }: Props): JSX.Element {
  const text = (): string => JSON.stringify(value, null, 2);
  const isLarge = useMemo(() => tableOf(value) !== undefined || nodesIn(value, LARGE) >= LARGE, [value]);
  return (
    <div class="value">
      <div class="value-tools">
        {isLarge && (
          <button
            type="button"
            class="quiet"
            aria-label={`JSON of ${label}, as a file`}
            onClick={() => saveFile(`${label.replace(/^the /, '')}.json`, [text()], 'application/json')}
          >
            JSON
          </button>
        )}
        <CopyButton text={text} label={`Copy ${label}`} />
      </div>
      <Tree value={value} open={open} />
    </div>
  );
}

type Mapping = Readonly<Record<string, unknown>>;

/** Values in it, at most so many. */
function nodesIn(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const member of Object.values(value)) {
    if (count >= most) break;
    count += nodesIn(member, most - count);
  }
  return count;
}

/** Rows of a table, where the value is one: mappings with much the same keys. */
function tableOf(value: unknown): { columns: string[]; rows: readonly Mapping[] } | undefined {
  if (!Array.isArray(value) || value.length < 2 || !value.slice(0, AT_FIRST).every(isMapping))
    return undefined;
  const rows = value as Mapping[];
  const columns = columnsOf(rows.slice(0, AT_FIRST));
  return columns.length > 0 && columns.length <= MAX_COLUMNS ? { columns, rows } : undefined;
}

function columnsOf(rows: readonly Mapping[]): string[] {
  const columns = new Set<string>();
  for (const row of rows) for (const name of Object.keys(isMapping(row) ? row : {})) columns.add(name);
  return [...columns];
}

type TableRows = NonNullable<ReturnType<typeof tableOf>>;

/** A list of mappings: as a table, page by page, or as the list that it is. */
function Rows({ table, open }: { table: TableRows; open: number }): JSX.Element {
  const [asTable, setAsTable] = useState(true);
  const { columns, rows } = table;
  const [first, setFirst] = useState(0);
  const last = Math.min(rows.length, first + AT_FIRST);
  const entries = rows.map((row, index) => [String(index), row] as const);
  return (
    <>
      <div class="table-tools">
        <button type="button" class="quiet" onClick={() => setAsTable(!asTable)}>
          {asTable ? 'As JSON' : 'As a table'}
        </button>
        <button type="button" class="quiet" onClick={() => saveFile('rows.csv', csvOf(rows), 'text/csv')}>
          CSV
        </button>
        {asTable && rows.length > AT_FIRST && (
          <Pages {...{ first, last }} count={rows.length} onMove={setFirst} />
        )}
      </div>
      {asTable ? (
        <Table columns={columns} rows={rows.slice(first, last)} first={first} />
      ) : (
        <Members entries={entries} open={open} />
      )}
    </>
  );
}

interface PagesProps {
  readonly first: number;
  readonly last: number;
  readonly count: number;
  readonly onMove: (first: number) => void;
}

function Pages({ first, last, count, onMove }: PagesProps): JSX.Element {
  const end = Math.floor((count - 1) / AT_FIRST) * AT_FIRST;
  const to = (label: string, sign: string, place: number): JSX.Element => (
    <button
      type="button"
      class="quiet"
      aria-label={label}
      disabled={place < 0 || place > end || place === first}
      onClick={() => onMove(place)}
    >
      {sign}
    </button>
  );
  return (
    <span class="pages">
      {to('First page', '«', 0)}
      {to('Page before', '‹', first - AT_FIRST)}
      {(first + 1).toLocaleString('en')}–{last.toLocaleString('en')} of {count.toLocaleString('en')}
      {to('Next page', '›', first + AT_FIRST)}
      {to('Last page', '»', end)}
    </span>
  );
}

function Table({ columns, rows, first }: TableRows & { first: number }): JSX.Element {
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label="Table">
      <table>
        <thead>
          <tr>
            <th scope="col">#</th>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={first + index}>
              <td class="count">{first + index}</td>
              {columns.map((name) => (
                <td key={name}>{cellOf(row, name)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function cellOf(row: Mapping, name: string): string {
  return isMapping(row) ? plain(row[name]) : '';
}

/** RFC 4180. */
function csvOf(rows: readonly Mapping[]): string[] {
  const columns = columnsOf(rows);
  const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
  const line = (cells: readonly string[]): string => `${cells.map(quoted).join(',')}\r\n`;
  return [
    line(columns),
    ...rows.map((row) => line(columns.map((name) => (row[name] === null ? '' : cellOf(row, name))))),
  ];
}

function More({
  count,
  shown,
  onMore,
}: {
  count: number;
  shown: number;
  onMore: () => void;
}): JSX.Element | null {
  if (count <= shown) return null;
  return (
    <button type="button" class="quiet" onClick={onMore}>
      {count - shown} more
    </button>
  );
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function Tree({ value, open }: { value: unknown; open: number }): JSX.Element {
  if (!isMapping(value) && !Array.isArray(value)) return <Leaf value={value} />;
  const elsewhere = referenceIn(value);
  if (elsewhere !== undefined) return <span class="elsewhere">{elsewhere}</span>;
  const entries: readonly (readonly [string, unknown])[] = Array.isArray(value)
    ? value.map((item, index) => [String(index), item] as const)
    : Object.entries(value);
  const table = tableOf(value);
  if (table) return <Rows table={table} open={open} />;
  if (entries.length === 0) return <span class="leaf null">{Array.isArray(value) ? '[ ]' : '{ }'}</span>;
  return <Members entries={entries} open={open} />;
}

function Members({
  entries,
  open,
}: {
  entries: readonly (readonly [string, unknown])[];
  open: number;
}): JSX.Element {
  const [shown, setShown] = useState(AT_FIRST);
  return (
    <div class="tree">
      {entries.slice(0, shown).map(([name, member]) => (
        <Member key={name} name={name} value={member} open={open - 1} />
      ))}
      <More count={entries.length} shown={shown} onMore={() => setShown(shown + 500)} />
    </div>
  );
}

function Member({ name, value, open }: { name: string; value: unknown; open: number }): JSX.Element {
  const [isOpen, setOpen] = useState(open > 0);
  const isDeep =
    (isMapping(value) ? Object.keys(value).length > 0 : Array.isArray(value) && value.length > 0) &&
    referenceIn(value) === undefined;
  if (!isDeep)
    return (
      <div class="member">
        <span class="key">{name}</span> <Tree value={value} open={0} />
      </div>
    );
  const size = Array.isArray(value)
    ? `[${String(value.length)}]`
    : `{${String(Object.keys(value as object).length)}}`;
  return (
    <div class="member deep">
      <button type="button" class="fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span class="key">{name}</span> <small>{size}</small>
      </button>
      {isOpen && <Tree value={value} open={open} />}
    </div>
  );
}

function Leaf({ value }: { value: unknown }): JSX.Element {
  const [whole, setWhole] = useState(false);
  if (typeof value !== 'string')
    return <span class={`leaf ${value === null ? 'null' : typeof value}`}>{plain(value)}</span>;
  const isLong = value.length > LONG_TEXT && !whole;
  return (
    <span class="leaf string">
      {isLong ? `${value.slice(0, LONG_TEXT)}…` : value === '' ? '""' : value}
      {isLong && (
        <button type="button" class="quiet" onClick={() => setWhole(true)}>
          {value.length - LONG_TEXT} more characters
        </button>
      )}
    </span>
  );
}

/** Describes a value that is absent: a reference to a store, a sealed secret, an unreadable payload. */
function referenceIn(value: unknown): string | undefined {
  if (!isMapping(value)) return undefined;
  const { $not_here: why, store, key, size, bytes } = value;
  if (typeof why === 'string') return `not in this file: ${why}${sizeText(bytes)}`;
  if (typeof store === 'string' && typeof key === 'string' && 'checksum' in value)
    return `stored in ${store}${sizeText(size)}: ${key}`;
  return undefined;
}

function sizeText(bytes: unknown): string {
  if (typeof bytes !== 'number') return '';
  const kib = bytes / 1024;
  return kib < 1024 ? `, ${kib.toFixed(kib < 10 ? 1 : 0)} KiB` : `, ${(kib / 1024).toFixed(1)} MiB`;
}
