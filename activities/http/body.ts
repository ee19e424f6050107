/** Bodies: from the tool's fields to bytes, and from bytes to data. */
import { isMapping, type Json, type JsonObject, type TaskCall } from '../../src/plan';
import { field, mappingField } from '../fields';
import { invalid } from '../outcome';

export interface RequestBody {
  readonly body?: string;
  readonly contentType?: string;
}

/**
 * `form` → form fields; `json`, `payload`, `data`, `body`: lists and mappings as JSON (form fields when the author's
 * Content-Type says so), text as it is.
 */
export function requestBody(call: TaskCall, authorsType: string | undefined): RequestBody {
  const form = mappingField(call, 'form');
  if (form) return { body: queryText(form), contentType: 'application/x-www-form-urlencoded' };
  const json = field(call.config, 'json');
  if (json !== undefined && typeof json !== 'string')
    return { body: JSON.stringify(json), contentType: 'application/json' };
  const value = json ?? field(call.config, 'payload', 'data', 'body');
  if (value === undefined) return {};
  if (typeof value === 'string') {
    if (value === '') return {};
    return { body: value, contentType: isJsonText(value) ? 'application/json' : 'text/plain; charset=utf-8' };
  }
  if (isMapping(value) && /^application\/x-www-form-urlencoded/i.test(authorsType ?? '')) {
    return { body: queryText(value as JsonObject), contentType: 'application/x-www-form-urlencoded' };
  }
  return { body: JSON.stringify(value), contentType: 'application/json' };
}

/** Query or form fields: null is left out, lists repeat the name, booleans are true and false, mappings are JSON. */
export function queryPairs(params: JsonObject): [string, string][] {
  return Object.entries(params).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).flatMap((one): [string, string][] => {
      if (one === null || one === undefined) return [];
      return [[name, typeof one === 'object' ? JSON.stringify(one) : String(one)]];
    }),
  );
}

function queryText(params: JsonObject): string {
  return new URLSearchParams(queryPairs(params)).toString();
}

function isJsonText(value: string): boolean {
  if (!/^\s*[[{]/.test(value)) return false;
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}

export interface ResponseData {
  readonly data: Json;
  /** Set when `data` is the body in base64, because it is neither JSON nor text. */
  readonly data_encoding?: 'base64';
}

/** JSON where the server says so (or says nothing and it looks like it), else text, else base64. Empty is null. */
export function responseData(body: Buffer, contentType: string, wanted: Json | undefined): ResponseData {
  if (wanted !== undefined && !['auto', 'json', 'text', 'binary', 'bytes'].includes(String(wanted))) {
    throw invalid(`http: response_type '${String(wanted)}' is not one of auto, json, text, binary`);
  }
  if (body.length === 0) return { data: wanted === 'text' ? '' : null };
  if (wanted === 'binary' || wanted === 'bytes') return base64(body);
  const type = contentType.split(';')[0]!.trim().toLowerCase();
  const text = decode(body, /charset="?([\w-]+)/i.exec(contentType)?.[1] ?? 'utf-8');
  if (text === undefined) return base64(body);
  const json = wanted === 'json' || /[/+]json$/.test(type) || (type === '' && /^\s*[[{]/.test(text));
  if (json && wanted !== 'text') {
    try {
      return { data: JSON.parse(text) as Json };
    } catch {
      // What calls itself JSON and is not: the text is what there is.
    }
  }
  if (text.includes('\0')) return base64(body);
  return { data: text };
}

function decode(body: Buffer, charset: string): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(body);
  } catch {
    return charset === 'utf-8' ? undefined : decode(body, 'utf-8');
  }
}

function base64(body: Buffer): ResponseData {
  return { data: body.toString('base64'), data_encoding: 'base64' };
}
