/** JSON-RPC as the Model Context Protocol speaks it: whatever goes wrong with a message is said in an answer to it. */
import { FacadeError } from '../http/errors';
import { fromOutside } from '../http/outside';

/** Codes of JSON-RPC, and the last two of the official engine. */
export const RPC = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
} as const;
export const RPC_TIMEOUT = -32011;
const RPC_DENIED = -32020;

export class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: object,
  ) {
    super(message);
  }
}

/** The answer to a message. @param error one that was foreseen; others are thrown again */
export function rpcError(id: unknown, error: unknown): object {
  const { code, message, data } = error instanceof RpcError ? error : ofFacade(error);
  return { jsonrpc: '2.0', id, error: { code, message, ...(data && { data }) } };
}

function ofFacade(error: unknown): RpcError {
  const foreseen = error instanceof FacadeError ? error : fromOutside(error);
  if (!foreseen) throw error;
  const { status, code, message, more } = foreseen;
  const data = { ...more, http_status: status, code };
  if (code === 'ENTITY_PARSE_FAILED') return new RpcError(RPC.parse, message);
  if (code === 'WORKLOAD_INVALID') return new RpcError(RPC.params, message, data);
  if (status === 403) return new RpcError(RPC_DENIED, message, data);
  // A client may repeat what failed for an internal reason.
  return new RpcError(status >= 500 || status === 429 ? RPC.internal : RPC.request, message, data);
}
