/**
 * What threads do: all that grows with a document of a client. Each takes and gives plain data, for that is all that
 * passes between threads.
 */
import { pythonSyntax } from '../../../activities/kinds/python/syntax';
import {
  type Catalog as Callable,
  compile,
  type CompileOptions,
  type Diagnostic,
  readResource,
  type Resource,
  type ToolKinds,
} from '../../dsl';
import { callsOf, type Plan, type PlanInputs } from '../../plan';
import { type RecordedExecution } from '../../history';
import { readSubmitted, type Submitted } from '../catalog/content';
import { renderWith } from '../executions/render';

/** What the threads of a facade know besides what they are given. */
export interface Surroundings {
  /** Tool kinds of extension modules. */
  readonly kinds?: ToolKinds;
}

/** What a catalog has, as far as a playbook that may call it asks. */
export interface Known {
  readonly paths: readonly string[];
  /** Of latest versions, by path. */
  readonly inputs: ReadonlyMap<string, PlanInputs>;
}

export interface Checked {
  /** Absent where there are errors. */
  readonly metadata?: Plan['metadata'];
  /** Paths of the sub-playbooks that it names. */
  readonly calls: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

export type Form = Pick<Resource, 'name' | 'description'> & { fields: ReturnType<Resource['fields']> };

/** What is asked of the threads, by name. */
export const jobs = {
  /** Reads what is to be registered. @throws FacadeError as `readSubmitted` */
  read: ({ content, type }: { content: string; type: string }): Submitted => readSubmitted(content, type),

  /** All findings about a playbook. @param asked.code whether to have an interpreter look at its Python */
  async check(
    { content, known, code }: { content: string; known?: Known; code: boolean },
    { kinds }: Surroundings,
  ): Promise<Checked> {
    const compiled = compile(content, { kinds, ...(known && { catalog: callable(known) }) });
    const { plan } = compiled;
    const ofCode = code ? await pythonSyntax(compiled.code ?? []) : [];
    return {
      ...(plan && { metadata: plan.metadata }),
      calls: [...new Set((plan ? callsOf(plan) : []).flatMap((call) => call?.path ?? []))],
      diagnostics: [...compiled.diagnostics, ...ofCode],
    };
  },

  plan(
    { content, ...options }: { content: string } & Pick<CompileOptions, 'file' | 'entry'>,
    { kinds }: Surroundings,
  ): { plan?: Plan; diagnostics: readonly Diagnostic[] } {
    const { plan, diagnostics } = compile(content, { ...options, kinds });
    return { ...(plan && { plan }), diagnostics };
  },

  /** The inputs of a playbook as fields of a form. */
  form({ content }: { content: string }): Form {
    const { resource } = readResource(content);
    return { name: resource?.name, description: resource?.description, fields: resource?.fields() ?? [] };
  },

  /** The answer as JSON text: however many values it has, nobody else has to touch each. @throws FacadeError as `renderWith` */
  render({
    state,
    template,
    names,
  }: {
    state: RecordedExecution['state'];
    template: unknown;
    names: Readonly<Record<string, unknown>>;
  }): string {
    const { rendered, names: known } = renderWith(state, template, names);
    return JSON.stringify({ status: 'ok', rendered, context_keys: known });
  },
};
export type Jobs = typeof jobs;

function callable({ paths, inputs }: Known): Callable {
  const all = new Set(paths);
  return { has: (path) => all.has(path), paths: () => all, inputsOf: (path) => inputs.get(path) };
}
