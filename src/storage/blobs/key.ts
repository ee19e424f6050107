/** Keys of stored objects: the owner, and the hash of a payload, the name of a log chunk or of a cached result. */
import { type StorageDriverTargetInfo } from '@temporalio/common';
import { isChunkName } from '../../telemetry/logs';
import { compact } from '../../language/plan';

/** The owner of a payload, which determines its retention. */
export interface Owner {
  readonly namespace: string;
  readonly workflowId: string;
}

/** Of one path segment; file systems allow 255. */
const MAX_SEGMENT = 200;

/** `v0/ns/<namespace>/wi/<workflow id>/d/sha256/<hash>`; a long id is split into several segments. */
export function blobKey(owner: Owner, hash: string): string {
  return `${ownerPrefix(owner)}/d/sha256/${hash}`;
}

export function ownerPrefix({ namespace, workflowId }: Owner): string {
  const id = segment(workflowId)
    .match(new RegExp(`.{1,${MAX_SEGMENT}}`, 'g'))!
    .join('/');
  return `v0/ns/${segment(namespace)}/wi/${id}`;
}

/** `v0/ns/<namespace>/wi/<workflow id>/l/`: the prefix of the log chunks of an execution. */
export function logPrefix(owner: Owner): string {
  return `${ownerPrefix(owner)}/l/`;
}

/** Owner of cached results, in place of a workflow: they outlive the executions that made them. */
export const CACHE_OWNER = 'noetl-cache';

/** `v0/ns/<namespace>/wi/noetl-cache/c/`: the prefix of cached results. */
export function cachePrefix(owner: Owner): string {
  return `${ownerPrefix(owner)}/c/`;
}

/** A playbook and a digest (`nameOf` in step-cache.ts). */
const CACHE_NAME = /^[0-9a-f]{16}-[0-9a-f]{64}$/;

/** Undefined unless the key was made by `keyOf`, or is a name after `logPrefix` or `cachePrefix`. */
export function parseKey(key: string): (Owner & { readonly hash?: string }) | undefined {
  const match = /^(.+\/)(?:d\/sha256\/([0-9a-f]{64})|l\/([^/]+)|c\/([^/]+))$/.exec(key);
  if (!match) return undefined;
  const [, prefix = '', hash, chunk, cached] = match;
  if (chunk !== undefined && !isChunkName(chunk)) return undefined;
  if (cached !== undefined && !CACHE_NAME.test(cached)) return undefined;
  const owner = parsePrefix(prefix);
  return owner && { ...owner, ...compact({ hash }) };
}

/** The owner in `ownerPrefix` and a slash; undefined for anything else. */
export function parsePrefix(prefix: string): Owner | undefined {
  // `segment` leaves no dot, which could lead to another folder.
  const match = /^v0\/ns\/([^/.]+)\/wi\/([^.]+)\/$/.exec(prefix);
  if (!match) return undefined;
  const [, namespace = '', id = ''] = match;
  try {
    return {
      namespace: decodeURIComponent(namespace),
      workflowId: decodeURIComponent(id.replaceAll('/', '')),
    };
  } catch {
    return undefined;
  }
}

export function ownerOf(target: StorageDriverTargetInfo | undefined): Owner {
  return { namespace: target?.namespace || 'default', workflowId: target?.id || 'unknown' };
}

/** Contains no separators and no reference to another folder. */
function segment(text: string): string {
  return encodeURIComponent(text).replace(/[.~]/g, (character) => (character === '.' ? '%2E' : '%7E'));
}
