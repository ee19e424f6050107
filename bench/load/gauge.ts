/** Memory and event-loop delay of processes while something runs: from /proc, and from the metrics they tell. */
import { type Member } from '../../test/chaos/member';
import { processOf } from '../../test/chaos/process-tree';

/** MiB, and milliseconds; a process that tells no metrics has no event loop of ours. */
export interface Load {
  readonly before: number;
  readonly most: number;
  /** The 99th percentile of the worst interval between two looks, and the longest delay of all. */
  readonly p99?: number;
  readonly longest?: number;
}

const LOOK_MS = 1_000;
const ANSWER_MS = 10_000;

export class Gauge {
  private readonly loads: Map<string, Load>;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly members: readonly Member[]) {
    this.loads = new Map(members.map((member) => [member.name, { before: mib(member), most: mib(member) }]));
    this.timer = setInterval(() => void this.look(), LOOK_MS);
    // Their longest delay until now is of something else.
    void Promise.all(members.map((member) => delays(member)));
  }

  async stop(): Promise<Record<string, Load>> {
    clearInterval(this.timer);
    await this.look();
    return Object.fromEntries(this.loads);
  }

  private async look(): Promise<void> {
    await Promise.all(
      this.members.map(async (member) => {
        const rss = mib(member);
        const now = await delays(member);
        const { before, most, p99, longest } = this.loads.get(member.name)!;
        this.loads.set(member.name, {
          before,
          most: Math.max(most, rss),
          ...(now && { p99: Math.max(p99 ?? 0, now.p99), longest: Math.max(longest ?? 0, now.longest) }),
          ...(!now && p99 !== undefined && { p99, longest }),
        });
      }),
    );
  }
}

function mib({ pid }: Member): number {
  return Math.round(processOf(pid)?.rssMiB ?? 0);
}

/** Since it was last asked. */
async function delays({ options }: Member): Promise<{ p99: number; longest: number } | undefined> {
  if (!options.metrics) return undefined;
  const answer = await fetch(options.metrics, { signal: AbortSignal.timeout(ANSWER_MS) }).catch(
    () => undefined,
  );
  const text = await answer?.text().catch(() => '');
  const read = (name: string): number =>
    Math.round(
      Number(new RegExp(`^nodejs_eventloop_lag_${name}_seconds (\\S+)`, 'm').exec(text ?? '')?.[1] ?? 0) *
        1000,
    );
  return { p99: read('p99'), longest: read('max') };
}
