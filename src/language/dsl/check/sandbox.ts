/** `spec.sandbox` where it cannot apply. */
import { type Report } from '../diagnostics/diagnostic';
import { type Document } from '../document/document';
import { toolKind } from '../kinds';
import { entry } from '../yaml/node';
import { tasksOf } from './parts';

/** Written at a task whose kind has no sandbox, it would promise what nothing enforces. */
export function checkSandbox(document: Document, report: Report): void {
  for (const task of document.steps.flatMap(tasksOf)) {
    const own = entry(task.spec, 'sandbox');
    const isLevel = own?.value.kind === 'scalar' && own.value.value !== null;
    if (own === undefined) continue;
    const declared = toolKind(task.kind, document.extensions)?.sandbox;
    if (declared === undefined) {
      if (!isLevel) continue; // data of another kind
      const why = `\`${task.kind}\` has no sandbox`;
      report.add(
        'NT2059',
        own.at,
        why,
        'remove `sandbox`: it is for python, shell, script, container, duckdb, transfer and mcp',
      );
    } else if (own.value.kind === 'map') {
      report.add(
        'NT2059',
        own.at,
        '`sandbox` is a level, not a mapping',
        'write `strict`, `standard` or `none`',
      );
    }
  }
}
