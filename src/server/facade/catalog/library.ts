/** The playbooks of the catalog: checked at registration, compiled at execution. */
import { hasCode } from '../../../language/errors';
import { type KnownPlaybooks as Callable, type Diagnostic } from '../../../language/dsl';
import {
  aheadOfOthers,
  compact,
  didYouMeanPath,
  type Json,
  type JsonObject,
  type Plan,
  type PlanInputs,
  playbookInputs,
} from '../../../language/plan';
import { writtenOnce } from '../../../storage/payloads';
import { type Catalog, type CatalogEntry, fitsAny, type Registered } from '../../store';
import { FacadeError, invalidField } from '../http/errors';
import { CHECKED_KINDS, EXECUTABLE, type Submitted } from './content';
import { entryOf } from './reference';
import { invalidDocument } from './diagnostics';
import { type CheckedPlaybook, type CallableCatalog } from '../threads/jobs';
import { type Threads } from '../threads/threads';

export type Elsewhere = Pick<Callable, 'paths' | 'inputsOf'>;

/** Number of cached plans; a plan of a hundred steps takes about 100 kB. */
const KEPT_PLANS = 200;
const FRESH_MS = 1_000;

export class Library {
  /**
   * By catalog id: entries are immutable and the engine version is fixed in this process. Least recently used
   * first.
   */
  private readonly plans = new Map<string, Promise<Plan>>();

  private readonly latest = new Map<string, { readonly at: number; readonly entry: Promise<CatalogEntry> }>();

  /**
   * @param elsewhere playbooks available to workers outside the catalog
   * @param prioritized paths that may ask for more than their turn; undefined: all
   */
  constructor(
    readonly catalog: Catalog,
    private readonly threads: Threads,
    private readonly elsewhere?: Elsewhere,
    private readonly prioritized?: readonly string[],
  ) {}

  /**
   * All diagnostics of a playbook, including sub-playbooks that the catalog lacks.
   *
   * @param caller name of the caller
   * @param more.siblings paths registered in the same request
   * @param more.code whether an interpreter checks its Python
   */
  async check(
    content: string,
    caller: string,
    { siblings = [], code = false }: { siblings?: Iterable<string>; code?: boolean } = {},
  ): Promise<CheckedPlaybook> {
    const once = await this.threads.run('check', { content, code }, caller);
    // The catalog is needed for calls only, and the calls are unknown while there are errors.
    if (once.metadata && once.calls.length === 0) return once;
    const paths = [...(await this.paths()), ...siblings];
    if (once.metadata) paths.push(once.metadata.path);
    const catalog: CallableCatalog = { paths, inputs: await this.inputsOf(once.calls) };
    return await this.threads.run('check', { content, catalog, code }, caller);
  }

  private async paths(): Promise<string[]> {
    return [...(await this.catalog.paths(EXECUTABLE)), ...(this.elsewhere?.paths() ?? [])];
  }

  /** A diagnostic for a missing playbook, with a suggestion. */
  async missing(path: string, version?: string): Promise<string> {
    const shown = version === undefined ? path : `${path}, version ${version}`;
    return `the catalog has no playbook ${shown}${didYouMeanPath(path, await this.paths())}`;
  }

  /** As `entryOf`, for many messages in a second: what another process registers counts a second later. */
  async latestEntry(path: string): Promise<CatalogEntry> {
    const kept = this.latest.get(path);
    if (kept && performance.now() - kept.at < FRESH_MS) return await kept.entry;
    const entry = entryOf(this.catalog, { path });
    if (this.latest.size >= KEPT_PLANS) this.latest.clear();
    this.latest.set(path, { at: performance.now(), entry });
    entry.catch(() => this.latest.delete(path));
    return await entry;
  }

  /**
   * What a schedule would start now, or doubts about it: workers may have playbooks that the catalog lacks.
   *
   * @throws FacadeError as `runnable`
   */
  async scheduled(path: string, version: string | undefined, caller: string): Promise<Plan | string[]> {
    const entry = await entryOf(this.catalog, { path, ...compact({ version }) }).catch((error: unknown) => {
      if (error instanceof FacadeError) return undefined;
      throw error;
    });
    return entry && EXECUTABLE.includes(entry.kind)
      ? await this.runnable(entry, caller)
      : [await this.missing(path, version)];
  }

