/**
 * Request bodies. They are read only after the request was found permitted (`router.ts`): until then they stay in
 * the connection. Large ones are parsed outside of the event loop, and each caller holds a few of them at a time.
 */
import { type IncomingMessage, type ServerResponse } from 'node:http';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { digitsLost } from '../../../language/plan/json-text';
import { FacadeError } from './errors';
import { parseBody } from './json-body';
import { Turns } from './turns';
import { announcesBody } from './unread';
import { parseYamlBody, resourceIn, YAML_TYPES } from './yaml-body';

/** A playbook with its payload. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Of a request without a token: to log in. */
const MAX_PUBLIC_BYTES = 16 * 1024;
/** Parsed on the event loop, in less than ten milliseconds. */
const SMALL_BYTES = 64 * 1024;
/** Large bodies of one caller that are received or parsed at a time; further ones stay in their connections. */
const LARGE_AT_ONCE = 4;

export type BodyFormat = 'json' | 'yaml';

/** Parses a body in a thread. */
export type ParseElsewhere = (
  what: { readonly bytes: Uint8Array; readonly format: BodyFormat },
  caller: string,
) => Promise<ParsedBody>;

export interface ParsedBody {
  readonly value: unknown;
  /** What is to be said of the first decimal that loses digits. */
  readonly rounded?: string;
}

export function parseAs({ bytes, format }: Parameters<ParseElsewhere>[0]): ParsedBody {
  let rounded: string | undefined;
  const value =
    format === 'yaml'
      ? parseYamlBody(bytes, (message) => void (rounded ??= message))
      : parseBody(bytes, (literal) => void (rounded ??= digitsLost(literal)));
  return rounded === undefined ? { value } : { value, rounded };
}

/** Says in a header what a request did not mean to lose: every route has one. */
function warned(response: Response, { value, rounded }: ParsedBody): unknown {
  if (rounded !== undefined) response.setHeader('warning', `299 - "${rounded}"`);
  return value;
}

export interface BodyRules {
  /** Name of the token, or `local`. */
  readonly caller: string;
  /** Whether no token was required. */
  readonly isPublic: boolean;
  /** Whether a form of a browser is accepted as well. */
  readonly form?: boolean;
  /** Whether a resource in YAML stands for a request with this content. */
  readonly resource?: boolean;
}

const readJson = reader<Uint8Array>((limit) => express.raw({ type: 'application/json', limit }));
const readYaml = reader<Uint8Array>((limit) => express.raw({ type: YAML_TYPES, limit }));
/** Bytes of any type as they came; 415 for compressed ones, which would not be what was signed. */
export async function readRaw(
  request: IncomingMessage,
  response: ServerResponse,
  limit: number,
): Promise<Uint8Array> {
  if (isSmall(request)) return await readAnnounced(request, response, limit);
  return (await readAny(request as Request, response as Response, limit)) ?? new Uint8Array();
}
const readAny = reader<Uint8Array | undefined>((limit) =>
  express.raw({ type: () => true, limit, inflate: false }),
);
const readForm = reader<unknown>((limit) => express.urlencoded({ extended: false, limit }));

export class Bodies {
  private readonly turns = new Turns(LARGE_AT_ONCE);

  /** @param parseElsewhere default: on this event loop */
  constructor(private readonly parseElsewhere: ParseElsewhere = (what) => Promise.resolve(parseAs(what))) {}

