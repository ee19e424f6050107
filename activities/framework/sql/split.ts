/**
 * Splits SQL text into statements and finds the parameters in it, as Postgres reads it: quotes, E'' strings, quoted
 * identifiers, `$tag$ … $tag$`, line comments and nested block comments are never split and contain no parameters.
 */
export interface Statement {
  /** Trimmed, without the closing semicolon. */
  readonly text: string;
  readonly parameters: readonly SqlParameter[];
}

export interface SqlParameter {
  /** Offsets in the statement's text. */
  readonly start: number;
  readonly end: number;
  /** `$3` → 3, `:name` and `%(name)s` → 'name'. */
  readonly name: number | string;
}

/**
 * Omits statements that consist only of comments and whitespace.
 *
 * @param marks placeholders that each stand for the next value (`?`, `%s`): their names are 1, 2, …
 */
export function splitStatements(sql: string, marks: readonly string[] = []): Statement[] {
  const statements: Statement[] = [];
  let start = 0;
  let current: SqlParameter[] = [];
  let hasCode = false;
  /** BEGIN ATOMIC … END bodies of SQL functions contain semicolons. */
  let atomic = 0;
  const finish = (end: number): void => {
    const raw = sql.slice(start, end);
    const lead = raw.length - raw.trimStart().length;
    const shift = start + lead;
    let marked = 0;
    const parameters = current.map((one) => ({
      name: one.name === MARK ? ++marked : one.name,
      start: one.start - shift,
      end: one.end - shift,
    }));
    if (hasCode) statements.push({ text: raw.trim(), parameters });
    start = end + 1;
    current = [];
    hasCode = false;
    atomic = 0;
  };
  for (let at = 0; at < sql.length;) {
    const opaque = opaqueEnd(sql, at);
    if (opaque !== undefined) {
      if (!isComment(sql, at)) hasCode = true;
      at = opaque;
      continue;
    }
    const word = /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y;
    word.lastIndex = at;
    const name = word.exec(sql)?.[0];
    if (name) {
      hasCode = true;
      atomic = atomicDepth(atomic, name.toLowerCase(), sql.slice(0, at));
      at += name.length;
      continue;
    }
    if (sql[at] === ';' && atomic === 0) {
      finish(at);
      at++;
      continue;
    }
    const parameter = markAt(sql, at, marks) ?? parameterAt(sql, at);
    if (parameter) current.push(parameter);
    if (!/\s/.test(sql[at]!)) hasCode = true;
    at = parameter ? parameter.end : at + skip(sql, at);
  }
  finish(sql.length);
  return statements;
}

function atomicDepth(depth: number, word: string, before: string): number {
  if (word === 'atomic' && /\bbegin\s+$/i.test(before.slice(-64))) return 1;
  if (depth === 0) return 0;
  if (word === 'case') return depth + 1;
  return word === 'end' ? depth - 1 : depth;
}

/** The first characters that must stay together: `::` is a cast, not the start of a `:name`. */
function skip(sql: string, at: number): number {
  return sql.startsWith('::', at) || sql.startsWith(':=', at) ? 2 : 1;
}

/** Until its statement has ended and its placeholders are counted. */
const MARK = 0;

function markAt(sql: string, at: number, marks: readonly string[]): SqlParameter | undefined {
  const mark = marks.find((one) => sql.startsWith(one, at) && !/\w/.test(sql[at + one.length] ?? ''));
  return mark === undefined ? undefined : { start: at, end: at + mark.length, name: MARK };
}

function parameterAt(sql: string, at: number): SqlParameter | undefined {
  const pattern = { $: /\$(\d+)/y, ':': /:([A-Za-z_]\w*)/y, '%': /%\(([^)\s]+)\)s/y }[sql[at]!];
  if (!pattern) return undefined;
  pattern.lastIndex = at;
  const match = pattern.exec(sql);
  if (!match) return undefined;
  const name = sql[at] === '$' ? Number(match[1]) : match[1]!;
  return { start: at, end: at + match[0].length, name };
}

function isComment(sql: string, at: number): boolean {
  return sql.startsWith('--', at) || sql.startsWith('/*', at);
}

/** End of the quoted text or comment that starts at `at`; undefined when none starts there. */
function opaqueEnd(sql: string, at: number): number | undefined {
  switch (sql[at]) {
    case "'":
      return quoteEnd(sql, at, "'", isEscapeString(sql, at));
    case '"':
      return quoteEnd(sql, at, '"', false);
    case '-':
      return sql[at + 1] === '-' ? orEnd(sql, sql.indexOf('\n', at)) : undefined;
    case '/':
      return sql[at + 1] === '*' ? blockCommentEnd(sql, at) : undefined;
    case '$':
      return dollarEnd(sql, at);
    default:
      return undefined;
  }
}

/** E'…': the letter directly precedes the quote and is not part of a name. */
function isEscapeString(sql: string, at: number): boolean {
  return /[eE]/.test(sql[at - 1] ?? '') && !/[\w$\u0080-\uffff]/.test(sql[at - 2] ?? '');
}

function quoteEnd(sql: string, at: number, quote: string, backslashes: boolean): number {
  for (let i = at + 1; i < sql.length; i++) {
    if (backslashes && sql[i] === '\\') i++;
    else if (sql[i] === quote) {
      if (sql[i + 1] !== quote) return i + 1;
      i++;
    }
  }
  return sql.length;
}

function blockCommentEnd(sql: string, at: number): number {
  let depth = 0;
  for (let i = at; i < sql.length; i++) {
    if (sql.startsWith('/*', i)) {
      depth++;
      i++;
    } else if (sql.startsWith('*/', i)) {
      depth--;
      i++;
      if (depth === 0) return i + 1;
    }
  }
  return sql.length;
}

function dollarEnd(sql: string, at: number): number | undefined {
  const tag = /\$([A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;
  tag.lastIndex = at;
  const opening = tag.exec(sql)?.[0];
  if (!opening) return undefined;
  const closing = sql.indexOf(opening, at + opening.length);
  return closing === -1 ? sql.length : closing + opening.length;
}

function orEnd(sql: string, at: number): number {
  return at === -1 ? sql.length : at;
}
