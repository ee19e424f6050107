import { type Report } from '../diagnostics/diagnostic';
import { didYouMean } from '../diagnostics/suggest';
import { type Document, type TaskDoc } from '../document/document';
import { type ScalarNode } from '../yaml/node';
import { tasksOf } from './parts';

/** The playbooks that can be called, by `metadata.path`. */
export interface Catalog {
  has(path: string): boolean;
  /** All of them, for suggestions. */
  paths(): Iterable<string>;
  /** There may be more playbooks than these: only a path that looks like a misspelling of one of them is told. */
  readonly partial?: true;
}

/** Sub-playbooks that the catalog does not have. A path that is a template is only known when it runs. */
export function checkCatalog(document: Document, catalog: Catalog | undefined, report: Report): void {
  if (catalog === undefined) return;
  for (const task of document.steps.flatMap(tasksOf)) {
    const called = task.kind === 'playbook' ? calledBy(task) : undefined;
    if (typeof called?.value !== 'string' || called.value.includes('{{') || catalog.has(called.value))
      continue;
    const meant = didYouMean(called.value, catalog.paths());
    if (meant === undefined && catalog.partial) continue;
    report.add(
      'NT3025',
      called,
      `no playbook has the path \`${called.value}\``,
      meant ?? 'the path is that of its `metadata.path`',
    );
  }
}

function calledBy({ fields }: TaskDoc): ScalarNode | undefined {
  const field = fields.find(({ key }) => key === 'path') ?? fields.find(({ key }) => key === 'name');
  return field?.value.kind === 'scalar' ? field.value : undefined;
}
