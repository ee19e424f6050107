/** What a file of a folder tells others: where it can be called, with which inputs, and which credentials it names. */
import { type OutlineNode, scalarText, valueAt } from '../text/node';
import { textOutline } from '../text/outline';

export interface FileFacts {
  /** `metadata.path` of a playbook. */
  readonly path?: string;
  readonly inputs: readonly string[];
  readonly credentials: readonly string[];
}

export function factsOfText(text: string): FileFacts {
  const root = textOutline(text);
  const metadata = valueAt(root, 'metadata');
  const path = scalarText(text, valueAt(metadata, 'path') ?? valueAt(metadata, 'name'));
  const credentials = new Set<string>();
  const visit = (node: OutlineNode): void => {
    for (const item of node.items) visit(item);
    for (const { key, value } of node.entries) {
      const name = key === 'auth' || key === 'credential' ? scalarText(text, value) : undefined;
      if (name !== undefined && /^[\w-]+$/.test(name)) credentials.add(name);
      visit(value);
    }
  };
  visit(root);
  const isPlaybook = valueAt(root, 'workflow') !== undefined;
  const inputs = (valueAt(root, 'workload')?.entries ?? []).map(({ key }) => key);
  return { ...(isPlaybook && path !== undefined && { path }), inputs, credentials: [...credentials] };
}
