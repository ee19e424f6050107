/** A table keyed by engine-generated, short-lived ids: it usually holds one entry, sometimes a thousand. */

/** Above this size entries are looked up in a hash table. */
const FEW = 8;

/**
 * A Map in insertion order. A few entries are found by linear search, which avoids hashing ids that are used only once;
 * and an emptied Map frees its table, only to allocate another for the next entry.
 */
export class ById<T> {
  private readonly ids: string[] = [];
  private readonly entries: T[] = [];
  /** Holds all entries once there are too many for the lists, which are then empty. */
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
    // Nearly always the last entry: `splice` would allocate a list for what it removes.
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

  /** As plain JSON. */
  toRecord(): Record<string, T> {
    if (this.many) return Object.fromEntries(this.many);
    return Object.fromEntries(this.ids.map((id, place) => [id, this.entries[place]!]));
  }
}
