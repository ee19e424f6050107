/**
 * Jobs of the threads: all work whose cost grows with a client's document. Each takes and returns plain data,
 * because only that can be passed between threads.
 */
import { pythonSyntax } from '../../../../activities/kinds/python/syntax';
import {
  checkResource,
  type KnownPlaybooks as Callable,
  compile,
  type CompiledTrigger,
  type CompileOptions,
  compileTrigger,
  type Diagnostic,
  readResource,
  type Resource,
  type SourceDeclaration,
  type ToolKinds,
  withTools,
} from '../../../language/dsl';
import {
  calledPath,
  compact,
  type Json,
  playbookCallsOf,
  type Plan,
  type PlanInputs,
} from '../../../language/plan';
import { parseAs, type ParsedBody } from '../http/body';
import { readSubmitted, type Submitted } from '../catalog/content';

/** Configuration of a facade's threads. */
export interface CompileSurroundings {
  /** Tool kinds of extension modules. */
  readonly kinds?: ToolKinds;
  /** Sources of messages of extension modules. */
  readonly sources?: ReadonlyMap<string, SourceDeclaration>;
}

/** The part of the catalog that matters to a playbook that calls others. */
export interface CallableCatalog {
  readonly paths: readonly string[];
  /** Of latest versions, by path. */
  readonly inputs: ReadonlyMap<string, PlanInputs>;
}

export interface CheckedPlaybook {
  /** Absent if there are errors. */
  readonly metadata?: Plan['metadata'];
  /** Paths of the sub-playbooks it calls. */
  readonly calls: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

export type Form = Pick<Resource, 'name' | 'description'> & { fields: ReturnType<Resource['fields']> };

/** Jobs by name. */
export const jobs = {
  /** Parses the body of a request. @throws FacadeError as `parseAs` */
  parse: (what: Parameters<typeof parseAs>[0]): ParsedBody => parseAs(what),

  /** Parses a resource to be registered. @throws FacadeError as `readSubmitted` */
  read: ({ content, type }: { content: string; type: string }): Submitted => readSubmitted(content, type),

  /** All diagnostics of a playbook or a resource. @param asked.code whether an interpreter checks its Python */
  async check(
    { content, catalog, code }: { content: string; catalog?: CallableCatalog; code: boolean },
    { kinds, sources }: CompileSurroundings,
  ): Promise<CheckedPlaybook> {
    const other = checkResource(content, { sources });
    if (other) return { ...other, calls: [] };
    const compiled = compile(content, { kinds, ...compact({ catalog: catalog && callable(catalog) }) });
    const { plan } = compiled;
    const ofCode = code ? await pythonSyntax(compiled.code ?? []) : [];
    return {
      ...(plan && { metadata: plan.metadata }),
      calls: [
        ...new Set(
          (plan ? playbookCallsOf(plan) : []).flatMap((call) =>
            call ? calledPath(call.path, plan!.metadata.path) : [],
          ),
        ),
      ],
      diagnostics: [...compiled.diagnostics, ...ofCode],
    };
  },

  /** A resource with these tools, to be registered. @throws FacadeError as `readSubmitted` */
  tools: ({ content, tools }: { content: string; tools: readonly Json[] }): Submitted =>
    readSubmitted(withTools(content, tools), 'mcp'),

  plan(
    { content, ...options }: { content: string } & Pick<CompileOptions, 'file' | 'entry'>,
    { kinds }: CompileSurroundings,
  ): { plan?: Plan; diagnostics: readonly Diagnostic[] } {
    const { plan, diagnostics } = compile(content, { ...options, kinds });
    return { ...(plan && { plan }), diagnostics };
  },

  /** A subscription of the catalog. */
  trigger: (
    { content, file }: { content: string; file?: string },
    { sources }: CompileSurroundings,
  ): CompiledTrigger => compileTrigger(content, { file, sources }),

  /** The inputs of a playbook as form fields. */
  form({ content }: { content: string }): Form {
    const { resource } = readResource(content);
    return { name: resource?.name, description: resource?.description, fields: resource?.fields() ?? [] };
  },
};
export type Jobs = typeof jobs;

function callable({ paths, inputs }: CallableCatalog): Callable {
  const all = new Set(paths);
  return { has: (path) => all.has(path), paths: () => all, inputsOf: (path) => inputs.get(path) };
}
