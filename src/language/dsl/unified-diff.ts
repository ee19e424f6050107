import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';

/**
 * The unified diff of two texts, as `git apply` and `patch` read it; empty when they are equal.
 *
 * @example
 * unifiedDiff('a\nb\n', 'a\nc\n', { from: 'x.yaml', to: 'x.yaml' }) // '--- x.yaml\n+++ x.yaml\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n'
 */
export function unifiedDiff(before: string, after: string, names: { from: string; to: string }): string {
  if (before === after) return '';
  const options = { context: 3, headerOptions: FILE_HEADERS_ONLY };
  return createTwoFilesPatch(names.from, names.to, before, after, undefined, undefined, options);
}

/** The changed lines of two texts with those around them, without the head of a file. */
export function hunksOf(before: string, after: string): string[] {
  return unifiedDiff(before, after, { from: 'before', to: 'after' })
    .trimEnd()
    .split('\n')
    .slice(2)
    .filter((line) => !line.startsWith('\\ No newline'));
}
