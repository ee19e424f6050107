/** The server of a task: an address, or a command that the worker's operator allows. */
import { type TaskCall } from '../../../src/language/plan';
import { jsonOr } from '../../../src/language/plan/json-text';
import { httpUrl } from '../../framework/http/request';
import { type Deadline } from '../../framework/tool/deadline';
import { textField } from '../../framework/tool/fields';
import { invalidInput } from '../../framework/tool/outcome';
import { type ToolContext } from '../../framework/tool/tool';

export type McpServer = { readonly name: string } & (
  | { readonly endpoint: URL }
  | { readonly command: readonly string[] }
);

/** A task that asks a server. */
export interface Conversation {
  readonly call: TaskCall;
  readonly context: ToolContext;
  readonly deadline: Deadline;
}

export interface LinkLimits {
  readonly maxResponseBytes: number;
  /** Ends the conversation where the client would keep waiting. */
  fail(error: unknown): void;
}

/**
 * The task's `endpoint`, otherwise what the worker's environment defines for the name: `NOETL_MCP_<SERVER>_ENDPOINT`,
 * `NOETL_MCP_<SERVER>_COMMAND`, and `NOETL_MCP_URL` for every name. Authors cannot give a command.
 *
 * @throws ToolError `NO_SERVER`, `INVALID_URL`, `INVALID_COMMAND`
 */
export function serverOf(call: TaskCall, env: NodeJS.ProcessEnv = process.env): McpServer {
  const name = textField(call, 'server')?.trim() || 'kubernetes';
  const variable = (what: string): string =>
    `NOETL_MCP_${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}_${what}`;
  const set = (what: string): string | undefined => env[variable(what)]?.trim() || undefined;
  const given = textField(call, 'endpoint', 'url', 'server_url', 'base_url')?.trim() || set('ENDPOINT');
  const command = given === undefined ? set('COMMAND') : undefined;
  if (command !== undefined) return { name, command: commandOf(command, variable('COMMAND')) };
  const address = given ?? (env['NOETL_MCP_URL']?.trim() || undefined);
  if (address !== undefined) return { name, endpoint: httpUrl(call, address) };
  throw invalidInput(
    `mcp: no address of the server '${name}': set endpoint, or on the worker ${variable('ENDPOINT')}, ${variable('COMMAND')} or NOETL_MCP_URL`,
    'NO_SERVER',
  );
}

/** A JSON list of strings, or words separated by whitespace. */
function commandOf(text: string, variable: string): string[] {
  const words = text.startsWith('[') ? jsonOr(text, undefined) : text.split(/\s+/);
  if (Array.isArray(words) && words.length > 0 && words.every((one) => typeof one === 'string')) return words;
  throw invalidInput(
    `mcp: ${variable} of the worker is neither words nor a JSON list of texts`,
    'INVALID_COMMAND',
  );
}
