/** A table by ids of the engine's own, which come and go: most of the time it holds one entry, at times a thousand. */

/** More entries than this are found by a hash table. */
const FEW = 8;

/**
 * As a Map, in the order of entry. Few entries are found by looking at all of them, which takes no hash of an id that
 * nobody will ask for again; and an empty Map frees its table, only to make another for the next entry.
 */
export class ById<T> {
  private readonly ids: string[] = [];
  private readonly entries: T[] = [];
  /** Holds all entries, and the lists none, since there were too many. */
  private many: Map<string, T> | undefined;

  constructor(record: Readonly<Record<string, T>>) {
    for (const [id, entry] of Object.entries(record)) this.set(id, entry);
  }

  get size(): number {
    return this.many ? this.many.size : this.ids.length;
  }

  get(id: string): T | undefined {
    if (this.many) return this.many.get(id);
    const place = this.ids.indexOf(id);
    return place < 0 ? undefined : this.entries[place];
  }

  has(id: string): boolean {
    return this.many ? this.many.has(id) : this.ids.includes(id);
  }

  set(id: string, entry: T): void {
    const index = this.ids.indexOf(id);
    if (index >= 0) {
      this.entries[index] = entry;
      return;
    }
    if (!this.many && this.ids.length >= FEW) {
      this.many = new Map(this.ids.map((one, place) => [one, this.entries[place]!]));
      this.ids.length = 0;
      this.entries.length = 0;
    }
    if (this.many) this.many.set(id, entry);
    else {
      this.ids.push(id);
      this.entries.push(entry);
    }
  }

  delete(id: string): void {
    if (this.many) {
      this.many.delete(id);
      if (this.many.size === 0) this.many = undefined;
      return;
    }
    const place = this.ids.indexOf(id);
    if (place < 0) return;
    // Nearly always the last: `splice` would make a list of what it takes out.
    for (let at = place; at + 1 < this.ids.length; at++) {
      this.ids[at] = this.ids[at + 1]!;
      this.entries[at] = this.entries[at + 1]!;
    }
    this.ids.pop();
    this.entries.pop();
  }

  /** Deletes the entry and returns it; undefined when there is none. */
  take(id: string): T | undefined {
    const entry = this.get(id);
    if (entry !== undefined) this.delete(id);
    return entry;
  }

  keys(): Iterable<string> {
    return this.many ? this.many.keys() : this.ids;
  }

  values(): Iterable<T> {
    return this.many ? this.many.values() : this.entries;
  }

  /** As JSON. */
  toRecord(): Record<string, T> {
    if (this.many) return Object.fromEntries(this.many);
    return Object.fromEntries(this.ids.map((id, place) => [id, this.entries[place]!]));
  }
}
