/** Tools of assistants in threads: they compile, decide and simulate what somebody else wrote. */
import { type ToolKinds } from '../../../language/dsl';
import { CodedError } from '../../../language/errors';
import { type AssistantReach, ASSISTANT_TOOLS, type RestCall } from '../../../service/assistant';
import { readingOf, type ReadingSurroundings } from '../../reading/from-host';
import { type Host } from '../../threads/serve-jobs';

export interface AssistantSurroundings extends ReadingSurroundings {
  readonly kinds: ToolKinds;
}

export interface AssistantJob {
  readonly tool: string;
  /** As its schema has checked it. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** The host's answer: an error is data, so that a tool can go on without it. */
export type HostReply =
  | { readonly value: unknown }
  | { readonly error: { readonly code: string; readonly message: string; readonly hint: readonly string[] } };

export function assistantJobs(surroundings: AssistantSurroundings) {
  return {
    /** @throws CodedError as the tool does */
    async tool({ tool, input }: AssistantJob, host: Host): Promise<unknown> {
      const row = ASSISTANT_TOOLS.find(({ name }) => name === tool)!;
      return await row.run(input as never, reachOf(host, surroundings));
    },
  };
}
export type AssistantJobs = ReturnType<typeof assistantJobs>;

function reachOf(host: Host, surroundings: AssistantSurroundings): AssistantReach {
  const askHost = async (name: string, about: unknown): Promise<unknown> => {
    const reply = (await host.ask(name, about)) as HostReply;
    if ('value' in reply) return reply.value;
    const { code, message, hint } = reply.error;
    throw new CodedError(code, message, { hint });
  };
  return {
    kinds: surroundings.kinds,
    ...facadeReach(async <T>(path: string, call?: RestCall) => (await askHost('rest', { path, call })) as T),
    history: (id, use) => {
      const reader: Host = {
        ask: (what, about) => askHost('history', { id, what, about }),
        tell: () => undefined,
      };
      const { converter, pages } = readingOf(id, reader, surroundings);
      return use({ name: id, converter, pages: () => pages() });
    },
  };
}

/** What follows from a REST API with a catalog. */
export function facadeReach(
  ask: AssistantReach['ask'],
): Pick<AssistantReach, 'ask' | 'hasCatalog' | 'playbook' | 'file' | 'playbooks'> {
  return {
    ask,
    hasCatalog: true,
    playbook: async (path) => {
      const body = { path };
      const { content } = await ask<{ content: string }>('/api/catalog/resource', { method: 'POST', body });
      return { text: content };
    },
    file: (name) =>
      Promise.reject(
        new CodedError('NO_FILES', `${name}: there are no files here: give the text of YAML itself`),
      ),
    playbooks: () => Promise.resolve([]),
  };
}
