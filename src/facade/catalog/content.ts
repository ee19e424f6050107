/** What a client sends to be registered: text or base64, and what is in it. */
import { readResource, type Resource } from '../../dsl';
import { pathProblem } from '../../plan';
import { FacadeError } from '../http/errors';
import { invalid } from './diagnostics';

/** Kinds that NoETL's catalogs hold; a document says its own, in any case. */
export const RESOURCE_KINDS = [
  'playbook',
  'agent',
  'tool',
  'model',
  'mcp',
  'workflow',
  'subscription',
  'provider',
  'dataset',
  'policy',
] as const;

export interface Submitted {
  readonly content: string;
  /** In lower case. */
  readonly kind: string;
  readonly path: string;
  readonly name?: string;
  /** `metadata.version`. */
  readonly version?: string;
  readonly data: Resource['data'];
}

/**
 * Reads what is to be registered. The document's own kind counts: NoETL's CLI calls everything a playbook.
 *
 * @param type what the client calls it
 * @throws FacadeError 422 with diagnostics when it is no resource
 */
export function readSubmitted(given: string, type: string): Submitted {
  const content = decoded(given);
  const { resource, diagnostics } = readResource(content);
  if (!resource) throw invalid('the content', diagnostics, 'resource');
  refuseCredential(resource);
  const kind = kindOf(resource, type);
  // What is wrong with the path of a playbook is told by its compiler.
  const path = resource.path ?? '';
  if (kind !== 'playbook' && path === '')
    throw new FacadeError(422, 'RESOURCE_INVALID', `a resource of kind ${kind} needs \`metadata.path\``, {
      at: 'body.content',
    });
  const problem = kind === 'playbook' ? undefined : pathProblem(path);
  if (problem !== undefined)
    throw new FacadeError(422, 'RESOURCE_INVALID', `its path ${problem}`, { at: 'body.content' });
  const { name, version, data } = resource;
  return { content, kind, path, name, version, data };
}

/** The text itself: YAML holds characters that base64 does not, so the two cannot be taken for each other. */
export function decoded(given: string): string {
  const compact = given.replace(/\s+/g, '');
  if (compact === '' || compact.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(compact)) return given;
  const bytes = Buffer.from(compact, 'base64');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return given;
  }
}

function kindOf({ kind }: Resource, type: string): string {
  const own = kind?.toLowerCase();
  return own !== undefined && (RESOURCE_KINDS as readonly string[]).includes(own) ? own : type.toLowerCase();
}

/** `noetl catalog register credential.json` sends its secret as a playbook: the catalog is no place for it. */
function refuseCredential({ data, kind }: Resource): void {
  const isCredential =
    kind?.toLowerCase() === 'credential' ||
    (kind === undefined && 'type' in data && 'data' in data && 'name' in data);
  if (!isCredential) return;
  throw new FacadeError(
    422,
    'RESOURCE_IS_CREDENTIAL',
    'this is a credential, which the catalog does not store: register it with POST /api/credentials ' +
      '(noetl register credential --file FILE)',
    { at: 'body.content' },
  );
}
