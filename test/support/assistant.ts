/** An assistant: a client of the official SDK, connected to a server of tools. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { type Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow';
import fs from 'node:fs';
import { compression } from '../../src/storage/codec';
import { historyFile } from '../../src/history';
import { CodedError } from '../../src/language/errors';
import { type AssistantOptions, type AssistantReach, assistantServer } from '../../src/service/assistant';

export interface ToolAnswer {
  /** All its texts. */
  readonly text: string;
  readonly isError: boolean;
}

export class Assistant {
  readonly changes: string[] = [];

  private constructor(readonly client: Client) {}

  static async at(transport: Transport, name = 'tester', version = '1.0'): Promise<Assistant> {
    const client = new Client({ name, version });
    const assistant = new Assistant(client);
    client.fallbackNotificationHandler = ({ method }) => Promise.resolve(void assistant.changes.push(method));
    await client.connect(transport);
    return assistant;
  }

  async names(): Promise<string[]> {
    return (await this.client.listTools()).tools.map(({ name }) => name);
  }

  async call(name: string, args: Record<string, unknown> = {}): Promise<ToolAnswer> {
    const answer = await this.client.callTool({ name, arguments: args }, undefined, { timeout: 120_000 });
    const content = answer.content as { text: string }[];
    return { text: content.map(({ text }) => text).join('\n'), isError: answer.isError === true };
  }

  /** The document that a tool answers; an error fails the test. */
  async document<T = Record<string, unknown>>(name: string, args: Record<string, unknown> = {}): Promise<T> {
    const { text, isError } = await this.call(name, args);
    if (isError) throw new Error(`${name}: ${text}`);
    return JSON.parse(text) as T;
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

/** History files as executions, and nothing else. */
export function reachOfFiles(over: Partial<AssistantReach> = {}): AssistantReach {
  return {
    kinds: new Map(),
    hasCatalog: false,
    ask: (path) => Promise.reject(new CodedError('NOT_HERE', `nobody answers ${path}`)),
    playbook: (name) => Promise.resolve({ text: fs.readFileSync(name, 'utf8'), file: name }),
    file: (name) => Promise.resolve({ text: fs.readFileSync(name, 'utf8'), file: name }),
    playbooks: () => Promise.resolve([]),
    history: (name, use) =>
      use({
        name,
        converter: loadDataConverter({ payloadCodecs: [compression] }),
        pages: () => historyFile(name),
      }),
    ...over,
  };
}

/** In this process. */
export async function assistantOn(
  reach: AssistantReach,
  over: Partial<AssistantOptions> = {},
): Promise<Assistant & { readonly server: Awaited<ReturnType<typeof assistantServer>> }> {
  const server = await assistantServer({
    version: '0.0.0-test',
    reach: () => reach,
    may: () => true,
    exposed: () => Promise.resolve([]),
    report: (error) => {
      throw error;
    },
    ...over,
  });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far as never);
  return Object.assign(await Assistant.at(near), { server });
}
