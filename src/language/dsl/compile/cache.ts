/** `spec.cache` of a task, as an option that its worker reads (activities/framework/cache). */
import { type PlanValue } from '../../plan';
import { isCacheable } from '../check/cache';
import { type TemplatePlace } from '../check/place';
import { type Document, type StepDoc, type TaskDoc } from '../document/document';
import { type MapNode, presentValue } from '../yaml/node';
import { compactMap, type Values } from './values';

const DEFAULT_TTL = '24h';

interface Of {
  readonly task: TaskDoc;
  readonly step: StepDoc;
  readonly document: Document;
}

/**
 * The playbook's path is among it, because a worker that runs a chunk or a long task does not know it.
 *
 * @param spec the effective spec of the task
 */
export function compileCache(
  spec: MapNode | undefined,
  { task, step, document }: Of,
  place: TemplatePlace,
  values: Values,
): PlanValue | undefined {
  const node = presentValue(spec, 'cache');
  if (node === undefined || (node.kind === 'scalar' && node.value !== true)) return undefined;
  // A sink writes: it does not return anything that could be taken instead.
  if (!isCacheable(task, document) || step.asides.includes(task)) return undefined;
  const fields = node.kind === 'map' ? node : undefined;
  const given = ['key', 'version'].flatMap((name) => {
    const field = presentValue(fields, name);
    return field === undefined ? [] : [[name, values.value(field, place)] as const];
  });
  const ttl = presentValue(fields, 'ttl');
  return compactMap([
    ['path', { const: document.metadata.path }],
    ['ttl', ttl === undefined ? { const: DEFAULT_TTL } : values.value(ttl, place)],
    ...given,
  ]);
}
