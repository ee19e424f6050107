/** What goes wrong when: drawn from a seed, so that a seed repeats it. */
import { nextRandom, type Seed, seedFrom } from '../../src/engine/machine/state/random';

export type FaultKind = 'kill' | 'commit' | 'stop' | 'cut' | 'slow' | 'full';

export interface Fault {
  /** Seconds since the first execution was submitted. */
  readonly at: number;
  readonly kind: FaultKind;
  /** A process; for `full` the disk of results. */
  readonly member: string;
  /** For `cut` and `slow`: the connection of that process to … */
  readonly link?: string;
  /** How long it lasts, in seconds: until a killed process is started again, a stopped one goes on, … */
  readonly seconds: number;
}

/** Who can be hurt. */
export interface Victim {
  readonly name: string;
  readonly role: 'temporal' | 'postgres' | 'facade' | 'projection' | 'worker';
  readonly links: readonly string[];
}

/** Per minute, and how long each lasts at most, in seconds. Killed at commit: when a row is written and nobody knows. */
const FAULTS: Readonly<Record<FaultKind, { perMinute: number; longest: number }>> = {
  kill: { perMinute: 10, longest: 3 },
  commit: { perMinute: 1, longest: 3 },
  stop: { perMinute: 3, longest: 15 },
  cut: { perMinute: 2, longest: 5 },
  slow: { perMinute: 1.5, longest: 10 },
  full: { perMinute: 0.5, longest: 6 },
};
/** How often a process is drawn. One service of Temporal costs all of them seconds, so each is rarer. */
const WEIGHTS: Readonly<Record<Victim['role'], number>> = {
  worker: 3,
  facade: 2,
  projection: 2,
  postgres: 0.8,
  temporal: 0.6,
};

/** @param rate scales how often everything happens */
export function faultsOf(
  seed: string,
  minutes: number,
  { victims, disk, rate = 1 }: { victims: readonly Victim[]; disk: boolean; rate?: number },
): Fault[] {
  const random = seedFrom(`faults ${seed}`);
  const faults: Fault[] = [];
  for (const [kind, { perMinute, longest }] of Object.entries(FAULTS) as [
    FaultKind,
    (typeof FAULTS)[FaultKind],
  ][]) {
    if (kind === 'full' && !disk) continue;
    for (let count = Math.round(perMinute * minutes * rate); count > 0; count--) {
      const at = nextRandom(random) * minutes * 60;
      const seconds = 0.2 + nextRandom(random) * (longest - 0.2);
      faults.push({ at, kind, seconds, ...victimOf(kind, victims, random) });
    }
  }
  return faults.sort((a, b) => a.at - b.at);
}

function victimOf(kind: FaultKind, all: readonly Victim[], random: Seed): Pick<Fault, 'member' | 'link'> {
  if (kind === 'full') return { member: 'results' };
  if (kind === 'commit') return { member: weighted(all.filter(writesRows), random).name, link: 'postgres' };
  if (kind === 'kill' || kind === 'stop') return { member: weighted(all, random).name };
  const { name, links } = weighted(
    all.filter((victim) => victim.links.length > 0),
    random,
  );
  return { member: name, link: links[Math.floor(nextRandom(random) * links.length)]! };
}

function writesRows({ name }: Victim): boolean {
  return name.startsWith('code');
}

function weighted(victims: readonly Victim[], random: Seed): Victim {
  let left = nextRandom(random) * victims.reduce((sum, { role }) => sum + WEIGHTS[role], 0);
  for (const victim of victims) {
    left -= WEIGHTS[victim.role];
    if (left < 0) return victim;
  }
  return victims.at(-1)!;
}