  /** Input declarations of the latest versions of the called playbooks. */
  private async inputsOf(called: readonly string[]): Promise<ReadonlyMap<string, PlanInputs>> {
    const pairs = await Promise.all(
      called.map(async (path) => {
        const entry = await this.catalog.find(path);
        const inputs = entry && EXECUTABLE.includes(entry.kind) ? playbookInputs(entry.payload) : undefined;
        return [path, inputs ?? this.elsewhere?.inputsOf?.(path)] as const;
      }),
    );
    return new Map(pairs.flatMap(([path, inputs]) => (inputs ? [[path, inputs] as const] : [])));
  }

  /**
   * Registers a parsed resource; a playbook only if it has no errors.
   *
   * @throws FacadeError 422 with all diagnostics, or if something other than a playbook is to be staged; 409 if the path belongs to a resource of another kind,
   *   or a text to be staged is the latest
   */
  async register(
    { content, kind, path, name, version, data }: Submitted,
    caller: string,
    more: { layout?: Json; meta?: JsonObject; staged?: boolean; siblings?: Iterable<string> } = {},
  ): Promise<Registered & { diagnostics: readonly Diagnostic[] }> {
    if (more.staged && !EXECUTABLE.includes(kind))
      throw invalidField('body.staged', 'STAGED_NOT_PLAYBOOK', `only playbooks can be staged, not a ${kind}`);
    const isChecked = CHECKED_KINDS.includes(kind);
    const checked: Pick<CheckedPlaybook, 'metadata' | 'diagnostics'> = isChecked
      ? await this.check(content, caller, more)
      : { diagnostics: [] };
    if (isChecked && !checked.metadata)
      throw invalidDocument(
        path === '' ? 'the content' : `'${path}'`,
        checked.diagnostics,
        kind === 'mcp' ? 'resource' : kind,
      );
    const head = checked.metadata ?? { path, name: name ?? path, version };
    try {
      const registered = await this.catalog.register({
        content,
        kind,
        path: head.path,
        name: head.name,
        label: head.version,
        payload: data,
        layout: more.layout,
        meta: more.meta,
        staged: more.staged,
      });
      this.latest.clear();
      return { ...registered, diagnostics: checked.diagnostics };
    } catch (error) {
      if (!hasCode(error, 'RESOURCE_KIND_DIFFERS', 'STAGED_IS_LATEST')) throw error;
      throw new FacadeError(409, error.code, error.message, { at: 'body.content' });
    }
  }

  /**
   * The plan of an entry.
   *
   * @param caller name of the caller
   * @throws FacadeError 422 if it is not a playbook, or if this release finds errors that an earlier one did not
   */
  async planOf(entry: CatalogEntry, caller: string): Promise<Plan> {
    const { catalog_id: id } = entry;
    const plan = this.plans.get(id) ?? this.compiled(entry, caller);
    this.plans.delete(id);
    this.plans.set(id, plan);
    if (this.plans.size > KEPT_PLANS) this.plans.delete(this.plans.keys().next().value!);
    try {
      return await plan;
    } catch (error) {
      if (this.plans.get(id) === plan) this.plans.delete(id);
      throw error;
    }
  }

  /**
   * The plan of an entry that is to run.
   *
   * @throws FacadeError as `planOf`; 403 `PRIORITY_REFUSED` if it asks for more than its turn and may not
   */
  async runnable(entry: CatalogEntry, caller: string): Promise<Plan> {
    const plan = await this.planOf(entry, caller);
    this.refuseAhead(plan, entry.path);
    return plan;
  }

  /** @throws FacadeError 403 `PRIORITY_REFUSED` if it asks for more than its turn and may not */
  refuseAhead(plan: Plan, path = plan.metadata.path): void {
    const { prioritized } = this;
    const ahead = prioritized && aheadOfOthers(plan);
    if (!ahead || fitsAny(prioritized, path)) return;
    throw new FacadeError(
      403,
      'PRIORITY_REFUSED',
      `'${path}' asks for more than its turn (line ${ahead.at[0]}): \`fairness\`, or a \`priority\` before 3; ` +
        'remove it, or have the operator allow it (serve --prioritized)',
    );
  }

  private async compiled(
    { catalog_id: id, path, version, kind, content }: CatalogEntry,
    caller: string,
  ): Promise<Plan> {
    if (!EXECUTABLE.includes(kind))
      throw new FacadeError(422, 'NOT_EXECUTABLE', `${path} is a resource of kind ${kind}, not a playbook`);
    const job = { content, file: `catalog://${path}@${version}`, entry: { id, version } };
    const { plan, diagnostics } = await this.threads.run('plan', job, caller);
    if (!plan) throw invalidDocument(`'${path}' version ${version}`, diagnostics);
    return writtenOnce(plan);
  }
}
