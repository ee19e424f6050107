/** Placeholders as clients of the official server write them (psycopg's), in PostgreSQL's own: `$1`. */

/** Quoted text and comments stay as they are. */
const TOKEN =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$|--[^\n]*|\/\*[\s\S]*?\*\/|%%|%s|%\((\w+)\)s/g;

export interface Parametrised {
  readonly text: string;
  /** Undefined: none are given, and the text may be several statements. */
  readonly values?: readonly unknown[];
}

/**
 * A list of parameters stands for `$1 …` or `%s`, a mapping for `%(name)s`; anything else for the one placeholder.
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
