/** The log of one start of a container, from its first line. */
import { Logs } from '../logs';
import { type ToolContext } from '../../../framework/tool/tool';
import { type Cluster } from './cluster';
import { CONTAINER } from './job';

export class PodLog {
  /** `whole`: the cluster said that there is no more; `broken`: it stopped in between. */
  state: 'open' | 'whole' | 'broken' = 'open';
  error: unknown;
  /** Resolves when it is no longer open. */
  readonly settled: Promise<void>;

  private readonly logs: Logs;
  private readonly controller = new AbortController();

  /** @param restarts which start of the container this is @param shown its name in heartbeats */
  constructor(
    cluster: Cluster,
    namespace: string,
    private readonly pod: string,
    private readonly restarts: number,
    shown: string,
    context: Pick<ToolContext, 'heartbeat'>,
  ) {
    this.logs = new Logs(shown, (details) => context.heartbeat(details));
    const log = { namespace, pod, container: CONTAINER };
    this.settled = cluster.follow(log, this.logs.into('stdout'), this.controller.signal).then(
      () => {
        this.state = 'whole';
      },
      (error: unknown) => {
        this.state = 'broken';
        this.error = error;
      },
    );
  }

  isOf(pod: string, restarts: number): boolean {
    return this.pod === pod && this.restarts === restarts;
  }

  get text(): string {
    return this.logs.stdout.toString();
  }

  stop(): void {
    this.controller.abort();
  }
}
