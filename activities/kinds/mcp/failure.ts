/** Failures of a conversation as tool failures. */
import { type Json, type JsonObject } from '../../../src/language/plan';
import { responseTooLarge } from '../../framework/http/decode';
import { asError } from '../../framework/tool/cause';
import { shortenedText } from '../../framework/tool/bounded';
import { invalidInput, type ToolFailure, ToolError } from '../../framework/tool/outcome';

/** Some servers report an unknown tool as a JSON-RPC error, others as a result. */
const UNKNOWN_TOOL = /\bunknown tool\b|\btool\b.{0,200}\bnot found\b/is;

/** As of `http`, for all pages of a list and for a process. */
export function tooLargeResponse(limit: number): ToolError {
  const { code, message } = responseTooLarge(limit);
  return invalidInput(`mcp: ${message}`, code);
}

/** The failure that a tool's result reports, if it does. */
export function failureOfResult(tool: string, result: JsonObject, text: string): ToolFailure | undefined {
  if (result['isError'] !== true) return undefined;
  const says = shortenedText(text, 500);
  const isUnknown = UNKNOWN_TOOL.test(says) && says.includes(tool);
  return {
    kind: isUnknown ? 'not_found' : 'exception',
    code: isUnknown ? 'TOOL_NOT_FOUND' : 'TOOL_ERROR',
    message: `mcp: the tool ${tool} failed: ${says || 'it does not say why'}`,
  };
}

/** Kinds by the codes of JSON-RPC. */
const KINDS: Readonly<Record<number, ToolFailure['kind']>> = {
  [-32700]: 'client_error',
  [-32600]: 'client_error',
  [-32601]: 'not_found',
  [-32602]: 'client_error',
  [-32002]: 'not_found',
};

/** An error response of the server, or an error of the client, as a ToolError. */
export function conversationFailure(error: unknown, method: string): ToolError {
  if (error instanceof ToolError) return error;
  const { message, name } = asError(error);
  const { code } = error as { code?: unknown };
  const text = shortenedText(message, 500);
  if (typeof code !== 'number') {
    const why = name === 'ZodError' ? 'its answer is not as the protocol says' : text;
    return new ToolError({ kind: 'server_error', code: 'NO_MCP_ANSWER', message: `mcp: ${method}: ${why}` });
  }
  if (code === -32602 && UNKNOWN_TOOL.test(text))
    return new ToolError({ kind: 'not_found', code: 'TOOL_NOT_FOUND', message: `mcp: ${text}`, rpc: code });
  const kind = KINDS[code] ?? 'server_error';
  const data = (error as { data?: Json }).data;
  return new ToolError({
    kind,
    code: `MCP_${Math.abs(code)}`,
    message: `mcp: ${method}: ${text}`,
    retryable: code === -32603,
    rpc: code,
    ...(data !== undefined && { data }),
  });
}
