/** `metadata.path`: what playbooks and other resources of a catalog are called by. */
import { nearest } from '../template/suggest';

const MAX_PATH = 500;

/** What keeps a text from being the path of a resource; undefined for a good one. */
export function pathProblem(path: string): string | undefined {
  if (path.length > MAX_PATH) return `has more than ${MAX_PATH} characters`;
  if (/[\0-\x1f\x7f\\]/.test(path)) return 'has a backslash or a control character';
  const names = path.split('/');
  if (names.some((name) => name.trim() === '')) return 'has an empty name before, after or between slashes';
  return names.some((name) => /^\.+$/.test(name)) ? 'has a name of dots alone' : undefined;
}

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
