/** Whether one of the patterns fits the text; `*` stands for any characters, everything else for itself. */
export function fitsAny(patterns: readonly string[], text: string): boolean {
  return patterns.some((pattern) => fits(pattern, text));
}

/** In one pass, however many `*` there are: what a caller writes must not take longer than it is long. */
function fits(pattern: string, text: string): boolean {
  const [first = '', ...between] = pattern.split('*');
  const last = between.pop();
  if (last === undefined) return pattern === text;
  const end = text.length - last.length;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of between) {
    const start = text.indexOf(part, at);
    if (start < 0) return false;
    at = start + part.length;
  }
  return at <= end;
}
