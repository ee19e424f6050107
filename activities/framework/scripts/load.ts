/** Code stored outside the playbook: `script: {uri, source: {type: file|http|gcs|s3|inline, …}}`. */
import { readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  declarationOf,
  isMapping,
  type Json,
  type JsonObject,
  type TaskCall,
} from '../../../src/language/plan';
import { resolveAuth } from '../credentials/auth';
import { type Credential } from '../credentials/credential';
import { levelOf, readableFolders } from '../sandbox';
import { field, mappingField } from '../tool/fields';
import { get } from '../http/get';
import { invalidInput, ToolError } from '../tool/outcome';
import { type ToolContext } from '../tool/tool';
import { workerFile } from '../tool/worker-files';
import { readFromGcs, readFromS3, type ScriptObject } from './objects';

const MAX_BYTES = 4 * 1024 * 1024;

/** The parts of the running task needed to read a script. */
export type ScriptContext = Pick<ToolContext, 'credentials' | 'signal'>;

interface ScriptRequest {
  readonly call: TaskCall;
  /** As written. */
  readonly uri: Json | undefined;
  readonly script: JsonObject;
  readonly source: JsonObject;
  readonly signal: AbortSignal;
  /** `source.auth`, or `script.auth`: the name of a credential, or what `auth` takes elsewhere. */
  credential(): Promise<Credential | undefined>;
}

type Reader = (request: ScriptRequest) => Promise<string>;

const FILE: Reader = ({ call, uri }) => readScript(call, text(call, uri, 'uri'));
const HTTP: Reader = async ({ call, uri, source, signal, credential }) => {
  const endpoint = field(source, 'endpoint', 'url');
  const headers = mappingField({ ...call, config: source }, 'headers') ?? {};
  return get(httpAddress(text(call, uri, 'uri'), typeof endpoint === 'string' ? endpoint : undefined), {
    signal,
    maxBytes: MAX_BYTES,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
    ),
    credential: await credential(),
  });
};
const GCS: Reader = async (request) => (await readFromGcs(await objectOf(request, 'gs'))).toString('utf8');
const S3: Reader = async (request) => (await readFromS3(await objectOf(request, 's3'))).toString('utf8');

const READERS: Readonly<Record<string, Reader>> = {
  file: FILE,
  local: FILE,
  http: HTTP,
  https: HTTP,
  gcs: GCS,
  gs: GCS,
  s3: S3,
  inline: ({ call, uri, script, source }) =>
    Promise.resolve(
      text(call, field(source, 'code', 'content') ?? field(script, 'code', 'content') ?? uri, 'source.code'),
    ),
};

/**
 * The script of the task; undefined without one.
 *
 * @throws ToolError: kind `validation` for an invalid location, `not_found` for a missing file, http's kinds, gcs's,
 * s3's
 */
export async function loadScript(
  call: TaskCall,
  { credentials, signal }: ScriptContext,
): Promise<string | undefined> {
  const given = field(call.config, 'script');
  const script = typeof given === 'string' ? { uri: given } : mappingField(call, 'script');
  if (!script) return undefined;
  const source: JsonObject =
    'source' in script && isMapping(script['source']) ? (script['source'] as JsonObject) : {};
  const uri = field(script, 'uri', 'path', 'url') ?? field(source, 'uri', 'path', 'url', 'endpoint');
  const type = String(field(source, 'type') ?? field(script, 'type') ?? guess(uri)).toLowerCase();
  const reader = Object.hasOwn(READERS, type) ? READERS[type] : undefined;
  if (!reader)
    throw invalidInput(
      `${call.kind}: script.source.type '${type}' is not one of file, http, gcs, s3, inline`,
      'SCRIPT_SOURCE',
    );
  const auth = field(source, 'auth', 'credential') ?? field(script, 'auth', 'credential') ?? null;
  const credential = (): Promise<Credential | undefined> =>
    resolveAuth({ ...call, config: { auth } }, credentials);
  return reader({ call, uri, script, source, signal, credential });
}

function guess(uri: unknown): string {
  const scheme = typeof uri === 'string' ? /^(https?|gs|s3):\/\//.exec(uri)?.[1] : undefined;
  return scheme ?? 'file';
}

/** A relative uri is resolved against the source's endpoint. */
function httpAddress(uri: string, endpoint: string | undefined): string {
  if (/^https?:\/\//.test(uri) || !endpoint) return uri;
  return new URL(uri, endpoint.endsWith('/') ? endpoint : `${endpoint}/`).href;
}

/** `gs://bucket/name`, or a name in `source.bucket`. */
async function objectOf(
  { call, uri, source, signal, credential }: ScriptRequest,
  scheme: 'gs' | 's3',
): Promise<ScriptObject> {
  const given = text(call, uri, 'uri');
  const whole = /^([a-z0-9]+):\/\/([^/]+)\/(.+)$/.exec(given);
  if (whole ? whole[1] !== scheme : given.includes('://'))
    throw invalidInput(
      `${call.kind}: the script's uri must be ${scheme}://bucket/name, not ${given}`,
      'SCRIPT_SOURCE',
    );
  const bucket = whole?.[2] ?? field(source, 'bucket');
  if (typeof bucket !== 'string' || bucket === '') {
    const message = `${call.kind}: the script's uri must be ${scheme}://bucket/name, or a name in source.bucket`;
    throw invalidInput(message, 'SCRIPT_SOURCE');
  }
  const region = field(source, 'region');
  return {
    bucket,
    name: whole?.[3] ?? given.replace(/^\/+/, ''),
    credential: await credential(),
    ...(typeof region === 'string' && { region }),
    maxBytes: MAX_BYTES,
    signal,
  };
}

async function readScript(call: TaskCall, uri: string): Promise<string> {
  const file = uri.startsWith('file://') ? fileURLToPath(uri) : path.resolve(uri);
  await assertReadable(call, file);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new ToolError({
      kind: code === 'ENOENT' ? 'not_found' : 'validation',
      code: code === 'ENOENT' ? 'SCRIPT_NOT_FOUND' : 'SCRIPT_SOURCE',
      message: `${call.kind}: the script ${file} cannot be read (${code})`,
    });
  }
}

/** A sandboxed task reads no file of the worker by way of its script. @throws ToolError `SANDBOX_FILE` */
async function assertReadable(call: TaskCall, file: string): Promise<void> {
  const level = declarationOf(call.kind)?.sandbox ? levelOf(call) : undefined;
  if (level === undefined) workerFile(call.kind, file);
  if (level === undefined || level === 'none') return;
  // Links are followed as reading follows them; a missing file is as unreadable as any other.
  const real = await realpath(file).catch(() => undefined);
  const folders = await Promise.all(readableFolders().map((one) => realpath(one).catch(() => undefined)));
  if (real && folders.some((folder) => folder && real.startsWith(`${folder}${path.sep}`))) return;
  throw invalidInput(
    `${call.kind}: the script ${file} is a file of the worker, which a task in the sandbox ${level} cannot read; write it as code, load it from elsewhere, or have the worker's operator name its folder in NOETL_SANDBOX_READ (docs/isolation.md)`,
    'SANDBOX_FILE',
  );
}

function text(call: TaskCall, value: unknown, name: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw invalidInput(`${call.kind}: script.${name} is missing`, 'SCRIPT_SOURCE');
}
