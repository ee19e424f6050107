/** What a simulation found, for people. */
import { formatTime } from '../../offline/rehearsal';
import { type SimulationResult, type FoundFault } from '../../offline/simulation';
import { coverageLines } from './coverage-text';
import { paint, printable, wantsColor } from './paint';

export function simulationText({
  playbook,
  runs,
  first_seed,
  ends,
  causes,
  faults,
  coverage,
}: SimulationResult): string {
  const { bold, green, red, yellow } = paint(wantsColor(process.stdout));
  const seeds = runs === 1 ? `seed ${first_seed}` : `seeds ${first_seed} to ${first_seed + runs - 1}`;
  const ended = Object.entries(ends).flatMap(([end, count]) => (count > 0 ? [`${count} ${end}`] : []));
  const isProof = ends.failed + ends.cancelled < runs;
  const verdict =
    faults.length === 0
      ? isProof
        ? green('no fault found')
        : yellow('no fault found, but nothing is proven: every run failed, for the reasons above')
      : red(`${faults.length} ${faults.length === 1 ? 'fault' : 'faults'} found`);
  return [
    `${bold(printable(playbook))}, ${seeds}: ${ended.join(', ')}`,
    ...causeLines(causes),
    ...faults.flatMap((fault) => ['', ...faultLines(fault)]),
    '',
    ...coverageLines(coverage),
    '',
    verdict,
  ].join('\n');
}

/** Causes that are told; further ones are counted. */
const MOST_CAUSES = 5;

function causeLines(causes: SimulationResult['causes']): string[] {
  const { dim } = paint(wantsColor(process.stdout));
  const lines = causes
    .slice(0, MOST_CAUSES)
    .map(
      ({ cause, message, count, seed }) =>
        `  ${count} failed: ${printable(`${cause}: ${message}`)} ${dim(`(first: --seed ${seed})`)}`,
    );
  const left = causes.length - lines.length;
  return left > 0 ? [...lines, `  and ${left} more causes`] : lines;
}

function faultLines({ what, count, seed, why, story, rehearsal }: FoundFault): string[] {
  const { bold, dim } = paint(wantsColor(process.stdout));
  const runs = count === 1 ? '1 run' : `${count} runs`;
  return [
    `${bold(printable(what))} ${dim(`(${runs}, first: --seed ${seed})`)}`,
    ...why.map((line) => `  ${printable(line)}`),
    ...(story.length > 0 ? ['', ...storyLines(story)] : []),
    ...(rehearsal === null
      ? []
      : [
          '',
          '  as a rehearsal:',
          ...rehearsal
            .trimEnd()
            .split('\n')
            .map((line) => `    ${printable(line)}`),
        ]),
  ];
}

function storyLines(story: FoundFault['story']): string[] {
  const times = story.map(({ at_ms }) => formatTime(at_ms));
  const width = Math.max(...times.map((time) => time.length));
  return story.map(({ what }, i) => `  ${times[i]!.padStart(width)}  ${printable(what)}`);
}
