/** The log of one start of a container, from its first line. */
import { type Listeners, ContainerLogs } from '../logs';
import { type Cluster } from './cluster';
import { CONTAINER } from './job';

export interface PodLogOptions {
  readonly cluster: Cluster;
  readonly namespace: string;
  /** The container's name in heartbeats. */
  readonly shown: string;
  readonly listeners: Listeners;
}

export class PodLog {
  /** `whole`: the cluster reported its end; `broken`: it broke off. */
  state: 'open' | 'whole' | 'broken' = 'open';
  error: unknown;
  /** Resolves when it is no longer open. */
  readonly settled: Promise<void>;

  private readonly logs: ContainerLogs;
  private readonly controller = new AbortController();

  /**
   * @param restarts which start of the container this is
   * @param before what was read before it broke off
   */
  constructor(
    { cluster, namespace, shown, listeners }: PodLogOptions,
    private readonly pod: string,
    private readonly restarts: number,
    before: PodLog | undefined,
  ) {
    this.logs = new ContainerLogs(shown, listeners, before?.isOf(pod, restarts) ? before.logs.read : 0);
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
