/**
 * Containers as Kubernetes Jobs. One Job per task run, named after the task run: if a worker dies the Job
 * continues, and the next attempt finds it by its labels and continues with it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { BatchV1Api, CoreV1Api, V1Job } from '@kubernetes/client-node' with {
  'resolution-mode': 'import',
};
import { shortenedText } from '../../../framework/tool/bounded';
import { type Deadline } from '../../../framework/tool/deadline';
import { ToolError } from '../../../framework/tool/outcome';
import { type Listeners } from '../logs';
import { type ContainerIdentity, LABEL_TASK_RUN, LABEL_WORK } from '../identity';
import { type ContainerRequest } from '../request';
import { type ContainerEnd } from '../runtime';
import { type Cluster } from './cluster';
import { clusterError, isPassing, type PodStage, httpStatusOf } from './errors';
import { type KubernetesFields } from './fields';
import { filesOf, jobOf } from './job';
import { PodLog } from './log';
import { podState, type PodState, withoutPod } from './pod';
import { compact } from '../../../../src/language/plan';

/** Milliseconds. */
export interface Pace {
  /** Interval of polling a Job; the first intervals are shorter. */
  readonly look: number;
  /** How long to wait for an unresponsive API while the Job runs. */
  readonly patience: number;
}

const PACE: Pace = { look: 1500, patience: 60_000 };
const FIRST_LOOK_MS = 100;
/** Output may still arrive after the cluster has reported the container's end. */
const DRAIN_MS = 5000;
/** Limit for removing a Job after the task. */
const REMOVE_MS = 10_000;
/** Added to the task's timeout for the cluster's limit, so that the task's own timeout is reported first. */
const SPARE_S = 30;

/** @param cluster to run on @throws ToolError */
export async function runInKubernetes(
  request: ContainerRequest,
  fields: KubernetesFields,
  identity: ContainerIdentity,
  deadline: Deadline,
  context: Listeners,
  cluster: Cluster,
  pace: Pace = PACE,
): Promise<ContainerEnd> {
  return new KubernetesRun(request, fields, identity, deadline, context, cluster, pace).toEnd();
}

class KubernetesRun {
  private readonly namespace: string;
  private readonly batch: BatchV1Api;
  private readonly core: CoreV1Api;
  private silentSince: number | undefined;
  private log: PodLog | undefined;
  private waitingFor: string | undefined;

  constructor(
    private readonly request: ContainerRequest,
    private readonly fields: KubernetesFields,
    private readonly identity: ContainerIdentity,
    private readonly deadline: Deadline,
    private readonly context: Listeners,
    private readonly cluster: Cluster,
    private readonly pace: Pace,
  ) {
    this.namespace = fields.namespace ?? cluster.namespace;
    ({ batch: this.batch, core: this.core } = cluster.apis(deadline.signal));
  }

  async toEnd(): Promise<ContainerEnd> {
    const body = jobOf(this.request, this.fields, this.identity, this.deadline.seconds + SPARE_S);
    const { job, adopted } = await this.obtain(body);
    let keep = false;
    try {
      await this.provideFiles(job);
      const end = await this.follow();
      keep = !this.fields.cleanup;
      return { ...end, id: this.identity.name, adopted };
    } catch (error) {
      throw this.deadline.reason() ? this.stopped() : error;
    } finally {
      this.log?.stop();
      if (!keep) await this.remove(this.identity.name);
    }
  }

  /** The Job of this task run: one left by a lost worker, or a new one. */
  private async obtain(body: object): Promise<{ job: V1Job; adopted: boolean }> {
    const { name, labels } = this.identity;
    const { namespace } = this;
    const labelSelector = `${LABEL_WORK}=${labels[LABEL_WORK]!}`;
    const left = await this.at('create', this.batch.listNamespacedJob({ namespace, labelSelector }));
    let own: V1Job | undefined;
    for (const job of left.items) {
      if (isOf(job, this.identity)) own = job;
      else await this.remove(job.metadata!.name!);
    }
    if (own) return { job: own, adopted: true };
    try {
      return { job: await this.batch.createNamespacedJob({ namespace, body }), adopted: false };
    } catch (error) {
      // Another execution of this task run created it first.
      if (httpStatusOf(error) !== 409) throw this.error('create', error);
      const job = await this.at('create', this.batch.readNamespacedJob({ namespace, name }));
      if (!isOf(job, this.identity)) throw this.error('create', error);
      return { job, adopted: true };
    }
  }

  /** Also for an adopted Job: its worker may have died before creating them. */
  private async provideFiles(job: V1Job): Promise<void> {
    const body = filesOf(this.request, this.identity, job.metadata?.uid ?? '');
    if (!body) return;
    try {
      await this.core.createNamespacedConfigMap({ namespace: this.namespace, body });
    } catch (error) {
      if (httpStatusOf(error) !== 409) throw this.error('create', error);
    }
  }

