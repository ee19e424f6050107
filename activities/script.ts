/** Code that stands outside of the playbook: `script: {uri, source: {type: file|http|inline, …}}`. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMapping, type JsonObject, type TaskCall } from '../src/plan';
import { field, mappingField } from './fields';
import { get } from './http/get';
import { invalid, ToolError } from './outcome';

const MAX_BYTES = 4 * 1024 * 1024;

/** @throws ToolError: kind `validation` for what cannot be meant, `not_found` for a missing file, http's kinds */
export async function loadScript(call: TaskCall, signal: AbortSignal): Promise<string | undefined> {
  const script = mappingField(call, 'script');
  if (!script) return undefined;
  const source: JsonObject = isMapping(script['source']) ? (script['source'] as JsonObject) : {};
  const uri = field(script, 'uri', 'path', 'url') ?? field(source, 'uri', 'path', 'url', 'endpoint');
  const type = field(source, 'type') ?? field(script, 'type') ?? guess(uri);
  if (type === 'inline')
    return text(
      call,
      field(source, 'code', 'content') ?? field(script, 'code', 'content') ?? uri,
      'source.code',
    );
  if (type === 'file' || type === 'local') return readScript(call, text(call, uri, 'uri'));
  if (type === 'http' || type === 'https') {
    const endpoint = field(source, 'endpoint', 'url');
    return get(
      httpAddress(text(call, uri, 'uri'), typeof endpoint === 'string' ? endpoint : undefined),
      signal,
      MAX_BYTES,
    );
  }
  throw invalid(
    `${call.kind}: script.source.type '${String(type)}' is not one of file, http, inline`,
    'SCRIPT_SOURCE',
  );
}

function guess(uri: unknown): string {
  return typeof uri === 'string' && /^https?:\/\//.test(uri) ? 'http' : 'file';
}

/** A relative uri is under the source's endpoint. */
function httpAddress(uri: string, endpoint: string | undefined): string {
  if (/^https?:\/\//.test(uri) || !endpoint) return uri;
  return new URL(uri, endpoint.endsWith('/') ? endpoint : `${endpoint}/`).href;
}

async function readScript(call: TaskCall, uri: string): Promise<string> {
  const file = uri.startsWith('file://') ? fileURLToPath(uri) : path.resolve(uri);
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

function text(call: TaskCall, value: unknown, name: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw invalid(`${call.kind}: script.${name} is missing`, 'SCRIPT_SOURCE');
}
