/** Values: trees, lists of mappings as tables, and descriptions of values stored elsewhere. */
import { type JSX } from 'preact';
import { useState } from 'preact/hooks';
import { isMapping } from '../../src/language/plan/json';
import { CopyButton } from './copy';

/** Members drawn at first; the rest on demand. */
const AT_FIRST = 50;
const LONG_TEXT = 400;
const MAX_COLUMNS = 12;

interface Props {
  readonly value: unknown;
  /** Levels that are unfolded at first. */
  readonly open?: number;
  readonly label?: string;
}

export function JsonValue({ value, open = 2, label }: Props): JSX.Element {
  const rows = tableOf(value);
  const [asTable, setAsTable] = useState(true);
  return (
    <div class="value">
      <div class="value-tools">
        {rows && (
          <button type="button" class="quiet" onClick={() => setAsTable(!asTable)}>
            {asTable ? 'As JSON' : 'As a table'}
          </button>
        )}
        <CopyButton text={() => JSON.stringify(value, null, 2)} label={`Copy ${label ?? 'value'}`} />
      </div>
      {rows && asTable ? <TableOf rows={rows} /> : <Tree value={value} open={open} />}
    </div>
  );
}

type Mapping = Readonly<Record<string, unknown>>;

/** Rows of a table, where the value is one: mappings with much the same keys. */
function tableOf(value: unknown): { columns: string[]; rows: readonly Mapping[] } | undefined {
  if (!Array.isArray(value) || value.length < 2 || !value.slice(0, AT_FIRST).every(isMapping))
    return undefined;
  const rows = value as Mapping[];
  const columns = [...new Set(rows.slice(0, AT_FIRST).flatMap((row) => Object.keys(row)))];
  return columns.length > 0 && columns.length <= MAX_COLUMNS ? { columns, rows } : undefined;
}

function TableOf({
  rows: { columns, rows },
}: {
  rows: { columns: string[]; rows: readonly Mapping[] };
}): JSX.Element {
  const [shown, setShown] = useState(AT_FIRST);
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label="Table">
      <table>
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, shown).map((row, index) => (
            <tr key={index}>
              {columns.map((name) => (
                <td key={name}>
                  {isMapping(row[name]) || Array.isArray(row[name])
                    ? JSON.stringify(row[name])
                    : plain(row[name])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <More count={rows.length} shown={shown} onMore={() => setShown(shown + 200)} />
    </div>
  );
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
