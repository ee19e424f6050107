/** A server that is a process of the worker, in the sandbox of the task: messages are lines. */
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js' with {
  'resolution-mode': 'import',
};
import { type JsonObject } from '../../../src/language/plan';
import { runProcess } from '../../framework/process/process';
import { processSurroundings } from '../../framework/process/surroundings';
import { metaOf } from '../../framework/sandbox';
import { lastTextLine } from '../../framework/tool/bounded';
import { ToolError } from '../../framework/tool/outcome';
import { type ToolContext } from '../../framework/tool/tool';
import { tooLargeResponse } from './failure';
import { ByteLines, rpcMessage } from './messages';
import { type Conversation, type LinkLimits } from './server';

/** Time for a server to exit after its input ended. */
const GRACE_MS = 2000;

export interface ProcessLink {
  readonly transport: Transport;
  /** The sandbox, for the outcome. */
  readonly meta: JsonObject;
}

/** @throws ToolError of the sandbox; then nothing runs */
export async function processLink(
  command: readonly string[],
  { call, context, deadline }: Conversation,
  limits: LinkLimits,
): Promise<ProcessLink> {
  // None of the author's fields reach the process: its environment could turn it into another program.
  const { surroundings, level } = await processSurroundings({ ...call, config: {} }, {}, undefined);
  const input = new PassThrough();
  const stop = new AbortController();
  const signal = AbortSignal.any([deadline.signal, stop.signal]);
  const lines = new ByteLines();
  let ended: Promise<void> = Promise.resolve();
  let received = 0;
  let isClosed = false;

  const take = (chunk: Buffer): void => {
    received += chunk.length;
    if (received > limits.maxResponseBytes) return limits.fail(tooLargeResponse(limits.maxResponseBytes));
    try {
      for (const line of lines.push(chunk)) {
        const message = rpcMessage(line, context.digitsLost);
        if (message) transport.onmessage?.(message as never);
      }
    } catch (error) {
      limits.fail(error);
    }
  };
  const transport: Transport = {
    async start() {
      const print: ToolContext['print'] = (stream, chunk) =>
        stream === 'stdout' ? take(chunk) : context.print?.(stream, chunk);
      ended = runProcess(command, { ...surroundings, print, input }, { ...deadline, signal }).then(
        ({ returncode, stderr }) => {
          if (!isClosed) limits.fail(deadline.reason() ?? endedEarly(command, returncode, stderr));
        },
        limits.fail,
      );
    },
    async send(message) {
      input.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      isClosed = true;
      input.end();
      const timer = new AbortController();
      const grace = sleep(GRACE_MS, undefined, { signal: timer.signal }).catch(() => undefined);
      await Promise.race([ended, grace]);
      timer.abort();
      stop.abort();
      await ended;
      transport.onclose?.();
    },
  };
  return { transport, meta: metaOf(level) };
}

/** 126 and 127: the command could not be run at all. */
function endedEarly([program]: readonly string[], returncode: number, stderr: string): ToolError {
  const why = lastTextLine(stderr);
  const message = `mcp: the server ${program} ended with exit code ${returncode} before its answer${why && `: ${why}`}`;
  const retryable = returncode !== 126 && returncode !== 127;
  return new ToolError({ kind: 'connection', code: 'SERVER_ENDED', message, retryable });
}
