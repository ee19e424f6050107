/** The frame: navigation and the current page. */
import { type ComponentType, type JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Loading, ProblemNote } from '../parts/empty';
import { connection } from '../server/api';
import { type ConsoleSession } from '../../src/server/facade/documents';
import { useDocument, useLost, usePart } from '../server/use';
import { go, useAddress } from './address';
import { followKeys } from './keys';
import { Login } from './login';
import { NotLoaded } from './not-loaded';
import { type PaletteProps } from './palette';
import { DropZone, droppedFiles } from './drop';
import { SessionContext } from './session';
import { Toasts } from './toast';

interface PageProps {
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}
type Page = ComponentType<PageProps>;

/** Pages are loaded when they are first opened. */
const PAGES: Readonly<Record<string, () => Promise<{ default: Page }>>> = {
  overview: () => import('../operations/overview'),
  runs: () => import('../runs/page'),
  run: () => import('../run/page'),
  file: () => import('../run/file-page'),
  logs: () => import('../run/logs-page'),
  playbooks: () => import('../playbooks/page'),
  playbook: () => import('../playbooks/playbook-page'),
  schedules: () => import('../schedules/page'),
  triggers: () => import('../triggers/page'),
  workers: () => import('../workers/page'),
  credentials: () => import('../credentials/page'),
  operations: () => import('../operations/page'),
  settings: () => import('../settings/page'),
};

const PLACES = [
  ['overview', 'Overview', 'M4 13h6V4H4zM14 20h6v-9h-6zM4 20h6v-3H4zM14 7h6V4h-6z'],
  ['runs', 'Runs', 'M3 5h18M3 12h18M3 19h11'],
  ['playbooks', 'Playbooks', 'M6 3h9l4 4v14H6zM9 12h7M9 16h7'],
  ['schedules', 'Schedules', 'M12 7v5l3 2M12 3a9 9 0 1 0 .01 0'],
  ['triggers', 'Triggers', 'M13 3L5 13h6l-1 8 8-11h-6z'],
  ['workers', 'Workers', 'M4 6h16v5H4zM4 14h16v5H4zM8 8.5h.01M8 16.5h.01'],
  ['credentials', 'Credentials', 'M14 10a4 4 0 1 0-3.5 4L13 16.5V19h3v-3l-2.6-2.6A4 4 0 0 0 14 10z'],
  ['operations', 'Operations', 'M3 12h4l3-7 4 14 3-7h4'],
  ['settings', 'Settings', 'M4 7h10M18 7h2M4 17h2M10 17h10M14 4v6M6 14v6'],
] as const;

/** Of the palette and `g`: a page's letter is the first of its name that no page before it has. */
const LETTERS = PLACES.reduce<readonly { label: string; href: string; letter: string }[]>(
  (before, [name, label]) => [
    ...before,
    {
      label,
      href: `/${name}`,
      letter: [...name].find((letter) => before.every((other) => other.letter !== letter)) ?? '',
    },
  ],
  [],
);

function pageOf(path: readonly string[]): string {
  const [first = 'overview', second] = path;
  if (first === 'runs' && second !== undefined) return 'run';
  if (first === 'playbooks' && second !== undefined) return 'playbook';
  return first in PAGES ? first : 'runs';
}

export function App(): JSX.Element {
  const { value, error, again } = useDocument<ConsoleSession>('/api/auth/session');
  const [session, setSession] = useState<ConsoleSession>();
  useEffect(() => setSession(value), [value]);
  useEffect(() => {
    connection.addEventListener('unauthorized', again);
    return () => connection.removeEventListener('unauthorized', again);
  }, [again]);
  const { path, query } = useAddress();
  if (error && !session && path[0] !== 'file')
    return (
      <main class="login">
        <ProblemNote error={error} />
      </main>
    );
  if (!session) return <Loading what="Asking the server" />;
  const isFile = path[0] === 'file';
  if (session.needs_token && session.name === null && !isFile) return <Login onIn={setSession} />;
  return (
    <SessionContext.Provider value={session}>
      <a class="skip" href="#page" onClick={(event) => focusPage(event)}>
        Skip to the page
      </a>
      <div class="frame">
        <Places here={path[0] === 'logs' ? 'runs' : (path[0] ?? 'overview')} />
        <div class="stage">
          <ConnectionLost />
          <Shown name={pageOf(path)} path={path} query={query} />
        </div>
      </div>
      <Toasts />
      <DropZone />
      <Keys />
    </SessionContext.Provider>
  );
}

/** Shortcuts, and the palette, which is loaded when it is first opened. */
function Keys(): JSX.Element | null {
  const [opened, setOpened] = useState<{ readonly what: PaletteProps['what']; readonly nth: number }>();
  const onGo = (letter: string): void => {
    const place = LETTERS.find((one) => one.letter === letter);
    if (place) go(place.href);
  };
  const onOpen = (what: PaletteProps['what']): void =>
    setOpened((last) => ({ what, nth: (last?.nth ?? 0) + 1 }));
  useEffect(() => followKeys({ onOpen, onGo }), []);
  if (!opened) return null;
  const { what, nth } = opened;
  // A dialog tells that it has closed a moment later, when another may be open already.
  const onClose = (): void => setOpened((now) => (now?.nth === nth ? undefined : now));
  return <Opened key={nth} {...{ what, onClose }} places={LETTERS} />;
}

function Opened(props: PaletteProps): JSX.Element | null {
  const { part } = usePart(() => import('./palette'), 'palette');
  return part ? <part.default {...props} /> : null;
}

function focusPage(event: Event): void {
  event.preventDefault();
  document.getElementById('page')?.focus();
}

function Places({ here }: { here: string }): JSX.Element {
  return (
    <nav class="places" aria-label="Console">
      <a class="brand" href="/overview">
        <img src="/assets/icon.svg" alt="" width="24" height="24" />
        <span>NoETL</span>
      </a>
      {PLACES.map(([name, label, icon]) => (
        <a key={name} href={`/${name}`} aria-current={here === name ? 'page' : undefined} title={label}>
          <svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true">
            <path d={icon} />
          </svg>
          <span>{label}</span>
        </a>
      ))}
    </nav>
  );
}

function ConnectionLost(): JSX.Element | null {
  const lost = useLost();
  if (!lost) return null;
  return (
    <p class="lost" role="alert">
      The server does not answer. What you see is what was last known; the page goes on by itself when it is
      back.
    </p>
  );
}

function Shown({ name, path, query }: PageProps & { name: string }): JSX.Element {
  const { part, error } = usePart(PAGES[name]!, name);
  useEffect(() => {
    droppedFiles.current = name === 'file' ? droppedFiles.current : undefined;
  }, [name]);
  if (!part)
    return (
      <main id="page" tabIndex={-1} class={error ? 'page' : undefined}>
        {error ? <NotLoaded what="This page" error={error} /> : <Loading />}
      </main>
    );
  return (
    <main id="page" tabIndex={-1} class={`page page-${name}`}>
      <part.default path={path} query={query} />
    </main>
  );
}
