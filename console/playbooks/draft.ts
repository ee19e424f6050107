/** Text that was written and not registered: kept in this browser until it is registered or thrown away. */
import { useEffect, useState } from 'preact/hooks';

export interface PlaybookDraft {
  /** What is in the editor. */
  readonly text: string;
  /** Whether it was written before this page was opened. */
  readonly isRestored: boolean;
  /** Whether it was written over another text than the given one: of another version. */
  readonly isOlder: boolean;
  /** Whether this browser could keep it. */
  readonly isKept: boolean;
  write(text: string): void;
  /** Takes what another tab has written, and kept. */
  follow(text: string): void;
  /** Back to the given text. */
  discard(): void;
}

interface Kept {
  readonly text: string;
  /** The text that it was written over. */
  readonly over: string;
}

/**
 * @param path of the playbook; `new` for one without
 * @param given the registered text
 */
export function useDraft(path: string, given: string): PlaybookDraft {
  const key = keyOf(path);
  const [kept] = useState(() => keptAt(key, given));
  const [over, setOver] = useState(kept?.over ?? given);
  const [text, setText] = useState(kept?.text ?? given);
  const [isRestored, setRestored] = useState(kept !== undefined);
  const [isKept, setKept] = useState(true);
  return {
    text,
    isRestored,
    isOlder: over !== given,
    isKept,
    write(written) {
      setText(written);
      setKept(keep(key, written === given ? undefined : { text: written, over }));
    },
    follow: setText,
    discard() {
      keep(key, undefined);
      setText(given);
      setOver(given);
      setRestored(false);
    },
  };
}

/** Hears what another tab of this browser writes: tabs share one draft, so that none loses what another kept. @returns stops it */
export function followDraft(path: string, written: (text: string) => void): () => void {
  const hear = ({ key, newValue }: StorageEvent): void => {
    if (key === keyOf(path) && newValue !== null) written((JSON.parse(newValue) as Kept).text);
  };
  addEventListener('storage', hear);
  return () => removeEventListener('storage', hear);
}

function keyOf(path: string): string {
  return `noetl.draft.${path}`;
}

/** After it was registered. */
export function forgetDraft(path: string): void {
  keep(keyOf(path), undefined);
}

function keptAt(key: string, given: string): Kept | undefined {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? 'null') as Kept | null;
    return kept && kept.text !== given ? kept : undefined;
  } catch {
    return undefined;
  }
}

/** A browser that stores nothing keeps nothing; one that is full keeps what it has. @returns whether it is kept */
function keep(key: string, kept: Kept | undefined): boolean {
  try {
    if (kept) localStorage.setItem(key, JSON.stringify(kept));
    else localStorage.removeItem(key);
    return true;
  } catch {
    return kept === undefined;
  }
}

/** To begin with. */
export const REHEARSALS = `playbook: ./playbook.yaml
rehearsals:
- name: it completes
  expect:
    status: completed
`;

/** The rehearsals of a playbook, kept in this browser alone. */
export function useRehearsals(path: string): [text: string, write: (text: string) => void] {
  const key = `noetl.rehearsals.${path}`;
  const [text, setText] = useState(() => localStorage.getItem(key) ?? REHEARSALS);
  const write = (written: string): void => {
    setText(written);
    try {
      localStorage.setItem(key, written);
    } catch {
      // The text on the page is what counts.
    }
  };
  return [text, write];
}

/** While `on`, the browser asks before it leaves the page. */
export function useLeaveGuard(on: boolean): void {
  useEffect(() => {
    if (!on) return undefined;
    const ask = (event: Event): void => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [on]);
}
