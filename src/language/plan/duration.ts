/** A duration as people read it, everywhere: `12 ms`, `3.4 s`, `2 min 5 s`, `3 h 2 min`, `4 d 1 h`; what is begun is not counted. */
export function duration(ms: number): string {
  if (ms < 999.5) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.max(1, Math.floor(ms / 60_000));
  if (minutes < 60) return two(minutes, 'min', Math.max(0, Math.floor(ms / 1000) - minutes * 60), 's');
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return two(hours, 'h', minutes % 60, 'min');
  return two(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

function two(large: number, unit: string, small: number, smaller: string): string {
  return small === 0 ? `${large} ${unit}` : `${large} ${unit} ${small} ${smaller}`;
}
