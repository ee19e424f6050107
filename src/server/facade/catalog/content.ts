/** The content sent to be registered: plain text or base64, parsed. */
import { readResource, type Resource } from '../../../language/dsl';
import { pathProblem } from '../../../language/plan';
import { invalidDocument } from './diagnostics';
import { invalidField } from '../http/errors';

/** Kinds of resources in NoETL's catalogs; a document names its own, in any case. */
const RESOURCE_KINDS = [
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

/** Kinds that are run: an agent is a playbook under another kind. */
export const EXECUTABLE: readonly string[] = ['playbook', 'agent'];
/** Kinds that are registered only without errors. */
export const CHECKED_KINDS: readonly string[] = [...EXECUTABLE, 'mcp', 'subscription'];

export interface Submitted extends Pick<Resource, 'name' | 'version' | 'data'> {
  readonly content: string;
  /** In lower case. */
  readonly kind: string;
  readonly path: string;
}

/**
 * Parses a submitted resource. The kind in the document takes precedence: NoETL's CLI calls everything a playbook.
 *
 * @param type the kind given by the client
 * @throws FacadeError 422 with diagnostics if it is not a resource
 */
export function readSubmitted(given: string, type: string): Submitted {
  const content = decodedContent(given);
  const { resource, diagnostics } = readResource(content);
  if (!resource) throw invalidDocument('the content', diagnostics, 'resource');
  refuseCredential(resource);
  const kind = kindOf(resource, type);
  // The compiler reports an invalid path of a playbook.
  const path = resource.path ?? '';
  if (!CHECKED_KINDS.includes(kind) && path === '')
    throw invalidField(
      'body.content',
      'RESOURCE_INVALID',
      `a resource of kind ${kind} needs \`metadata.path\``,
    );
  const problem = CHECKED_KINDS.includes(kind) ? undefined : pathProblem(path);
  if (problem !== undefined) throw invalidField('body.content', 'RESOURCE_INVALID', `its path ${problem}`);
  const { name, version, data } = resource;
  return { content, kind, path, name, version, data };
}

/** Plain text or base64: YAML contains characters that base64 does not, so they cannot be confused. */
export function decodedContent(given: string): string {
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

/** `noetl catalog register credential.json` sends a secret as a playbook; the catalog must not store it. */
function refuseCredential({ data, kind }: Resource): void {
  const isCredential =
    kind?.toLowerCase() === 'credential' ||
    (kind === undefined && 'type' in data && 'data' in data && 'name' in data);
  if (!isCredential) return;
  throw invalidField(
    'body.content',
    'RESOURCE_IS_CREDENTIAL',
    'this is a credential, which the catalog does not store: register it with POST /api/credentials ' +
      '(noetl register credential --file FILE)',
  );
}
