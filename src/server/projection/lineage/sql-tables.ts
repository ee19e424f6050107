/**
 * The tables that SQL reads and writes: what follows FROM, JOIN, INTO, UPDATE and the like. Conservative: a name in an
 * unknown place is left out, and so are common table expressions, temporary tables and functions.
 */
import { type SqlToken, tokensOf } from './sql-tokens';

/** The parts of a qualified name, unquoted ones in the case of the text. */
export interface SqlTableName {
  readonly parts: readonly { readonly text: string; readonly quoted: boolean }[];
}

/** A table, or a file that SQL names by a literal (DuckDB: `FROM 'x.csv'`, `read_parquet('x')`, `COPY … TO 'x'`). */
export type SqlSource = { readonly table: SqlTableName } | { readonly file: string };

export interface Access {
  readonly reads: readonly SqlSource[];
  readonly writes: readonly SqlSource[];
}

export function accessOf(sql: string): Access {
  const scan = new Scan(tokensOf(sql));
  return scan.run();
}

/** A single table, written as in a field of a tool: `schema.table`. */
export function tableNamed(text: string): SqlTableName | undefined {
  const scan = new Scan(tokensOf(text));
  return scan.isWhole() ? scan.name(0)?.table : undefined;
}

/** Functions whose arguments have a FROM that is none: `extract(year FROM t)`. */
const FROM_IN_ARGUMENTS = new Set(['extract', 'trim', 'substring', 'overlay', 'position']);
/** DuckDB's functions that read a file. */
const READS_FILE = /^(read_(csv|csv_auto|parquet|json|json_auto|ndjson|ndjson_auto)|parquet_scan)$/;
/** Words that follow a table without being its alias. */
const NOT_ALIAS = new Set(
  'where join left right full inner cross natural on using group order having limit union except intersect set values select window for returning when offset fetch qualify tablesample default'.split(
    ' ',
  ),
);
const NO_NAMES = new Set(['select', 'lateral', 'values', 'table', 'set', 'with']);

class Scan {
  private readonly reads = new Map<string, SqlSource>();
  private readonly writes = new Map<string, SqlSource>();
  /** Names that are no tables of the database. */
  private readonly local = new Set<string>();
  /** Positions of FROM that begin no list. */
  private readonly other = new Set<number>();

  constructor(private readonly tokens: readonly SqlToken[]) {}

  run(): Access {
    this.findExpressions();
    for (let at = 0; at < this.tokens.length; at++) this.at(at);
    const kept = (sources: ReadonlyMap<string, SqlSource>): SqlSource[] =>
      [...sources].filter(([key]) => !this.local.has(key)).map(([, source]) => source);
    return { reads: kept(this.reads), writes: kept(this.writes) };
  }

  isWhole(): boolean {
    return this.name(0)?.next === this.tokens.length;
  }

  private word(at: number): string {
    const token = this.tokens[at];
    return token?.kind === 'name' && !token.quoted ? token.text.toLowerCase() : '';
  }

  private sign(at: number): string {
    const token = this.tokens[at];
    return token?.kind === 'sign' ? token.text : '';
  }

  /** `a.b.c` */
  name(at: number): { readonly table: SqlTableName; readonly next: number } | undefined {
    const parts: SqlTableName['parts'][number][] = [];
    for (let next = at; ; next += 2) {
      const token = this.tokens[next];
      if (token?.kind !== 'name') return undefined;
      parts.push({ text: token.text, quoted: token.quoted === true });
      if (this.sign(next + 1) !== '.') return { table: { parts }, next: next + 1 };
    }
  }

  /** `WITH a AS (…), b (x) AS MATERIALIZED (…)` */
  private findExpressions(): void {
    for (let at = 0; at < this.tokens.length; at++) {
      if (this.word(at) !== 'as') continue;
      const skipped = ['not', 'materialized'].reduce(
        (next, word) => next + Number(this.word(next) === word),
        at + 1,
      );
      if (this.sign(skipped) !== '(') continue;
      const name = this.sign(at - 1) === ')' ? this.opening(at - 1) - 1 : at - 1;
      const before = this.word(name - 1) || this.sign(name - 1);
      if (['with', 'recursive', ','].includes(before))
        this.local.add(this.tokens[name]?.text.toLowerCase() ?? '');
    }
  }

  /** The position of the bracket that this one closes. */
  private opening(closing: number): number {
    let depth = 0;
    for (let at = closing; at >= 0; at--) {
      if (this.sign(at) === ')') depth += 1;
      if (this.sign(at) === '(' && --depth === 0) return at;
    }
    return -1;
  }

