/** Where a rehearsal file names what its playbook declares. */
import { type OutlineNode, scalarText, type TextRange } from '../text/node';
import { textOutline } from '../text/outline';
import { type Declared } from './occurrences';

/** The places of a name in a rehearsal file: selectors of mocks and calls, steps, inputs. */
export function placesInRehearsal(text: string, of: Declared): TextRange[] {
  const places: TextRange[] = [];
  const add = (start: number): void => {
    const from = start + (/["']/.test(text[start] ?? '') ? 1 : 0);
    places.push({ start: from, end: from + of.name.length });
  };
  const visit = (node: OutlineNode, keys: readonly string[]): void => {
    for (const item of node.items) visit(item, keys);
    for (const { key, start, value } of node.entries) {
      const at = inKey(key, keys, of);
      if (at !== undefined) add(start + at);
      visit(value, [...keys, key]);
    }
    if (WORDS[of.kind]?.includes(keys.at(-1) ?? '') && scalarText(text, node) === of.name) add(node.start);
  };
  visit(textOutline(text), []);
  return places;
}

function inKey(key: string, keys: readonly string[], of: Declared): number | undefined {
  const parent = keys.at(-1) ?? '';
  if (SELECTORS.has(parent)) return inSelector(key, of);
  const isInput = parent === 'payload' && keys.length <= 2 && of.kind === 'workload';
  return isInput && key === of.name ? 0 : undefined;
}

const SELECTORS = new Set(['mocks', 'calls']);
const WORDS: Readonly<Partial<Record<Declared['kind'], readonly string[]>>> = {
  step: ['step', 'steps'],
  task: ['task'],
};

/** Where a selector (`task`, `step`, `step/task`, each with `[iteration]`) has the name. */
function inSelector(selector: string, { kind, name, step }: Declared): number | undefined {
  const [first = '', second] = selector.replace(/\[\d+\]$/, '').split('/');
  if (kind === 'step') return first === name ? 0 : undefined;
  if (kind !== 'task') return undefined;
  if (second === undefined) return first === name ? 0 : undefined;
  return second === name && first === step ? first.length + 1 : undefined;
}
