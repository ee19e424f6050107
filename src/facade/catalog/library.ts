/** Playbooks of the catalog, checked when they are registered and compiled when they are run. */
import {
  type Catalog as Callable,
  type CodeBlock,
  compile,
  type Diagnostic,
  type ToolKinds,
} from '../../dsl';
import {
  callsOf,
  didYouMeanPath,
  type Json,
  type JsonObject,
  type Plan,
  type PlanInputs,
  playbookInputs,
} from '../../plan';
import { type Catalog, type CatalogEntry, KindDiffersError, type Registered } from '../../store';
import { FacadeError } from '../http/errors';
import { type Submitted } from './content';
import { invalid } from './diagnostics';

export interface Checked {
  readonly plan?: Plan;
  readonly diagnostics: readonly Diagnostic[];
  readonly code?: readonly CodeBlock[];
}

export type Elsewhere = Pick<Callable, 'paths' | 'inputsOf'>;

/** Plans kept compiled; a plan of a hundred steps is some 100 kB. */
const KEPT_PLANS = 200;

export class Library {
  /** By catalog id: an entry never changes, and the engine's version is that of this process. Oldest use first. */
  private readonly plans = new Map<string, Plan>();

  /**
   * @param kinds tool kinds of extension modules
   * @param elsewhere playbooks that workers find beside the catalog
   */
  constructor(
    readonly catalog: Catalog,
    private readonly kinds?: ToolKinds,
    private readonly elsewhere?: Elsewhere,
  ) {}

  /**
   * All findings about a playbook, those about sub-playbooks that the catalog does not have among them.
   *
   * @param siblings paths that are registered together with it
   */
  async check(content: string, siblings: Iterable<string> = []): Promise<Checked> {
    const once = compile(content, { kinds: this.kinds });
    const paths = new Set([...(await this.paths()), ...siblings]);
    if (once.plan) paths.add(once.plan.metadata.path);
    const inputs = await this.inputsOfCalled(once.plan);
    const callable: Callable = {
      has: (path) => paths.has(path),
      paths: () => paths,
      inputsOf: (path) => inputs.get(path) ?? this.elsewhere?.inputsOf?.(path),
    };
    return compile(content, { kinds: this.kinds, catalog: callable });
  }

  private async paths(): Promise<string[]> {
    return [...(await this.catalog.paths('playbook')), ...(this.elsewhere?.paths() ?? [])];
  }

  /** That there is no such playbook, and which one may be meant. */
  async missing(path: string, version?: string): Promise<string> {
    const said = version === undefined ? path : `${path}, version ${version}`;
    return `the catalog has no playbook ${said}${didYouMeanPath(path, await this.paths())}`;
  }

  /** What the latest versions of the playbooks that a plan calls say of their inputs. */
  private async inputsOfCalled(plan: Plan | undefined): Promise<ReadonlyMap<string, PlanInputs>> {
    const called = new Set((plan ? callsOf(plan) : []).flatMap((call) => call?.path ?? []));
    const found = await Promise.all([...called].map((path) => this.catalog.find(path)));
    return new Map(
      found.flatMap((entry) => {
        const inputs = entry?.kind === 'playbook' ? playbookInputs(entry.payload) : undefined;
        return inputs ? [[entry!.path, inputs] as const] : [];
      }),
    );
  }

  /**
   * Registers what was read; a playbook only without errors.
   *
   * @throws FacadeError 422 with all diagnostics, 409 when the path is that of another kind of resource
   */
  async register(
    { content, kind, path, resource }: Submitted,
    more: { layout?: Json; meta?: JsonObject; siblings?: Iterable<string> } = {},
  ): Promise<Registered & { diagnostics: readonly Diagnostic[] }> {
    const checked: Checked =
      kind === 'playbook' ? await this.check(content, more.siblings) : { diagnostics: [] };
    if (kind === 'playbook' && !checked.plan)
      throw invalid(path === '' ? 'the content' : `'${path}'`, checked.diagnostics);
    const head = checked.plan?.metadata ?? { path, name: resource.name ?? path, version: resource.version };
    try {
      const registered = await this.catalog.register({
        content,
        kind,
        path: head.path,
        name: head.name,
        label: head.version,
        payload: resource.data,
        layout: more.layout,
        meta: more.meta,
      });
      return { ...registered, diagnostics: checked.diagnostics };
    } catch (error) {
      if (!(error instanceof KindDiffersError)) throw error;
      throw new FacadeError(409, 'RESOURCE_KIND_DIFFERS', error.message, { at: 'body.content' });
    }
  }

  /**
   * The plan of an entry.
   *
   * @throws FacadeError 422 when it is no playbook, or this release finds errors in what an earlier one took
   */
  planOf(entry: CatalogEntry): Plan {
    const { catalog_id: id, path, version } = entry;
    const known = this.plans.get(id);
    if (known) {
      this.plans.delete(id);
      this.plans.set(id, known);
      return known;
    }
    if (entry.kind !== 'playbook')
      throw new FacadeError(
        422,
        'NOT_EXECUTABLE',
        `${path} is a resource of kind ${entry.kind}, not a playbook`,
      );
    const { plan, diagnostics } = compile(entry.content, {
      file: `catalog://${path}@${version}`,
      entry: { id, version },
      kinds: this.kinds,
    });
    if (!plan) throw invalid(`'${path}' version ${version}`, diagnostics);
    this.plans.set(id, plan);
    if (this.plans.size > KEPT_PLANS) this.plans.delete(this.plans.keys().next().value!);
    return plan;
  }
}
