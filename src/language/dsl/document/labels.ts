import { labelProblem, type RunLabels, labelsProblem } from '../../plan';
import { type Report } from '../diagnostics/diagnostic';
import { type MapNode, presentValue } from '../yaml/node';

/** `metadata.labels` of a playbook or a subscription. */
export function readLabels(metadata: MapNode | undefined, report: Report): RunLabels | undefined {
  const node = presentValue(metadata, 'labels');
  if (node?.kind !== 'map') return undefined;
  const labels: Record<string, string> = {};
  for (const { key, value, at } of node.entries) {
    const text = value.kind === 'scalar' && value.value !== null ? String(value.value) : undefined;
    const problem = labelProblem(key, text);
    const hint = text?.includes('{{')
      ? 'labels of a playbook are constant: `run_name` may have templates, and a start gives further labels'
      : 'write `labels: {team: sales}`';
    if (problem !== undefined) report.add('NT2063', problem.startsWith('`') ? at : value, problem, hint);
    else labels[key] = text ?? '';
  }
  const many = labelsProblem(labels);
  if (many !== undefined) report.add('NT2063', node, many, 'leave some out');
  return labels;
}
