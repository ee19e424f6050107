const simple: Readonly<Record<string, string>> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

const ESCAPE = /\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{1,3}|[\s\S])/g;

/**
 * The value of a string literal's body: Python's escapes, as in Jinja2. An unknown escape keeps its backslash
 * (`'\d'` is `\d`, whereas nunjucks drops the backslash, which would break regular expressions).
 */
export function unescapeText(body: string): string {
  if (!body.includes('\\')) return body;
  return body.replace(ESCAPE, (whole, code: string) => {
    if (code.length > 1 && /^[xuU]/.test(code)) {
      const point = parseInt(code.slice(1), 16);
      return point > 0x10ffff ? whole : String.fromCodePoint(point);
    }
    if (/^[0-7]/.test(code)) return String.fromCodePoint(parseInt(code, 8));
    return Object.hasOwn(simple, code) ? simple[code]! : whole;
  });
}
