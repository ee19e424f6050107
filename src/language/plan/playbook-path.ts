/**
 * `metadata.path`: the name of a playbook or other catalog resource. In Temporal a playbook's path is a workflow type
 * and a search attribute, each with its own limits.
 */
import { nearest } from '../template/suggest';
import { INTERNAL_PREFIX, WORKFLOW_TYPE } from './names';

const MAX_PATH = 200;

/** The path as the catalog has it: official playbooks write some with a leading slash, and mean the same. */
export function catalogPath(path: string): string {
  return path.replace(/^\/(?!\/)/, '');
}

/**
 * The path that a call names. `./child` in a playbook of the catalog is beside it, with or without the ending of its file.
 *
 * @param caller path of the calling playbook in the catalog; undefined if it is not from there: then `./` names a file
 */
export function calledPath(named: string, caller: string | undefined): string {
  if (caller === undefined || !/^\.\.?\//.test(named)) return catalogPath(named);
  const names = caller.split('/').slice(0, -1);
  for (const name of named.replace(/\.ya?ml$/i, '').split('/'))
    if (name === '..') names.pop();
    else if (name !== '.') names.push(name);
  return names.join('/');
}

/** Why a string is not a valid resource path; undefined for a valid one. */
export function pathProblem(path: string): string | undefined {
  if ([...path].length > MAX_PATH) return `has more than ${MAX_PATH} characters`;
  if (/[\\\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(path))
    return 'has a backslash, a line break or a control character';
  // Temporal reserves `__temporal_`.
  if (path.startsWith(INTERNAL_PREFIX) || path.startsWith('__'))
    return `begins with \`${INTERNAL_PREFIX}\` or \`__\``;
  const names = path.split('/');
  if (names.some((name) => name.trim() === '')) return 'has an empty name before, after or between slashes';
  return names.some((name) => /^\.+$/.test(name)) ? 'has a name of dots alone' : undefined;
}

/** Whether it is valid as the `metadata.path` of a playbook. */
export function isPlaybookPath(path: unknown): path is string {
  return typeof path === 'string' && pathProblem(path) === undefined;
}

/**
 * The workflow type of a playbook's executions. A call may name anything a template evaluates to, and the SDK finds
 * `toString` among a module's exports: a path that cannot be a type runs as `playbook` and fails there with a message
 * if necessary.
 */
export function workflowTypeOf(path: string): string {
  return isPlaybookPath(path) && !(path in {}) ? path : WORKFLOW_TYPE;
}

/** The likely intended path when folders are missing or wrong, or the path is misspelt; undefined if it exists. */
export function nearestPath(path: string, paths: Iterable<string>): string | undefined {
  const candidates = [...paths];
  if (candidates.includes(path)) return undefined;
  const last = lastOf(path);
  const sameName = candidates.filter((one) => lastOf(one) === last);
  return sameName.length === 1 ? sameName[0] : nearest(path, candidates);
}

/** `: did you mean a/b?` or an empty string, for appending to a message. */
export function didYouMeanPath(path: string, paths: Iterable<string>): string {
  const suggestion = nearestPath(path, paths);
  return suggestion === undefined ? '' : `: did you mean ${suggestion}?`;
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
