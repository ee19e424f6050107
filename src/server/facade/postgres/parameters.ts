/** Converts placeholders of the official server's clients (psycopg's) to PostgreSQL's `$1`. */

/** Quoted text and comments are left unchanged. */
const TOKEN =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$|--[^\n]*|\/\*[\s\S]*?\*\/|%%|%s|%\((\w+)\)s/g;

export interface Parametrised {
  readonly text: string;
  /** Undefined: no parameters; the text may then contain several statements. */
  readonly values?: readonly unknown[];
}

/**
 * A list of parameters matches `$1 …` or `%s`, a mapping `%(name)s`; any other value the only placeholder.
 *
 * @example parametersOf('SELECT %(a)s', { a: 1 }) // { text: 'SELECT $1', values: [1] }
 */
export function parametersOf(sql: string, parameters: unknown): Parametrised {
  if (parameters === undefined || parameters === null) return { text: sql };
  const isNamed = typeof parameters === 'object' && !Array.isArray(parameters);
  const given: readonly unknown[] = isNamed ? [] : [parameters].flat();
  const named = (isNamed ? parameters : {}) as Record<string, unknown>;
  const names: string[] = [];
  let position = 0;
  const text = sql.replace(TOKEN, (token, _tag: unknown, name: string | undefined) => {
    if (token === '%%') return '%';
    if (token === '%s') return isNamed ? token : `$${++position}`;
    if (name === undefined || !isNamed) return token;
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  if (!isNamed) return { text, values: given };
  return { text, values: names.map((name) => (Object.hasOwn(named, name) ? named[name] : null)) };
}
