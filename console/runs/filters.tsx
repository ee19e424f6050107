/** What is listed: in the address, so that a list can be sent to somebody. */
import { type JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { CheckBox } from '../parts/check-box';
import { Chips } from '../parts/chips';
import { go, withQuery } from '../shell/address';

const STATUSES = ['running', 'completed', 'skipped', 'failed', 'cancelled'] as const;
const SINCE = [
  ['', 'Any time'],
  ['1h', 'Last hour'],
  ['24h', 'Last 24 hours'],
  ['7d', 'Last 7 days'],
] as const;

/** Of the address and of the route alike. */
const NAMES = ['status', 'path', 'label', 'name', 'text', 'input', 'code', 'step'] as const;

const MS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000 };

/** The query of `GET /api/executions` that the address asks for. */
export function listQuery(query: URLSearchParams, now = Date.now()): URLSearchParams {
  const params = new URLSearchParams();
  for (const name of NAMES)
    for (const value of query
      .getAll(name)
      .flatMap((given) => (name === 'label' ? given.split(',') : [given])))
      if (value.trim()) params.append(name, value.trim());
  const [, count, unit] = /^(\d+)([hd])$/.exec(query.get('since') ?? '') ?? [];
  if (count && unit) params.set('started_after', new Date(now - Number(count) * MS[unit]!).toISOString());
  if (query.get('all') !== 'yes') params.set('top_level', 'true');
  return params;
}

/** The same for a bulk operation. @param statuses those that count if none is chosen */
export function whereText(query: URLSearchParams, statuses: string = STATUSES.join(',')): string {
  const terms = NAMES.flatMap((name) => {
    const value = query.getAll(name).filter(Boolean).join(',').replaceAll('"', '');
    return value && name !== 'status' ? [`${name}="${value}"`] : [];
  });
  const since = query.get('since');
  return [
    ...terms,
    `status=${query.get('status') || statuses}`,
    ...(since ? [`since=${since}`] : []),
    ...(query.get('all') === 'yes' ? ['called=true'] : []),
  ].join(' ');
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
      <TypedFilter name="label" label="Label: team=sales" query={query} pair />
      <TypedFilter name="input" label="Input: region=eu*" query={query} pair />
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
      <Chips label="Status" of={STATUSES} isChosen={(one) => chosen.has(one)} onChoose={toggle} />
      {(['code', 'step'] as const).map(
        (name) =>
          query.get(name) && (
            <button key={name} type="button" class="chip" aria-pressed onClick={() => set(name, '')}>
              {name} {query.get(name)} ×
            </button>
          ),
      )}
      <button
        type="button"
        class="chip"
        aria-pressed={query.get('group') === 'cause'}
        onClick={() => set('group', query.get('group') === 'cause' ? '' : 'cause')}
      >
        by cause
      </button>
      <CheckBox
        label="with sub-playbooks"
        checked={query.get('all') === 'yes'}
        onCheck={(checked) => set('all', checked ? 'yes' : '')}
      />
    </div>
  );
}

const TYPING_MS = 300;

/** Follows when the typing pauses. */
function TypedFilter({
  name,
  label,
  query,
  pair,
}: {
  name: string;
  label: string;
  query: URLSearchParams;
  /** It is KEY=VALUE: half of it finds nothing. */
  pair?: true;
}): JSX.Element {
  const given = query.get(name) ?? '';
  const [text, setText] = useState(given);
  useEffect(() => setText(given), [given]);
  useEffect(() => {
    if (text === given || (pair && text !== '' && !/^[\w./-]+=./.test(text))) return undefined;
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
