/** Documents as tables: what a value is, its name tells. */
import { type ComponentChildren, type JSX } from 'preact';
import { isMapping } from '../../src/language/plan/json';
import { playbookAddress, runAddress } from '../shell/address';
import { StatusBadge } from './status';
import { duration } from './time';
import { Timestamp } from './when';

export type TableRow = Readonly<Record<string, unknown>>;
/** The name of a member, or what is shown. */
export type Column = string | ((row: TableRow) => ComponentChildren);

/** Of a list in a cell. */
const MOST = 5;
const ID = /^\d{15,19}$/;
const TIME = /^\d{4}-\d\d-\d\dT/;

const SHOWN: Readonly<Record<string, (text: string) => JSX.Element>> = {
  status: (text) => <StatusBadge status={text.toUpperCase()} />,
  state: (text) => <StatusBadge status={text.toUpperCase()} />,
  path: (text) => <a href={playbookAddress(text)}>{text}</a>,
  starts: (text) => <a href={playbookAddress(text)}>{text}</a>,
  error: (text) => <span class="failed word">{text}</span>,
  code: (text) => <code class="code">{text}</code>,
};
/** Seconds. */
const DURATIONS = ['p50', 'p95', 'longest'];

/** A member of a document. */
export function Cell({ name, value }: { name: string; value: unknown }): JSX.Element {
  if (value === null || value === undefined || value === '') return <></>;
  if (typeof value === 'number' && DURATIONS.includes(name)) return <>{duration(value * 1000)}</>;
  if (typeof value === 'string') {
    if (ID.test(value)) return <a href={runAddress(value)}>{value}</a>;
    return TIME.test(value) ? <Timestamp at={value} /> : (SHOWN[name]?.(value) ?? <>{value}</>);
  }
  if (Array.isArray(value)) return <Items name={name} items={value} />;
  if (isMapping(value)) return <code>{JSON.stringify(value)}</code>;
  return <>{typeof value === 'boolean' ? value && name : String(value as number)}</>;
}

function Items({ name, items }: { name: string; items: readonly unknown[] }): JSX.Element {
  return (
    <ul class="items">
      {items.slice(0, MOST).map((item, index) => (
        <li key={index}>{isMapping(item) ? <Members of={item} /> : <Cell name={name} value={item} />}</li>
      ))}
      {items.length > MOST && <li>and {items.length - MOST} more</li>}
    </ul>
  );
}

function Members({ of }: { of: TableRow }): JSX.Element {
  return (
    <>
      {Object.entries(of).map(([name, value]) => (
        <span key={name} data-member={name}>
          <Cell name={name} value={value} />{' '}
        </span>
      ))}
    </>
  );
}

interface RowsProps {
  readonly label: string;
  /** By title. */
  readonly columns: Readonly<Record<string, Column>>;
  readonly rows: readonly TableRow[];
  readonly keyOf: (row: TableRow) => string;
}

export function Rows({ label, columns, rows, keyOf }: RowsProps): JSX.Element {
  return (
    <div class="card table-card" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            {Object.keys(columns).map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} data-row={keyOf(row)}>
              {Object.entries(columns).map(([title, column]) => (
                <td key={title} data-title={title}>
                  {typeof column === 'string' ? <Cell name={column} value={row[column]} /> : column(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Members that there are, beside their names. */
export function Facts({ of }: { of: Readonly<Record<string, unknown>> }): JSX.Element {
  const facts = Object.entries(of).filter(([, value]) => JSON.stringify(value ?? '').length > 2);
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Cell name={name.toLowerCase()} value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
