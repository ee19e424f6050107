/** Text that was written and not registered: kept in this browser until it is registered or thrown away. */
import { useEffect, useState } from 'preact/hooks';
import { DraftOfTab } from './drafts';

export interface Draft {
  /** What is in the editor. */
  readonly text: string;
  /** Whether it was written before this page was opened, or in another tab. */
  readonly isRestored: boolean;
  /** Whether it was written over another text than the given one: of another version. */
  readonly isOlder: boolean;
  /** How many other tabs have written another text. */
  readonly others: number;
  write(text: string): void;
  /** Shows the next of the others; this one is kept. @returns its text */
  showOther(): string;
  /** Back to the given text: it was thrown away, or registered. */
  discard(): void;
}

/**
 * @param path of the playbook; `new` for one without
 * @param given the registered text
 */
export function useDraft(path: string, given: string): Draft {
  const [draft] = useState(() => {
    const tab = Math.random().toString(36).slice(2);
    return new DraftOfTab(localStorage, { path, tab }, given);
  });
  const [, redraw] = useState(0);
  const changed = (): void => redraw((count) => count + 1);
  useEffect(() => {
    // Another tab has written.
    addEventListener('storage', changed);
    return () => removeEventListener('storage', changed);
  }, []);
  const { text, isRestored, over, others } = draft;
  return {
    text,
    isRestored,
    isOlder: over !== given,
    others: others.length,
    write(written) {
      draft.write(written);
      changed();
    },
    showOther() {
      draft.showOther();
      changed();
      return draft.text;
    },
    discard() {
      draft.discard();
      changed();
    },
  };
}
