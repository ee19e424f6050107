/** `kind` of a document. */
import { type Report } from '../diagnostics/diagnostic';
import { asText, child, type MapNode, presentValue } from '../yaml/node';

/** An agent is a playbook that lists show among agents. */
const EXECUTABLE_KINDS: readonly string[] = ['Playbook', 'Agent'];

export function isOfAnotherKind(root: MapNode): boolean {
  const kind = presentValue(root, 'kind');
  return kind?.kind === 'scalar' && !EXECUTABLE_KINDS.includes(String(kind.value));
}

export function checkKind(root: MapNode, report: Report): void {
  if (!isOfAnotherKind(root)) return;
  const kind = asText(child(root, 'kind'));
  const likely = EXECUTABLE_KINDS.find((one) => one.toLowerCase() === kind?.toLowerCase()) ?? 'Playbook';
  const [what, hint] =
    kind?.toLowerCase() === 'subscription'
      ? [
          'a subscription is registered, not run: its messages start playbooks',
          '`noetl-temporal register FILE`, then `noetl-temporal trigger activate PATH` (docs/triggers.md)',
        ]
      : [
          `a document of kind \`${kind}\` is no playbook`,
          `write \`kind: ${likely}\`, and its steps under \`workflow\``,
        ];
  report.add('NT2011', child(root, 'kind')!, what, hint);
}
