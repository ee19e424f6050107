/** Messages from servers, before the official client reads them: split into lines, with integers kept exact. */
import { StringDecoder } from 'node:string_decoder';
import { isMapping, type JsonObject } from '../../../src/language/plan';
import { type DigitsLost, jsonOr } from '../../../src/language/plan/json-text';
import { ToolError } from '../../framework/tool/outcome';

/** Cuts a stream of bytes into lines, without their ends. */
export class ByteLines {
  private readonly decoder = new StringDecoder('utf8');
  private begun: string[] = [];

  /** The lines completed by this piece. */
  push(piece: Buffer): string[] {
    const [first = '', ...more] = this.decoder.write(piece).split('\n');
    this.begun.push(first);
    const last = more.pop();
    if (last === undefined) return [];
    const ended = [this.begun.join(''), ...more];
    this.begun = [last];
    return ended;
  }

  /** What follows the last line. */
  rest(): string {
    return this.begun.join('') + this.decoder.end();
  }
}

/** A message of the protocol, with integers beyond 2^53 as text; undefined if it is not one. @throws NumberTooLarge */
export function rpcMessage(text: string, digitsLost: DigitsLost | undefined): JsonObject | undefined {
  const value = jsonOr(text, undefined, digitsLost);
  return isMapping(value) ? (value as JsonObject) : undefined;
}

/** Whether it answers a request, rather than being a request or a notification from the server. */
export function isAnswer(message: JsonObject): boolean {
  return !('method' in message) && message['id'] !== undefined;
}

export interface RpcStream {
  readonly digitsLost: DigitsLost | undefined;
  /** The stream ended before the answer and cannot be resumed. */
  onLost(error: unknown): void;
}

/** A stream of server-sent events for the client, which does not report a stream that ends before its answer. */
export async function* events(
  pieces: AsyncIterable<Buffer>,
  { digitsLost, onLost }: RpcStream,
): AsyncGenerator<Uint8Array> {
  const lines = new ByteLines();
  let waits = true;
  const pass = (line: string): Buffer => {
    if (/^id:/.test(line)) waits = false;
    const message = line.startsWith('data:') ? rpcMessage(line.slice(5), digitsLost) : undefined;
    if (message && isAnswer(message)) waits = false;
    return Buffer.from(message ? `data: ${JSON.stringify(message)}\n` : `${line}\n`);
  };
  let cause: unknown;
  try {
    for await (const piece of pieces) for (const line of lines.push(piece)) yield pass(line);
    const rest = lines.rest();
    if (rest !== '') yield pass(rest);
  } catch (error) {
    cause = error;
    throw error;
  } finally {
    if (waits || (cause instanceof Error && 'code' in cause && cause.code === 'RESPONSE_TOO_LARGE'))
      onLost(cause ?? streamLost('the stream of the server ended before its answer'));
  }
}

export function streamLost(why: string): ToolError {
  return new ToolError({
    kind: 'connection',
    code: 'CONNECTION_LOST',
    message: `mcp: ${why}`,
    retryable: true,
  });
}
