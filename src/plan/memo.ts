/** What the memo of an execution says of its playbook, for lists that read no histories. */
import { type Plan } from './plan';

export function catalogMemo({ source }: Plan): { noetl_catalog?: { catalog_id: string; version: number } } {
  if (!source.catalog) return {};
  return { noetl_catalog: { catalog_id: source.catalog.id, version: source.catalog.version } };
}
