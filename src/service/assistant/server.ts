/** A server of the Model Context Protocol, over whatever transport: tools, resources and prompts. */
import type { Server as McpServer } from '@modelcontextprotocol/sdk/server/index.js' with {
  'resolution-mode': 'import',
};
import type * as SdkTypesModule from '@modelcontextprotocol/sdk/types.js' with {
  'resolution-mode': 'import',
};
import { z } from 'zod';
import { CodedError, messageOf } from '../../language/errors';
import { boundedAnswer } from './bounded';
import { PROMPTS } from './prompts';
import { type AssistantReach, type ExposedPlaybook } from './reach';
import { completedValues, listedResources, readResourceAt, RESOURCE_TEMPLATES } from './resources';
import { type AssistantScope, type AssistantTool } from './tool';
import { ASSISTANT_TOOLS } from './tools';

export type { McpServer };

/** What is noted of a call of a tool: never an argument or an answer. */
export interface ToolCallNote {
  /** Name and version of the assistant, as it says itself. */
  readonly assistant: string;
  readonly tool: string;
  readonly scope: AssistantScope;
  /** Code of the error; absent if it did what it was to do. */
  readonly code?: string;
}

export interface AssistantOptions {
  readonly version: string;
  /** For a call, by the assistant that makes it. */
  reach(assistant: string): AssistantReach;
  /** Whether the caller may now use tools of that scope. */
  may(scope: AssistantScope): boolean;
  /** Does a tool's work, by default here. */
  perform?(
    tool: AssistantTool,
    input: Readonly<Record<string, unknown>>,
    assistant: string,
  ): Promise<unknown>;
  /** Playbooks offered as tools, now. */
  exposed(assistant: string): Promise<readonly ExposedPlaybook[]>;
  noted?(note: ToolCallNote): void;
  /** Unexpected errors. */
  report(error: unknown): void;
}

const INSTRUCTIONS =
  'Tools for NoETL playbooks: write, check, debug and prove them. Begin with the resource noetl://guide, or `search_docs`. ' +
  'To mend a run: status, explain, logs; edit; validate; what_if; verify. Answers are cut at 25,000 characters and say so.';
const INVALID_PARAMS = -32602;
const NOT_FOUND = -32002;

export async function assistantServer(options: AssistantOptions): Promise<McpServer> {
  const [{ Server }, types] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/index.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ]);
  const server = new Server(
    { name: 'noetl-temporal', version: options.version },
    {
      capabilities: { tools: { listChanged: true }, resources: {}, prompts: {}, completions: {} },
      instructions: INSTRUCTIONS,
    },
  );
  const desk = new ToolDesk(options, () => {
    const { name = 'unknown', version = '' } = server.getClientVersion() ?? {};
    return `${name} ${version}`
      .trim()
      .replace(/[^\x20-\x7e]/g, '?')
      .slice(0, 100);
  });
  const refused = (code: number, error: unknown): Error => new types.McpError(code, messageOf(error));
  server.setRequestHandler(types.ListToolsRequestSchema, async () => ({
    tools: (await desk.list()) as never,
  }));
  server.setRequestHandler(types.CallToolRequestSchema, async ({ params: { name, arguments: given } }) => {
    const answer = await desk.call(name, given ?? {});
    if (answer) return answer as never;
    throw refused(INVALID_PARAMS, `there is no tool ${name}`);
  });
  server.setRequestHandler(
    types.ListResourcesRequestSchema,
    () => ({ resources: listedResources() }) as never,
  );
  server.setRequestHandler(types.ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [...RESOURCE_TEMPLATES],
  }));
  server.setRequestHandler(types.ReadResourceRequestSchema, async ({ params: { uri } }) => {
    try {
      const resource = await readResourceAt(uri, options.reach(desk.assistant()));
      return { contents: [{ uri, ...resource }] };
    } catch (error) {
      if (!(error instanceof CodedError)) options.report(error);
      throw refused(NOT_FOUND, error instanceof CodedError ? error : 'it cannot be read');
    }
  });
  server.setRequestHandler(types.CompleteRequestSchema, async ({ params: { argument } }) => ({
    completion: await completedValues(argument.name, argument.value, options.reach(desk.assistant())),
  }));
  servePrompts(server, types);
  return server;
}

