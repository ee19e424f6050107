/** `mcp`: an assistant's tools over standard input and output. What they print of their own goes to standard error. */
import { once } from 'node:events';
import { EnvironmentError, messageOf } from '../../../language/errors';
import {
  ASSISTANT_TOOLS,
  type AssistantReach,
  assistantServer,
  ExposedCatalog,
  type McpServer,
} from '../../../service/assistant';
import { EXIT } from '../../errors';
import { packageVersion } from '../../output/version';
import { pythonExecution } from '../execute-python';
import { facadeNamed, facadePort, type PortFlags } from '../port';
import { portHere } from '../port/here';
import { onInterrupt } from '../signals';
import { commandReach } from './reach';

interface AssistantFlags extends PortFlags {
  readonly readOnly?: boolean;
  /** Of code that proofs execute. */
  readonly sandbox?: string;
}

/** How often it is looked whether other playbooks are offered as tools. */
const LOOK_MS = 2_000;
const OWN_NAMES: ReadonlySet<string> = new Set(ASSISTANT_TOOLS.map(({ name }) => name));

/** Until the assistant leaves. @returns the exit code */
export async function serveAssistant(flags: AssistantFlags): Promise<number> {
  const facade = facadeNamed(flags);
  const port = facade === undefined ? portHere(flags) : await facadePort(facade);
  const python = pythonExecution('python', flags.sandbox);
  const reach = (assistant: string): AssistantReach =>
    commandReach(port, flags, { assistant, execute: python.execute });
  const catalog = new ExposedCatalog();
  const hasCatalog = port.url !== undefined;
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  const server = await assistantServer({
    version: packageVersion(),
    reach,
    may: (scope) => scope === 'read' || !flags.readOnly,
    exposed: async (assistant) => (hasCatalog ? await catalog.list(reach(assistant), OWN_NAMES) : []),
    noted: ({ assistant, tool, code }) =>
      say(`${assistant}: ${tool}${code === undefined ? '' : ` [${code}]`}`),
    report: (error) => say(`error: ${messageOf(error)}`),
  }).catch((error: unknown) => {
    throw withoutPackage(error);
  });
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
  const left = new AbortController();
  const off = onInterrupt(() => left.abort());
  process.stdin.once('end', () => left.abort());
  server.onclose = () => left.abort();
  await server.connect(new StdioServerTransport());
  const stopLooking =
    hasCatalog && !flags.readOnly ? tellChanges(server, () => catalog.signature(reach(''))) : undefined;
  say(`tools for assistants on standard input and output: ${port.url ?? 'files and executions here'}`);
  if (!left.signal.aborted) await once(left.signal, 'abort');
  stopLooking?.();
  off();
  await server.close();
  await Promise.all([port.close(), python.close()]);
  return EXIT.success;
}

/** Tells the assistant when its list of tools is another. @returns stops it */
function tellChanges(server: McpServer, signature: () => Promise<string>): () => void {
  let last: string | undefined;
  let isLooking = false;
  const look = async (): Promise<void> => {
    // A facade that is away has the tools that it had.
    const now = await signature().catch(() => last);
    if (last !== undefined && now !== last) await server.sendToolListChanged();
    last = now;
  };
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    void look()
      .catch(() => undefined)
      .finally(() => (isLooking = false));
  }, LOOK_MS);
  return () => clearInterval(timer);
}

function withoutPackage(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') return error;
  return new EnvironmentError('PACKAGE_MISSING', 'the package @modelcontextprotocol/sdk is not installed', [
    'It is an optional dependency: npm install @modelcontextprotocol/sdk',
  ]);
}
