/** Failed expectations as text: the `diff` of `test --format json`. */
import { type PlacedProblem, type RehearsalResult } from '../run';

interface Files {
  readonly rehearsal: string;
  readonly playbook: string;
}

/**
 * One block per problem; empty if there is none.
 *
 *     result: 1 difference
 *       result.message: expected "Bonjour, Ada!", came "Hello, Ada!"
 *       at hello_world.rehearsal.yaml:14:16
 */
export function diffText({ problems }: Pick<RehearsalResult, 'problems'>, files: Files): string {
  return problems.map((problem) => problemText(problem, files)).join('\n');
}

function problemText({ part, message, details, at, playbookAt, hint }: PlacedProblem, files: Files): string {
  const places = [`${files.rehearsal}:${at[0]}:${at[1]}`];
  if (playbookAt !== undefined) places.push(`playbook ${files.playbook}:${playbookAt[0]}:${playbookAt[1]}`);
  return [
    `${part}: ${message}`,
    ...details.map((line) => `  ${line}`),
    ...(hint === undefined ? [] : [`  hint: ${hint}`]),
    `  at ${places.join(', ')}`,
  ].join('\n');
}
