/** SQL as words, names and signs: as much of its syntax as it takes to find the names of tables. */

export interface SqlToken {
  /** `name`: an identifier, quoted or not; `text`: a string literal */
  readonly kind: 'name' | 'text' | 'sign';
  readonly text: string;
  /** An identifier in quotes keeps its case, and is no keyword. */
  readonly quoted?: true;
}

const TOKEN = new RegExp(
  [
    String.raw`(?<skip>\s+|--[^\n]*|/\*[\s\S]*?(?:\*/|$))`,
    // E'…' has backslash escapes; in $tag$…$tag$ nothing is special.
    String.raw`[eE]'(?<escaped>(?:[^'\\]|''|\\[\s\S])*)'`,
    String.raw`'(?<string>(?:[^']|'')*)'`,
    String.raw`\$(?<tag>[A-Za-z_]\w*|)\$(?<dollar>[\s\S]*?)\$\k<tag>\$`,
    '"(?<double>(?:[^"]|"")*)"',
    '`(?<back>[^`]*)`',
    String.raw`(?<word>[\p{L}_][\p{L}\p{N}_$]*)`,
    String.raw`(?<number>\d[\w.]*)`,
    String.raw`(?<sign>[\s\S])`,
  ].join('|'),
  'gu',
);

/** @param sql one or several statements */
export function tokensOf(sql: string): SqlToken[] {
  const tokens: SqlToken[] = [];
  for (const { groups = {} } of sql.matchAll(TOKEN)) {
    const { skip, word, sign, number } = groups;
    const quoted = groups['double']?.replaceAll('""', '"') ?? groups['back'];
    const text = groups['string']?.replaceAll("''", "'") ?? groups['escaped'] ?? groups['dollar'];
    if (skip !== undefined) continue;
    if (word !== undefined) tokens.push({ kind: 'name', text: word });
    else if (quoted !== undefined) tokens.push({ kind: 'name', text: quoted, quoted: true });
    else if (text !== undefined) tokens.push({ kind: 'text', text });
    else tokens.push({ kind: 'sign', text: sign ?? number ?? '' });
  }
  return tokens;
}
