/** Addresses: every page, filter and selection has one, so that links can be shared. */
import { useEffect, useState } from 'preact/hooks';

export interface Address {
  /** Segments of the path, decoded. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

const changed = new EventTarget();

/** A page in a file of its own (`view --html`) has no address that could change: what would be part of it is kept here. */
const isFile = location.protocol === 'file:';
let kept = '';
const searchNow = (): string => (isFile ? kept : location.search);

function addressNow(): Address {
  const path = location.pathname.split('/').filter(Boolean).map(decodeURIComponent);
  return { path, query: new URLSearchParams(searchNow()) };
}

/** Follows an address of the console. @param replace the entry of the browser's history, for what is not a page */
export function go(href: string, replace = false): void {
  if (href === location.pathname + searchNow()) return;
  if (isFile) kept = href.slice(location.pathname.length);
  else if (replace) history.replaceState(null, '', href + location.hash);
  else history.pushState(null, '', href);
  changed.dispatchEvent(new Event('change'));
}

/** The current page with some parameters changed; undefined and '' remove one. */
export function withQuery(changes: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams(searchNow());
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  return `${location.pathname}${text === '' ? '' : `?${text}`}`;
}

/** The address of a run. */
export const runAddress = (id: string): string => `/runs/${id}`;

/** A playbook's path may have slashes: they stay. */
export const playbookAddress = (path: string): string =>
  `/playbooks/${path.split('/').map(encodeURIComponent).join('/')}`;

export function useAddress(): Address {
  const [address, setAddress] = useState(addressNow);
  useEffect(() => {
    const follow = (): void => setAddress(addressNow());
    changed.addEventListener('change', follow);
    addEventListener('popstate', follow);
    return () => {
      changed.removeEventListener('change', follow);
      removeEventListener('popstate', follow);
    };
  }, []);
  return address;
}

/** A parameter of the address as a state. */
export function useParam(name: string): [string | undefined, (value: string | undefined) => void] {
  const { query } = useAddress();
  return [query.get(name) ?? undefined, (value) => go(withQuery({ [name]: value }), true)];
}

/** Logs of a run, or of all runs of a playbook, as a page. */
export const logsAddress = (of: Readonly<Record<string, string>>): string =>
  `/logs?${new URLSearchParams(of).toString()}`;

/** Clicks on links to the console's own pages do not reload the page. */
export function followLinks(): void {
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey)
      return;
    const link = (event.target as Element | null)?.closest?.('a[href]');
    if (!(link instanceof HTMLAnchorElement) || link.target !== '' || link.origin !== location.origin) return;
    if (link.hasAttribute('download') || /^\/(docs|openapi|api)\b/.test(link.pathname)) return;
    event.preventDefault();
    go(link.pathname + link.search);
  });
}