  private async follow(): Promise<Omit<ContainerEnd, 'id' | 'adopted'>> {
    for (let ms = FIRST_LOOK_MS; ; ms = Math.min(ms * 2, this.pace.look)) {
      const look = await this.look();
      if (look?.state === 'ended') {
        const { exitCode, outOfMemory } = look;
        const { stdout, lost } = await this.output(look);
        return { exitCode, outOfMemory, stdout, stderr: '', ...compact({ logLost: lost }) };
      }
      if (look?.state === 'running') this.listen(look);
      if (look?.state === 'pending') this.wait(look.why);
      // When the log ends, the container has probably ended.
      await pause(ms, this.deadline.signal, this.log?.state === 'open' ? this.log.settled : undefined);
    }
  }

  /** @returns undefined if the API did not respond, but may respond later */
  private async look(): Promise<PodState | undefined> {
    const { namespace } = this;
    const { name } = this.identity;
    try {
      const job = await this.batch.readNamespacedJob({ namespace, name });
      const { items } = await this.core.listNamespacedPod({ namespace, labelSelector: `job-name=${name}` });
      this.silentSince = undefined;
      const look = podState(job, items, this.fields);
      if (look.state === 'pending' && items.length === 0) await this.askWhyThereIsNoPod();
      return look;
    } catch (error) {
      if (this.deadline.signal.aborted || !isPassing(error)) throw this.error('run', error);
      this.silentSince ??= performance.now();
      if (performance.now() - this.silentSince > this.pace.patience) throw this.error('run', error);
      return undefined;
    }
  }

  /** Only events report a quota or a service account that prevents pods. Reading them requires a permission. */
  private async askWhyThereIsNoPod(): Promise<void> {
    const fieldSelector = `involvedObject.kind=Job,involvedObject.name=${this.identity.name}`;
    const { items } = await this.core
      .listNamespacedEvent({ namespace: this.namespace, fieldSelector })
      .catch(() => ({ items: [] }));
    const refusal = items.findLast((one) => one.reason === 'FailedCreate');
    const error = refusal && withoutPod(refusal.message ?? '');
    if (error) throw error;
  }

  private wait(why: string): void {
    this.waitingFor = why;
    this.context.heartbeat({ container: this.identity.name, waiting: shortenedText(why, 500) });
  }

  /** Follows the log of the running container; a broken one is read again from its start. */
  private listen({ pod, restarts }: { pod: string; restarts: number }): void {
    this.waitingFor = undefined;
    if (this.log?.isOf(pod, restarts) && this.log.state === 'open') return;
    this.log?.stop();
    this.log = this.logOf(pod, restarts);
  }

  private logOf(pod: string, restarts: number): PodLog {
    const { cluster, namespace, identity, context: listeners } = this;
    return new PodLog({ cluster, namespace, shown: identity.name, listeners }, pod, restarts, this.log);
  }

  private async output(end: { pod: string; restarts: number }): Promise<{ stdout: string; lost?: string }> {
    for (let tries = 0; ; tries++) {
      if (!this.log?.isOf(end.pod, end.restarts) || this.log.state === 'broken') {
        this.log?.stop();
        this.log = this.logOf(end.pod, end.restarts);
      }
      await pause(DRAIN_MS, this.deadline.signal, this.log.settled);
      if (this.log.state === 'whole') return { stdout: this.log.text };
      const error = this.log.error;
      if (error !== undefined && !isPassing(error) && httpStatusOf(error) !== 404)
        throw this.error('run', error);
      if (tries >= 2) {
        const lost = clusterError(error ?? new Error('it does not end'), 'run', this.cluster.server).message;
        return { stdout: this.log.text, lost };
      }
      this.log.stop();
      await pause(this.pace.look, this.deadline.signal);
    }
  }

  /** Including its pod. If removal fails, the next attempt of the same work removes it, or its TTL. */
  private async remove(name: string): Promise<void> {
    const { batch } = this.cluster.apis(AbortSignal.timeout(REMOVE_MS));
    await batch
      .deleteNamespacedJob({ namespace: this.namespace, name, propagationPolicy: 'Background' })
      .catch(() => undefined);
  }

  /** The timeout or the cancellation, with the reason why it had not started. */
  private stopped(): ToolError {
    const reason = this.deadline.reason()!;
    const failure = reason.outcome.error!;
    if (failure.kind !== 'timeout' || this.waitingFor === undefined) return reason;
    return new ToolError({ ...failure, message: `${failure.message}: it waited for ${this.waitingFor}` });
  }

  private async at<T>(stage: PodStage, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      throw this.error(stage, error);
    }
  }

  private error(stage: PodStage, error: unknown): ToolError {
    return this.deadline.reason() ?? clusterError(error, stage, this.cluster.server);
  }
}

/** A Job that is being deleted is not used. */
function isOf(job: V1Job, { labels }: ContainerIdentity): boolean {
  return (
    job.metadata?.labels?.[LABEL_TASK_RUN] === labels[LABEL_TASK_RUN] &&
    job.metadata?.deletionTimestamp === undefined
  );
}

/** Resolves after `ms`, or when `early` does. @throws if the signal is aborted */
async function pause(ms: number, signal: AbortSignal, early?: Promise<void>): Promise<void> {
  const timer = new AbortController();
  const stopped = AbortSignal.any([signal, timer.signal]);
  try {
    await Promise.race([sleep(ms, undefined, { signal: stopped }), ...(early ? [early] : [])]);
  } finally {
    timer.abort();
  }
}
