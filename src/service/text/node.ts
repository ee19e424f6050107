/** What a text consists of while it is being written, with its places. */
/** A word that no playbook contains: it stands where the cursor is, while the text around it is read. */
export const CURSOR = 'ⵔcursorⵔ';

export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Where the part of a text begins that something was read from: the part may move, and what was read moves with it. */
export interface Origin {
  at: number;
}

/** A value. Its range is that of its text; that of a mapping or list ends with its last part. */
export interface OutlineNode {
  readonly origin: Origin;
  kind: 'map' | 'list' | 'scalar' | 'none';
  start: number;
  end: number;
  readonly entries: OutlineEntry[];
  readonly items: OutlineNode[];
  style: 'plain' | 'single' | 'double' | 'block' | 'flow';
}

export interface OutlineEntry extends TextRange {
  /** The key; its range is that of the key. */
  readonly key: string;
  readonly value: OutlineNode;
  /** A word without a colon: a key that is being written. */
  readonly unfinished: boolean;
}

class PlacedNode implements OutlineNode {
  readonly entries: OutlineEntry[] = [];
  readonly items: OutlineNode[] = [];
  style: OutlineNode['style'] = 'plain';

  constructor(
    readonly origin: Origin,
    public kind: OutlineNode['kind'],
    private from: number,
    private to: number,
  ) {}

  get start(): number {
    return this.origin.at + this.from;
  }

  set start(at: number) {
    this.from = at - this.origin.at;
  }

  get end(): number {
    return this.origin.at + this.to;
  }

  set end(at: number) {
    this.to = at - this.origin.at;
  }
}

class PlacedEntry implements OutlineEntry {
  private readonly from: number;
  private readonly to: number;

  constructor(
    readonly key: string,
    readonly value: OutlineNode,
    { start, end }: TextRange,
    readonly unfinished: boolean,
  ) {
    this.from = start - value.origin.at;
    this.to = end - value.origin.at;
  }

  get start(): number {
    return this.value.origin.at + this.from;
  }

  get end(): number {
    return this.value.origin.at + this.to;
  }
}

export function outlineNode(origin: Origin, start: number, kind: OutlineNode['kind'] = 'none'): OutlineNode {
  return new PlacedNode(origin, kind, start - origin.at, start - origin.at);
}

export function outlineEntry(
  key: string,
  value: OutlineNode,
  at: TextRange,
  unfinished = false,
): OutlineEntry {
  return new PlacedEntry(key, value, at, unfinished);
}

/** The same text, of which nothing else hangs: a piece of a text keeps all of it in memory, and what is kept outlives its text. */
export function ownText(piece: string): string {
  return String(JSON.parse(JSON.stringify(piece)));
}

/** Offsets at which lines begin. */
export function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

export function valueAt(node: OutlineNode | undefined, ...keys: readonly string[]): OutlineNode | undefined {
  return keys.reduce<OutlineNode | undefined>(
    (each, key) => each?.entries.find((entry) => entry.key === key)?.value,
    node,
  );
}

/** The text of a scalar without quotes; undefined for anything else. */
export function scalarText(text: string, node: OutlineNode | undefined): string | undefined {
  if (node?.kind !== 'scalar') return undefined;
  const raw = text.slice(node.start, node.end);
  if (node.style === 'single') return raw.replace(/^'|'$/g, '').replaceAll("''", "'");
  if (node.style === 'double') return raw.replace(/^"|"$/g, '').replace(/\\(["\\/])/g, '$1');
  return raw;
}
