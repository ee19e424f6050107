/** The palette: pages, playbooks, runs by id, and what this page can do; or the list of shortcuts. */
import { type JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type CatalogVersion, type ExecutionDocument } from '../../src/server/facade/documents';
import { askApi } from '../server/api';
import { useLoaded } from '../server/use';
import { go, playbookAddress, runAddress } from './address';
import { actionsNow, type PageAction, singleKeys } from './keys';

export interface PaletteProps {
  readonly what: 'search' | 'keys';
  readonly places: readonly { readonly label: string; readonly href: string; readonly letter: string }[];
  readonly onClose: () => void;
}

interface Entry {
  readonly name: string;
  readonly about: string;
  readonly key?: string | undefined;
  readonly run: () => void;
}

const SHOWN = 40;

export default function Palette({ what, places, onClose }: PaletteProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const actions = useMemo(actionsNow, []);
  const pages = places.map(({ label, href, letter }): Entry => ({
    ...{ name: label, about: 'page', key: `g ${letter}`, run: () => go(href) },
  }));
  return (
    <dialog
      ref={dialog}
      class="palette wide"
      aria-label={what === 'keys' ? 'Keyboard shortcuts' : 'Go to, or do'}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}
    >
      {what === 'keys' ? (
        <Keys {...{ actions, pages }} />
      ) : (
        <Search {...{ actions, pages }} close={() => dialog.current?.close()} />
      )}
    </dialog>
  );
}

interface Offered {
  readonly actions: readonly PageAction[];
  readonly pages: readonly Entry[];
}

function Search({ actions, pages, close }: Offered & { close: () => void }): JSX.Element {
  const [text, setText] = useState('');
  const [chosen, choose] = useState(0);
  const things = useThings();
  const own = actions.map((action): Entry => ({ about: 'this page', ...action }));
  const words = text.toLowerCase().split(/\s+/);
  const fitting = [...numbered(text), ...own, ...pages, ...things]
    .filter(({ name, about }) => words.every((word) => `${name} ${about}`.toLowerCase().includes(word)))
    .slice(0, SHOWN);
  const take = (entry: Entry | undefined): void => {
    if (!entry) return;
    close();
    entry.run();
  };
  const key = (event: KeyboardEvent): void => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined) choose((chosen + by + fitting.length) % Math.max(1, fitting.length));
    else if (event.key === 'Enter') take(fitting[chosen]);
    else return;
    event.preventDefault();
  };
  useEffect(() => document.getElementById(`entry-${String(chosen)}`)?.scrollIntoView({ block: 'nearest' }));
  return (
    <>
      <input
        type="text"
        role="combobox"
        autofocus
        aria-label="A page, a playbook, the id of a run, an action"
        aria-expanded="true"
        aria-controls="entries"
        aria-activedescendant={fitting.length > 0 ? `entry-${String(chosen)}` : undefined}
        placeholder="A page, a playbook, the id of a run, an action"
        value={text}
        onInput={(event) => (setText(event.currentTarget.value), choose(0))}
        onKeyDown={key}
      />
      <ul id="entries" role="listbox" aria-label="What fits">
        {fitting.map((entry, index) => (
          <li
            key={`${entry.about} ${entry.name}`}
            id={`entry-${String(index)}`}
            role="option"
            aria-selected={index === chosen}
            onClick={() => take(entry)}
          >
            <span>{entry.name}</span> <small>{entry.about}</small>
            {entry.key && <kbd>{entry.key}</kbd>}
          </li>
        ))}
      </ul>
      {fitting.length === 0 && <p class="hint">Nothing fits.</p>}
    </>
  );
}

/** A run need not be one of the newest. */
function numbered(text: string): readonly Entry[] {
  const id = text.trim();
  return /^\d{6,}$/.test(id)
    ? [{ name: `Run ${id}`, about: 'by its id', run: () => go(runAddress(id)) }]
    : [];
}

/** Playbooks of the catalog, and the newest runs. */
function useThings(): readonly Entry[] {
  const { value: catalog } = useLoaded(
    (signal) =>
      askApi<{ entries: readonly CatalogVersion[] }>('/api/catalog/list', { body: { latest: true }, signal }),
    [],
  );
  const { value: runs } = useLoaded(
    (signal) => askApi<readonly ExecutionDocument[]>('/api/executions?page_size=50', { signal }),
    [],
  );
  const playbooks = (catalog?.entries ?? []).filter(({ kind }) => kind === 'playbook' || kind === 'agent');
  return [
    ...playbooks.map(({ path }): Entry => ({
      ...{ name: path, about: 'playbook', run: () => go(playbookAddress(path)) },
    })),
    ...(runs ?? []).map(({ execution_id: id, path, status }): Entry => ({
      ...{ name: `Run ${id}`, about: `${path} · ${status.toLowerCase()}`, run: () => go(runAddress(id)) },
    })),
  ];
}

const ALWAYS: readonly (readonly [string, string])[] = [
  ['Ctrl K, ⌘ K', 'Palette: pages, playbooks, runs, actions'],
  ['?', 'This list'],
];

function Keys({ actions, pages }: Offered): JSX.Element {
  const [on, setOn] = useState(singleKeys());
  const own = actions.filter(({ key }) => key !== undefined);
  return (
    <>
      <h2>Keyboard shortcuts</h2>
      <dl>
        {[
          ...ALWAYS,
          ...own.map(({ key, name }) => [key!, name] as const),
          ...pages.map(({ key, name }) => [key!, name] as const),
        ].map(([key, name]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{name}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input
          type="checkbox"
          checked={on}
          onChange={(event) => setOn(singleKeys(event.currentTarget.checked))}
        />
        Single keys do something
      </label>
    </>
  );
}
