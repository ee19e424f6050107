/** References to catalog entries: a path, optionally with a version, an id, or `catalog://name@version`. */
import { catalogPath, compact, didYouMeanPath } from '../../../language/plan';
import { type Catalog, type CatalogEntry } from '../../store';
import { FacadeError, invalidField } from '../http/errors';
import { EXECUTABLE } from './content';

export interface CatalogReference {
  readonly path?: string;
  /** A number, a `metadata.version`, or `latest`. */
  readonly version?: string | number | null;
  readonly catalog_id?: string | number;
}

/**
 * Resolves a reference. A path without an entry may be an id (`pbk_<catalog_id>`) or the name of a single resource:
 * NoETL's CLI sends a file's name without its folder.
 *
 * @throws FacadeError 422 if the reference is empty, 404 if there is no such entry
 */
export async function entryOf(
  catalog: Catalog,
  reference: CatalogReference,
  noun = 'Executable catalog entry',
): Promise<CatalogEntry> {
  const { catalog_id, path: given } = reference;
  if (catalog_id !== undefined) {
    const entry = await byId(catalog, String(catalog_id));
    if (entry) return entry;
    throw missing(noun, String(catalog_id));
  }
  if (!given) throw invalidField('body.path', 'VALIDATION', 'body: a `path` or a `catalog_id` is required');
  const { path: named, version } = spelledOut(given, reference.version);
  const path = catalogPath(named);
  const ofPath = (await catalog.find(path, version)) ?? (await otherwise(catalog, path, version));
  if (ofPath) return ofPath;
  const isLatest = version === undefined || version === 'latest';
  const staged = isLatest ? await catalog.stagedVersion(path) : undefined;
  if (staged !== undefined)
    throw missing(noun, `${path} has no latest version: ${staged} is staged, and to be promoted`);
  const name = isLatest ? path : `${path}@${version}`;
  throw missing(noun, `${name}${didYouMeanPath(path, await catalog.paths(EXECUTABLE))}`);
}

/** `catalog://a/b@2` or `a/b` with its version. */
function spelledOut(
  given: string,
  version: CatalogReference['version'],
): { path: string; version?: string | number } {
  const [, scheme, path = given, inPath] = /^(catalog:\/\/)?(.+?)(?:@([\w.-]+))?$/.exec(given) ?? [];
  const requestedVersion = version ?? undefined;
  // `@` separates a version only after the scheme; otherwise it is part of the path.
  if (scheme === undefined) return { path: given, ...compact({ version: requestedVersion }) };
  const which = requestedVersion ?? inPath;
  return { path, ...compact({ version: which }) };
}

async function otherwise(
  catalog: Catalog,
  path: string,
  version: string | number | undefined,
): Promise<CatalogEntry | undefined> {
  const id = /^(?:pbk_)?(\d+)$/.exec(path)?.[1];
  if (id !== undefined) return await byId(catalog, id);
  const named = await catalog.pathsNamed(path);
  if (named.length > 1)
    throw new FacadeError(
      409,
      'AMBIGUOUS_NAME',
      `more than one resource is named ${path}, e.g. ${named.join(' and ')}: use its path`,
      { at: 'body.path' },
    );
  return named[0] === undefined ? undefined : await catalog.find(named[0], version);
}

/** Numbers above BIGINT are not ids, and Postgres would reject them. */
async function byId(catalog: Catalog, id: string): Promise<CatalogEntry | undefined> {
  const digits = id.replace(/^pbk_/, '');
  return /^[1-9]\d{0,18}$/.test(digits) && BigInt(digits) < 2n ** 63n
    ? await catalog.byId(digits)
    : undefined;
}

function missing(noun: string, what: string): FacadeError {
  return new FacadeError(404, 'CATALOG_ENTRY_NOT_FOUND', `${noun} not found: ${what}`);
}
