/**
 * Texts of one playbook that were written and not registered, in this browser. Each tab writes one of its own, so that no
 * tab overwrites what another wrote.
 */

export interface Kept {
  readonly text: string;
  /** The text that it was written over. */
  readonly over: string;
  /** When it was written last, in milliseconds since 1970. */
  readonly at: number;
}

interface Stored extends Kept {
  readonly key: string;
  /** As it is stored: whether another tab has gone on with it. */
  readonly raw: string;
}

/** The draft that a tab shows. */
export class DraftOfTab {
  text: string;
  over: string;
  /** Whether it was written before this page was opened, or in another tab. */
  isRestored = false;
  private readonly prefix: string;
  private readonly tab: string;
  /** Of the draft that is written here. */
  private key: string;
  private count = 0;
  /** The draft of another page that this one shows, until something is written here. */
  private from: Stored | undefined;

  /**
   * @param tab a name that no other page has
   * @param given the registered text
   */
  constructor(
    private readonly storage: Storage,
    { path, tab }: { readonly path: string; readonly tab: string },
    private readonly given: string,
  ) {
    this.prefix = `noetl.draft.${path}#`;
    this.tab = tab;
    this.key = this.nextKey();
    this.text = this.over = given;
    const [newest] = this.stored();
    if (newest) this.take(newest);
  }

  /** Drafts that other tabs have written, newest first. */
  get others(): readonly Kept[] {
    return this.stored().filter(({ key, text }) => key !== this.from?.key && text !== this.text);
  }

  write(text: string): void {
    this.text = text;
    this.release();
    if (text === this.given) this.remove(this.key);
    else this.set({ text, over: this.over, at: Date.now() });
  }

  /** Shows the next draft of the others instead; what was written here stays. */
  showOther(): void {
    const { from } = this;
    const all = this.stored().filter(({ key, text }) => key === from?.key || text !== this.text);
    const at = all.findIndex(({ key }) => key === from?.key);
    const next = all[(at + 1) % all.length];
    if (!next) return;
    this.take(next);
    // What goes on from here is another draft than the one that was written here before.
    this.key = this.nextKey();
  }

  /** Throws away what it shows: it was discarded, or registered. */
  discard(): void {
    this.release();
    this.remove(this.key);
    this.text = this.over = this.given;
    this.isRestored = false;
  }

  private nextKey(): string {
    return `${this.prefix}${this.tab}.${(this.count += 1)}`;
  }

  private take(draft: Stored): void {
    this.from = draft;
    this.text = draft.text;
    this.over = draft.over;
    this.isRestored = true;
  }

  /** Another page's draft goes on here, or ends; if that page has written since, it is a draft of its own. */
  private release(): void {
    const { from } = this;
    this.from = undefined;
    if (from && this.read(from.key) === from.raw) this.remove(from.key);
  }

  /** Newest first, without texts that are registered meanwhile, and without the one of this tab. */
  private stored(): Stored[] {
    const all = this.keys().flatMap((key): Stored[] => {
      const raw = this.read(key);
      const kept = raw === null ? undefined : parsed(raw);
      return raw === null || !kept || kept.text === this.given ? [] : [{ ...kept, key, raw }];
    });
    return all.sort((a, b) => b.at - a.at);
  }

  private keys(): string[] {
    try {
      const keys = Array.from({ length: this.storage.length }, (_, index) => this.storage.key(index) ?? '');
      return keys.filter((key) => key.startsWith(this.prefix));
    } catch {
      return [];
    }
  }

  private read(key: string): string | null {
    try {
      return this.storage.getItem(key);
    } catch {
      return null;
    }
  }

  /** A browser that stores nothing keeps nothing; one that is full keeps what it has. */
  private set(kept: Kept): void {
    try {
      this.storage.setItem(this.key, JSON.stringify(kept));
    } catch {
      return;
    }
  }

  private remove(key: string): void {
    try {
      this.storage.removeItem(key);
    } catch {
      return;
    }
  }
}

function parsed(raw: string): Kept | undefined {
  try {
    return JSON.parse(raw) as Kept;
  } catch {
    return undefined;
  }
}
