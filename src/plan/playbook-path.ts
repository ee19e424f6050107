/**
 * `metadata.path`: what playbooks and other resources of a catalog are called by. In Temporal the path of a playbook is a
 * workflow type and a search attribute, which have limits of their own.
 */
import { nearest } from '../template/suggest';
import { INTERNAL_PREFIX, WORKFLOW_TYPE } from './names';

const MAX_PATH = 200;

/** What keeps a text from being the path of a resource; undefined for a good one. */
export function pathProblem(path: string): string | undefined {
  if ([...path].length > MAX_PATH) return `has more than ${MAX_PATH} characters`;
  if (/[\\\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(path))
    return 'has a backslash, a line break or a control character';
  // Temporal keeps `__temporal_` for itself.
  if (path.startsWith(INTERNAL_PREFIX) || path.startsWith('__'))
    return `begins with \`${INTERNAL_PREFIX}\` or \`__\``;
  const names = path.split('/');
  if (names.some((name) => name.trim() === '')) return 'has an empty name before, after or between slashes';
  return names.some((name) => /^\.+$/.test(name)) ? 'has a name of dots alone' : undefined;
}

/** Whether a playbook may have it as its `metadata.path`. */
export function isPlaybookPath(path: unknown): path is string {
  return typeof path === 'string' && pathProblem(path) === undefined;
}

/**
 * The workflow type of a playbook's executions. Calls name whatever a template comes to, and the SDK finds `toString`
 * among the exports of a module: what cannot be a type runs as `playbook`, and fails there in words if it has to.
 */
export function workflowTypeOf(path: string): string {
  return isPlaybookPath(path) && !(path in {}) ? path : WORKFLOW_TYPE;
}

/** The path that somebody meant who left out or mistook its folders, or misspelt it; undefined for one that is there. */
export function nearestPath(path: string, paths: Iterable<string>): string | undefined {
  const candidates = [...paths];
  if (candidates.includes(path)) return undefined;
  const last = lastOf(path);
  const sameName = candidates.filter((one) => lastOf(one) === last);
  return sameName.length === 1 ? sameName[0] : nearest(path, candidates);
}

/** `: did you mean a/b?`, or nothing, to be appended to a message. */
export function didYouMeanPath(path: string, paths: Iterable<string>): string {
  const meant = nearestPath(path, paths);
  return meant === undefined ? '' : `: did you mean ${meant}?`;
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
