/**
 * The objects of a JSON text `{"events": [...]}` or `[...]`, as it comes in pieces, so that no more of a large file is
 * held than it takes. Cut by counting brackets, parsed one by one.
 */
export class EventCutter {
  private depth = 0;
  private inText = false;
  private escaped = false;
  /** Depth of the list's items, once the list was found. */
  private items = -1;
  private kept = '';

  /** @throws SyntaxError of an object that is no JSON */
  take(piece: string): object[] {
    const objects: object[] = [];
    const text = this.kept + piece;
    let from = 0;
    for (let i = this.kept.length; i < text.length; i++) {
      const char = text[i];
      if (this.inText) this.within(char);
      else if (char === '"') this.inText = true;
      else if (char === '{' || char === '[') {
        if (this.items < 0 && char === '[') this.items = this.depth + 1;
        else if (this.depth === this.items) from = i;
        this.depth++;
      } else if (char === '}' || char === ']') {
        this.depth--;
        if (this.depth === this.items && this.items >= 0) {
          objects.push(JSON.parse(text.slice(from, i + 1)) as object);
          from = i + 1;
        }
      }
    }
    this.kept = this.items >= 0 && this.depth > this.items ? text.slice(from) : '';
    return objects;
  }

  /** @throws Error when what came is not a whole list */
  end(): void {
    if (this.items < 0) throw new Error('it has no list of events');
    if (this.depth !== 0 || this.inText) throw new Error('it ends in the middle');
  }

  private within(char: string | undefined): void {
    if (this.escaped) this.escaped = false;
    else if (char === '\\') this.escaped = true;
    else if (char === '"') this.inText = false;
  }
}
