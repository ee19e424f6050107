/** Formats an explanation as text. */
import { type Considered, type ExplainedDecision } from '../../history';
import { type ExplanationNow } from '../runtime/executions';
import { paint, printable } from './paint';
import { unservedText } from './unserved-text';

export function explanationText(
  { playbook, execution_id, status, decisions, unserved }: ExplanationNow,
  now: number,
  color: boolean,
): string {
  const { bold, red } = paint(color);
  const head = `${bold(printable(playbook))} execution ${execution_id}: ${status}`;
  const waiting = unserved.map((one) => red(unservedText(one, now)));
  return [head, ...decisions.map((decision) => decisionText(decision, color)), ...waiting].join('\n\n');
}

function decisionText(decision: ExplainedDecision, color: boolean): string {
  const { bold, dim } = paint(color);
  const when = `${String(decision.seq).padStart(5)}  ${decision.timestamp.slice(11, 23)}`;
  const lines = [`${dim(when)}  ${bold(printable(decision.summary))}`];
  for (const detail of decision.details) lines.push(`       ${printable(detail)}`);
  for (const one of decision.considered) lines.push(...consideredLines(one, color));
  if (decision.considered.length === 0 && decision.at) lines.push(`       ${dim(placeText(decision.at))}`);
  return lines.join('\n');
}

function consideredLines(one: Considered, color: boolean): string[] {
  const { green, dim } = paint(color);
  const head = `${one.won ? '✓' : '·'} ${one.what}: ${one.verdict}`;
  const values = Object.entries(one.values ?? {}).map(
    ([name, value]) => `           ${printable(name)} = ${printable(JSON.stringify(value))}`,
  );
  const guard = one.guard === null ? [] : [`         ${printable(one.guard)}`];
  const place = one.at ? [dim(`         ${placeText(one.at)}`)] : [];
  return [`       ${one.won ? green(printable(head)) : printable(head)}`, ...place, ...guard, ...values];
}

function placeText({ file, line, column, source }: NonNullable<ExplainedDecision['at']>): string {
  return printable(`${file ?? 'playbook'}:${line}:${column}${source === undefined ? '' : `  ${source}`}`);
}
