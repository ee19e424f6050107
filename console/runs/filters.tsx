/** What is listed: in the address, so that a list can be sent to somebody. */
import { type JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { go, withQuery } from '../shell/address';

const STATUSES = ['running', 'completed', 'skipped', 'failed', 'cancelled'] as const;
const SINCE = [
  ['', 'Any time'],
  ['1h', 'Last hour'],
  ['24h', 'Last 24 hours'],
  ['7d', 'Last 7 days'],
] as const;

const MS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000 };

/** The query of `GET /api/executions` that the address asks for. */
export function listQuery(query: URLSearchParams, now = Date.now()): URLSearchParams {
  const params = new URLSearchParams();
  for (const name of ['status', 'path']) {
    const value = query.get(name);
    if (value) params.set(name, value);
  }
  const [, count, unit] = /^(\d+)([hd])$/.exec(query.get('since') ?? '') ?? [];
  if (count && unit) params.set('started_after', new Date(now - Number(count) * MS[unit]!).toISOString());
  if (query.get('all') !== 'yes') params.set('top_level', 'true');
  return params;
}

export function Filters({ query }: { query: URLSearchParams }): JSX.Element {
  const set = (name: string, value: string): void => go(withQuery({ [name]: value }), true);
  const chosen = new Set((query.get('status') ?? '').split(',').filter(Boolean));
  const toggle = (status: string): void => {
    if (!chosen.delete(status)) chosen.add(status);
    set('status', [...chosen].join(','));
  };
  return (
    <div class="filters" role="search" aria-label="Runs">
      <TypedFilter name="text" label="Search" query={query} />
      <TypedFilter name="path" label="Playbook, or a/b/*" query={query} />
      <select
        aria-label="Started"
        value={query.get('since') ?? ''}
        onChange={(e) => set('since', e.currentTarget.value)}
      >
        {SINCE.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <div class="chips" role="group" aria-label="Status">
        {STATUSES.map((status) => (
          <button
            key={status}
            type="button"
            class="chip"
            aria-pressed={chosen.has(status)}
            onClick={() => toggle(status)}
          >
            {status}
          </button>
        ))}
      </div>
      <label class="check">
        <input
          type="checkbox"
          checked={query.get('all') === 'yes'}
          onChange={(e) => set('all', e.currentTarget.checked ? 'yes' : '')}
        />
        with sub-playbooks
      </label>
    </div>
  );
}

const TYPING_MS = 300;

/** Follows when the typing pauses. */
function TypedFilter({
  name,
  label,
  query,
}: {
  name: string;
  label: string;
  query: URLSearchParams;
}): JSX.Element {
  const given = query.get(name) ?? '';
  const [text, setText] = useState(given);
  useEffect(() => setText(given), [given]);
  useEffect(() => {
    if (text === given) return undefined;
    const timer = setTimeout(() => go(withQuery({ [name]: text }), true), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      value={text}
      onInput={(event) => setText(event.currentTarget.value)}
    />
  );
}
