/**
 * `npm run bench -- soak [--minutes 60] [--executions N] [--cluster-script FILE] [--write]`: the playbooks of chaos,
 * undisturbed, at a modest rate; memory by process as a curve (docs/images/soak.svg with `--write`). Exit code 1 if an
 * execution did not end as it should, or a process of ours grew.
 */
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { chaos } from '../../test/chaos/chaos';
import { type MemoryPoint } from '../../test/chaos/member';
import { summary } from '../../test/chaos/report';
import { ROOT } from '../../test/support/process';

/** Of the last quarter over the second one; below, it is noise. */
const MOST_GROWTH = 1.15;
/** Not ours: a dev server keeps its database in memory. */
const SERVERS = /^(temporal|postgres|cluster-postgres|frontend|history|matching|worker)$/;
const PER_MINUTE = 10;
const [WIDTH, HEIGHT, LEGEND] = [760, 360, 150];
const COLOURS = [
  '#4c72b0',
  '#dd8452',
  '#55a868',
  '#c44e52',
  '#8172b3',
  '#937860',
  '#da8bc3',
  '#8c8c8c',
  '#ccb974',
];

type Curves = Readonly<Record<string, readonly MemoryPoint[]>>;

export async function benchSoak(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string', default: '60' },
      executions: { type: 'string' },
      'cluster-script': { type: 'string' },
      write: { type: 'boolean' },
    },
  });
  const minutes = Number(values.minutes);
  const report = await chaos({
    ...{ seed: 'soak', minutes, rate: 0, clusterScript: values['cluster-script'] },
    executions: Number(values.executions ?? minutes * PER_MINUTE),
    histories: { folder: 'soak-histories', all: false },
    say: (line) => console.error(`  ${line}`),
  });
  console.log(summary(report));
  const growing = Object.entries(report.memory).flatMap(([name, points]) => {
    const growth = growthOf(points);
    console.log(`  ${name.padEnd(18)} × ${growth.toFixed(2)}`);
    return growth > MOST_GROWTH && !SERVERS.test(name) ? [name] : [];
  });
  if (values.write) fs.writeFileSync(path.join(ROOT, 'docs/images/soak.svg'), plotOf(report.memory));
  if (report.violations.length > 0 || growing.length > 0) process.exitCode = 1;
}

/** The median of the last quarter over that of the second: the first one fills caches. */
function growthOf(points: readonly MemoryPoint[]): number {
  const quarter = (number: number): number => {
    const size = Math.floor(points.length / 4);
    const sorted = points
      .slice(number * size, (number + 1) * size)
      .map(({ mib }) => mib)
      .sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? NaN;
  };
  return quarter(3) / quarter(1);
}

function plotOf(curves: Curves): string {
  const all = Object.values(curves).flat();
  const [longest, most] = [Math.max(...all.map(({ at }) => at)), Math.max(...all.map(({ mib }) => mib))];
  const x = (at: number): string => (40 + (at / longest) * (WIDTH - 50 - LEGEND)).toFixed(1);
  const y = (mib: number): string => (HEIGHT - 30 - (mib / most) * (HEIGHT - 50)).toFixed(1);
  const lines = Object.entries(curves).map(([name, points], index) => {
    const colour = COLOURS[index % COLOURS.length]!;
    const thinned = points.filter((_, place) => place % Math.ceil(points.length / 300) === 0);
    const line = thinned.map(({ at, mib }) => `${x(at)},${y(mib)}`).join(' ');
    const row = 20 + index * 18;
    return `<polyline fill="none" stroke="${colour}" points="${line}"/><text x="${WIDTH - LEGEND + 10}" y="${row}" fill="${colour}">${name}</text>`;
  });
  const axes = [
    `<text x="2" y="${y(most)}">${Math.round(most)} MiB</text><text x="2" y="${y(0)}">0</text>`,
    `<text x="${x(longest)}" y="${HEIGHT - 8}" text-anchor="end">${Math.round(longest / 60)} min</text>`,
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" role="img" aria-label="Memory of each process over time"><rect width="100%" height="100%" fill="#ffffff"/>${axes.join('')}${lines.join('')}</svg>\n`;
}