function servePrompts(server: McpServer, types: typeof SdkTypesModule): void {
  server.setRequestHandler(types.ListPromptsRequestSchema, () => ({
    prompts: Object.entries(PROMPTS).map(([name, { description, fields }]) => ({
      name,
      description,
      arguments: Object.entries(fields).map(([field, about]) => ({ name: field, ...about })),
    })),
  }));
  server.setRequestHandler(types.GetPromptRequestSchema, ({ params: { name, arguments: given = {} } }) => {
    const prompt = Object.hasOwn(PROMPTS, name) ? PROMPTS[name] : undefined;
    if (!prompt) throw new types.McpError(INVALID_PARAMS, `there is no prompt ${name}`);
    const missing = Object.entries(prompt.fields).find(([field, { required }]) => required && !given[field]);
    if (missing) throw new types.McpError(INVALID_PARAMS, `the prompt ${name} needs \`${missing[0]}\``);
    const { description } = prompt;
    return {
      description,
      messages: [{ role: 'user', content: { type: 'text', text: prompt.text(given) } }],
    } as never;
  });
}

/** Lists tools and calls them. */
class ToolDesk {
  constructor(
    private readonly options: AssistantOptions,
    readonly assistant: () => string,
  ) {}

  async list(): Promise<object[]> {
    const own = this.own().map(({ name, description, input, scope, harmless }) => ({
      name,
      description,
      inputSchema: schemaOf(input),
      annotations: { readOnlyHint: scope === 'read', destructiveHint: !harmless, openWorldHint: false },
    }));
    const exposed = await this.exposed();
    return [
      ...own,
      ...exposed.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
    ];
  }

  /** @returns undefined if there is no such tool */
  async call(name: string, given: Readonly<Record<string, unknown>>): Promise<object | undefined> {
    const tool = this.own().find((one) => one.name === name);
    if (tool) return await this.noted(tool.name, tool.scope, () => this.answer(tool, given));
    const exposed = await this.exposed();
    const playbook = exposed.find((one) => one.name === name);
    return playbook && (await this.noted(name, 'run', () => playbook.call(given)));
  }

  /** A catalog that is away takes no tool away but its own. */
  private async exposed(): Promise<readonly ExposedPlaybook[]> {
    const { may, exposed, report } = this.options;
    if (!may('run')) return [];
    try {
      return await exposed(this.assistant());
    } catch (error) {
      if (!(error instanceof CodedError)) report(error);
      return [];
    }
  }

  private own(): AssistantTool[] {
    const { hasCatalog, run } = this.options.reach(this.assistant());
    return ASSISTANT_TOOLS.filter(
      ({ scope, where }) =>
        this.options.may(scope) &&
        (where === undefined || (where === 'catalog' ? hasCatalog : run !== undefined)),
    );
  }

  private async answer(tool: AssistantTool, given: Readonly<Record<string, unknown>>): Promise<object> {
    const input = tool.input.strict().safeParse(given);
    if (!input.success)
      throw new CodedError(
        'ARGUMENTS_INVALID',
        `${tool.name}: ${z.prettifyError(input.error).replaceAll('\n', ' ')}`,
      );
    const { perform = (one, data, name) => one.run(data as never, this.options.reach(name)) } = this.options;
    return contentOf(await perform(tool, input.data, this.assistant()), tool.rest);
  }

  /** An error is an answer: the assistant can do something about it. */
  private async noted(tool: string, scope: AssistantScope, act: () => Promise<object>): Promise<object> {
    const note = { assistant: this.assistant(), tool, scope };
    try {
      const answer = await act();
      this.options.noted?.(note);
      return answer;
    } catch (error) {
      const coded = error instanceof CodedError ? error : undefined;
      if (!coded) this.options.report(error);
      const { code, message, hint } =
        coded ?? new CodedError('INTERNAL', 'this failed for a reason of its own: see the log of the server');
      this.options.noted?.({ ...note, code });
      return {
        ...contentOf([`${message} [${code}]`, ...hint.map((line) => `→ ${line}`)].join('\n')),
        isError: true,
      };
    }
  }
}

function contentOf(answer: unknown, rest?: string): { content: object[] } {
  const { text, cut } = boundedAnswer(answer, rest);
  const notes =
    cut.length === 0 ? [] : [{ type: 'text', text: `Cut, because it is long: ${cut.join('; ')}.` }];
  return { content: [{ type: 'text', text }, ...notes] };
}

const schemas = new WeakMap<z.ZodObject, object>();

function schemaOf(input: z.ZodObject): object {
  const before = schemas.get(input);
  if (before) return before;
  const { $schema: _, ...schema } = z.toJSONSchema(input.strict(), { io: 'input' });
  schemas.set(input, schema);
  return schema;
}
