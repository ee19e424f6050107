/** Request bodies: from the tool's fields to bytes. Response bodies: from bytes to data. */
import { isMapping, type Json, type JsonObject, type TaskCall } from '../../../src/language/plan';
import { type DigitsLost, jsonOr } from '../../../src/language/plan/json-text';
import { field, mappingField, textField } from '../tool/fields';
import { invalidInput } from '../tool/outcome';
import { fileBody, multipart, type StreamedBody } from './multipart';
import { queryText } from './query';

export interface RequestBody {
  readonly body?: string | Buffer | StreamedBody;
  readonly contentType?: string;
}

/**
 * `form` → form fields; `json`, `payload`, `data`, `body`: lists and mappings as JSON (form fields when the author's
 * Content-Type says so), strings verbatim; `body_base64` → bytes; `body_file` → a file of the worker, streamed; `files`
 * → multipart, together with `form`.
 */
export async function requestBody(call: TaskCall, authorsType: string | undefined): Promise<RequestBody> {
  const form = mappingField(call, 'form');
  const files = field(call.config, 'files');
  if (files !== undefined || (form && /^multipart\/form-data/i.test(authorsType ?? ''))) {
    return multipart(form ?? {}, files ?? {});
  }
  const file = textField(call, 'body_file');
  if (file !== undefined) return { body: await fileBody(file), contentType: 'application/octet-stream' };
  const base64 = textField(call, 'body_base64');
  if (base64 !== undefined)
    return { body: Buffer.from(base64, 'base64'), contentType: 'application/octet-stream' };
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
  /** Set when `data` is the body in base64 because it is neither JSON nor text. */
  readonly data_encoding?: 'base64';
  /** Content type of the bytes, with `data_encoding`. */
  readonly content_type?: string;
}

/**
 * JSON if the server declares it (or declares nothing and it looks like JSON), otherwise text, otherwise base64. An
 * empty body is null.
 *
 * @throws NumberTooLarge
 */
export function responseData(
  body: Buffer,
  contentType: string,
  responseType: Json | undefined,
  digitsLost?: DigitsLost,
): ResponseData {
  if (
    responseType !== undefined &&
    !['auto', 'json', 'text', 'binary', 'bytes'].includes(String(responseType))
  ) {
    throw invalidInput(
      `http: response_type '${String(responseType)}' is not one of auto, json, text, binary`,
    );
  }
  if (body.length === 0) return { data: responseType === 'text' ? '' : null };
  const type = contentType.split(';')[0]!.trim().toLowerCase();
  if (responseType === 'binary' || responseType === 'bytes') return base64(body, type);
  const text = decode(body, /charset="?([\w-]+)/i.exec(contentType)?.[1] ?? 'utf-8');
  if (text === undefined) return base64(body, type);
  const json = responseType === 'json' || /[/+]json$/.test(type) || (type === '' && /^\s*[[{]/.test(text));
  if (json && responseType !== 'text') {
    const data = jsonOr(text, undefined, digitsLost);
    // Declared as JSON but invalid: return the text.
    if (data !== undefined) return { data };
  }
  if (text.includes('\0')) return base64(body, type);
  return { data: text };
}

/** What windows-1252 has in 0x80 to 0x9f, where ISO 8859-1 has control characters. */
const WINDOWS_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

function decode(body: Buffer, charset: string): string | undefined {
  try {
    const decoder = new TextDecoder(charset, { fatal: true });
    // Node 20 decodes it as ISO 8859-1.
    if (decoder.encoding === 'windows-1252')
      return body
        .toString('latin1')
        .replace(/[\x80-\x9f]/g, (char) => WINDOWS_1252[char.charCodeAt(0) - 0x80]!);
    return decoder.decode(body);
  } catch {
    return charset === 'utf-8' ? undefined : decode(body, 'utf-8');
  }
}

function base64(body: Buffer, type: string): ResponseData {
  const content_type = type || 'application/octet-stream';
  return { data: body.toString('base64'), data_encoding: 'base64', content_type };
}