  /**
   * The body as data; `{}` without a body of type JSON or YAML.
   *
   * @throws FacadeError as `parseBody` and `parseYamlBody`, 413 `ENTITY_TOO_LARGE`, 415 `CONTENT_TYPE_UNSUPPORTED`,
   * `CHARSET_UNSUPPORTED`, `ENCODING_UNSUPPORTED`
   */
  async of(request: Request, response: Response, rules: BodyRules): Promise<unknown> {
    const { caller, isPublic, form } = rules;
    const limit = isPublic ? MAX_PUBLIC_BYTES : MAX_BYTES;
    if (form && request.is('application/x-www-form-urlencoded'))
      return await readForm(request, response, limit);
    const format = request.is('application/json') ? 'json' : request.is(YAML_TYPES) ? 'yaml' : undefined;
    if (format === undefined) {
      refuseUnnamed(request);
      return {};
    }
    refuseCharset(request);
    if (format === 'yaml') {
      // YAML takes some thirty times as long as JSON: the event loop parses none.
      return await this.turns.take(caller, async () => {
        const bytes = await readYaml(request, response, limit);
        const whole = rules.resource ? resourceIn(bytes) : undefined;
        return whole ?? warned(response, await this.parseElsewhere({ bytes, format }, caller));
      });
    }
    if (isSmall(request))
      return warned(response, parseAs({ bytes: await readJson(request, response, limit), format }));
    return await this.turns.take(caller, async () => {
      const bytes = await readJson(request, response, limit);
      const isFew = bytes.length <= SMALL_BYTES;
      return warned(
        response,
        isFew ? parseAs({ bytes, format }) : await this.parseElsewhere({ bytes, format }, caller),
      );
    });
  }
}

/** One whose size is not announced, or that is compressed, may be large. */
export function isSmall({ headers }: IncomingMessage): boolean {
  const length = Number(headers['content-length'] ?? Number.NaN);
  return length <= SMALL_BYTES && headers['content-encoding'] === undefined;
}

/** `curl -d` says that it sends a form. A body that nobody reads would look like a body without fields. */
function refuseUnnamed(request: Request): void {
  if (!announcesBody(request)) return;
  const given = request.get('content-type');
  const what =
    given === undefined ? 'a body without a content-type' : `a body of type ${given.split(';')[0]}`;
  throw new FacadeError(
    415,
    'CONTENT_TYPE_UNSUPPORTED',
    `${what} is not read here: send JSON, with the header content-type: application/json`,
  );
}

function refuseCharset(request: Request): void {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(request.get('content-type') ?? '')?.[1] ?? 'utf-8';
  if (/^utf-?8$/i.test(charset)) return;
  throw new FacadeError(415, 'CHARSET_UNSUPPORTED', `a body is UTF-8, not ${charset}`);
}

/** Node reads no more than the announced length. */
async function readAnnounced(
  request: IncomingMessage,
  response: ServerResponse,
  limit: number,
): Promise<Uint8Array> {
  const length = Number(request.headers['content-length']);
  if (length > limit) throw new FacadeError(413, 'ENTITY_TOO_LARGE', 'request entity too large');
  if (request.headers.expect !== undefined) response.writeContinue();
  const chunks: Buffer[] = [];
  await new Promise<void>((resolve, reject) => {
    const cut = (): void => reject(new FacadeError(400, 'REQUEST_ABORTED', 'the body did not arrive'));
    const whole = (): void => {
      request.off('close', cut);
      resolve();
    };
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.once('end', whole).once('close', cut);
    if (request.destroyed) cut();
  });
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

type Read<T> = (request: Request, response: Response, limit: number) => Promise<T>;

/** Express' middleware as a function; a parser for each limit. */
function reader<T>(parserOf: (limit: number) => RequestHandler): Read<T> {
  const parsers = new Map<number, RequestHandler>();
  return async (request, response, limit) => {
    const parser = parsers.get(limit) ?? parserOf(limit);
    parsers.set(limit, parser);
    // A client that asked whether to send its body (`Expect: 100-continue`) is told to.
    if (request.headers.expect !== undefined) response.writeContinue();
    await new Promise<void>((resolve, reject) =>
      parser(request, response, (error?: unknown) => (error ? reject(error as Error) : resolve())),
    );
    // The client left, or stopped sending, while its request waited: this is not an empty body.
    if (!request.complete || (request.body === undefined && announcesBody(request)))
      throw new FacadeError(400, 'REQUEST_ABORTED', 'the body did not arrive');
    return request.body as T;
  };
}