  private at(at: number): void {
    const word = this.word(at);
    if (word === 'from' && this.word(at - 1) === 'delete') this.note(this.writes, this.past(at + 1, 'only'));
    else if ((word === 'from' && this.isFrom(at)) || (word === 'using' && this.sign(at + 1) !== '('))
      this.list(at + 1);
    else if (word === 'join') this.note(this.reads, this.past(at + 1, 'lateral', 'only'));
    else if (word === 'into') this.note(this.writes, this.past(at + 1, 'table', 'only'));
    else if (word === 'update' && !['for', 'do', 'on', 'key', 'then'].includes(this.word(at - 1)))
      this.note(this.writes, this.past(at + 1, 'only'));
    else if (word === 'truncate') this.note(this.writes, this.past(at + 1, 'table', 'only'));
    else if (word === 'create') this.created(at + 1);
    else if (word === 'copy') this.copied(at + 1);
  }

  /** Not that of `extract(year FROM t)` or `a IS DISTINCT FROM b`. */
  private isFrom(at: number): boolean {
    if (this.other.has(at)) return false;
    if (this.word(at - 1) === 'distinct' && ['is', 'not'].includes(this.word(at - 2))) return false;
    let depth = 0;
    for (let before = at - 1; before >= 0; before--) {
      if (this.sign(before) === ')') depth += 1;
      if (this.sign(before) === '(' && depth-- === 0) return !FROM_IN_ARGUMENTS.has(this.word(before - 1));
    }
    return true;
  }

  /** The position after optional words. */
  private past(at: number, ...words: string[]): number {
    return words.includes(this.word(at)) ? this.past(at + 1, ...words) : at;
  }

  /** `a, b AS x, (SELECT …) y, c` */
  private list(from: number): void {
    for (let at = this.past(from, 'lateral', 'only'); ;) {
      let next = this.note(this.reads, at);
      if (this.word(next) === 'as') next += 1;
      if (this.tokens[next]?.kind === 'name' && !NOT_ALIAS.has(this.word(next))) next += 1;
      if (this.sign(next) === '(') next = this.closing(next) + 1;
      if (this.sign(next) !== ',') return;
      at = this.past(next + 1, 'lateral', 'only');
    }
  }

  private closing(opening: number): number {
    let depth = 0;
    for (let at = opening; at < this.tokens.length; at++) {
      if (this.sign(at) === '(') depth += 1;
      if (this.sign(at) === ')' && --depth === 0) return at;
    }
    return this.tokens.length;
  }

  /** `TABLE a AS SELECT …`; without `AS` it is empty, a temporary one is gone with the session. */
  private created(from: number): void {
    const at = this.past(from, 'or', 'replace', 'global', 'local', 'unlogged', 'transient');
    const isTemporary = ['temp', 'temporary'].includes(this.word(at));
    const table = this.past(at, 'temp', 'temporary');
    if (this.word(table) !== 'table') return;
    const named = this.name(this.past(table + 1, 'if', 'not', 'exists'));
    if (!named) return;
    if (isTemporary) this.local.add(keyOf({ table: named.table }));
    else if (this.word(named.next) === 'as') add(this.writes, { table: named.table });
  }

  /** `COPY a TO 'file'`, `COPY a FROM …`, `COPY (SELECT …) TO 'file'` */
  private copied(at: number): void {
    const isQuery = this.sign(at) === '(';
    const named = isQuery ? undefined : this.name(at);
    let next = isQuery ? this.closing(at) + 1 : (named?.next ?? at + 1);
    if (!isQuery && this.sign(next) === '(') next = this.closing(next) + 1;
    const file = this.tokens[next + 1];
    if (this.word(next) === 'from') this.other.add(next);
    if (this.word(next) === 'from' && named) add(this.writes, { table: named.table });
    if (this.word(next) !== 'to') return;
    if (named) add(this.reads, { table: named.table });
    if (file?.kind === 'text') add(this.writes, { file: file.text });
  }

  /** Notes the source at this position, if there is one. @returns the position after it */
  private note(sources: Map<string, SqlSource>, at: number): number {
    const token = this.tokens[at];
    if (token?.kind === 'text') {
      add(sources, { file: token.text });
      return at + 1;
    }
    if (this.sign(at) === '(') return this.closing(at) + 1;
    const named = NO_NAMES.has(this.word(at)) ? undefined : this.name(at);
    if (!named) return at;
    // After INTO come columns: only a read can be a function's.
    if (this.sign(named.next) !== '(' || sources === this.writes) {
      add(sources, { table: named.table });
      return named.next;
    }
    const file = this.tokens[named.next + 1];
    if (READS_FILE.test(this.word(at)) && file?.kind === 'text') add(sources, { file: file.text });
    return this.closing(named.next) + 1;
  }
}

function add(sources: Map<string, SqlSource>, source: SqlSource): void {
  sources.set(keyOf(source), source);
}

function keyOf(source: SqlSource): string {
  if ('file' in source) return `'${source.file}'`;
  return source.table.parts.map(({ text, quoted }) => (quoted ? text : text.toLowerCase())).join('.');
}
