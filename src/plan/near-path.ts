import { nearest } from '../template/suggest';

/** The path that somebody meant who left out or mistook its folders, or misspelt it; undefined for one that is there. */
export function nearestPath(path: string, paths: Iterable<string>): string | undefined {
  const known = [...paths];
  if (known.includes(path)) return undefined;
  const last = lastOf(path);
  const sameName = known.filter((one) => lastOf(one) === last);
  return sameName.length === 1 ? sameName[0] : nearest(path, known);
}

/** `: did you mean a/b?`, or nothing, to be appended to a message. */
export function didYouMeanPath(path: string, paths: Iterable<string>): string {
  const meant = nearestPath(path, paths);
  return meant === undefined ? '' : `: did you mean ${meant}?`;
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
