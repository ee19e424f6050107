/** Limits for hostile input: within them, parsing takes at most seconds and a few hundred megabytes. */
export const YAML_LIMITS = {
  /** UTF-16 units of text. */
  text: 4 * 1024 * 1024,
  /** Levels of nesting. */
  depth: 100,
  /** Nodes of the document, with aliases counted at each use. */
  nodes: 300_000,
} as const;

const LONE_SURROGATE = '[\\ud800-\\udbff](?![\\udc00-\\udfff])|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]';

/** Characters that YAML does not allow. */
export const NOT_YAML = new RegExp(`[\\0-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f]|${LONE_SURROGATE}`, 'g');

/** Characters that can be escaped in YAML, but not stored in Postgres or UTF-8. */
export const NOT_STORABLE = new RegExp(`\\0|${LONE_SURROGATE}`);

/** `U+0000`: notation for unprintable characters. */
export function codePoint(char: string): string {
  return `U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}

export const UNQUOTED =
  'a value that begins with a template needs quotes: YAML reads `{` as the start of a mapping';
export const QUOTE_IT = 'write "{{ … }}" with quotes around the whole value';
