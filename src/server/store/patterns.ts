/** Whether one of the patterns fits the text; `*` stands for any characters, everything else for itself. */
export function fitsAny(patterns: readonly string[], text: string): boolean {
  return patterns.some((pattern) => {
    const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
    return new RegExp(`^${parts.join('.*')}$`, 's').test(text);
  });
}
