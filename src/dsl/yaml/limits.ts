/** Bounds for hostile input: within them, parsing takes seconds and a few hundred megabytes at worst. */
export const LIMITS = {
  /** UTF-16 units of text. */
  text: 4 * 1024 * 1024,
  /** Levels of nesting. */
  depth: 100,
  /** Nodes of the document, with aliases counted as often as they are used. */
  nodes: 300_000,
} as const;

const LONE_SURROGATE = '[\\ud800-\\udbff](?![\\udc00-\\udfff])|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]';

/** Characters that YAML does not allow in a text. */
export const NOT_YAML = new RegExp(`[\\0-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f]|${LONE_SURROGATE}`, 'g');

/** Characters that can be written as an escape, but that Postgres or UTF-8 cannot carry. */
export const NOT_STORABLE = new RegExp(`\\0|${LONE_SURROGATE}`);

/** `U+0000`, as Unicode names characters that cannot be shown. */
export function codePoint(char: string): string {
  return `U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}

export const UNQUOTED =
  'a value that begins with a template needs quotes: YAML reads `{` as the start of a mapping';
export const QUOTE_IT = 'write "{{ … }}" with quotes around the whole value';
