/** The state of a Job's work, derived from the Job and its pods, without requests. */
import type {
  V1ContainerStateTerminated,
  V1ContainerStatus,
  V1Job,
  V1JobCondition,
  V1Pod,
  V1PodCondition,
} from '@kubernetes/client-node' with { 'resolution-mode': 'import' };
import { ToolError } from '../../../framework/tool/outcome';
import { engineError } from '../errors';
import { type KubernetesFields } from './fields';
import { CONTAINER } from './job';

type Condition = V1JobCondition | V1PodCondition;

export type PodState =
  /** Not running yet, with the reason. */
  | { readonly state: 'pending'; readonly why: string }
  | { readonly state: 'running'; readonly pod: string; readonly restarts: number }
  | {
      readonly state: 'ended';
      readonly pod: string;
      readonly restarts: number;
      readonly exitCode: number;
      readonly outOfMemory: boolean;
    };

/** @throws ToolError if it can no longer end by itself */
export function podState(job: V1Job, pods: readonly V1Pod[], fields: KubernetesFields): PodState {
  const pod = newest(pods);
  const finished = conditionOf(job.status?.conditions, 'Failed', 'Complete');
  if (finished?.reason === 'DeadlineExceeded') throw overtime(finished);
  if (!pod) {
    if (finished?.type === 'Failed') throw lost(`it failed without a pod${reasonOf(finished)}`);
    return { state: 'pending', why: 'no pod yet' };
  }
  const name = pod.metadata?.name ?? '';
  const status = pod.status?.containerStatuses?.find((one) => one.name === CONTAINER);
  const restarts = status?.restartCount ?? 0;
  const isLast = finished !== undefined || (fields.backoffLimit === 0 && fields.restartPolicy === 'Never');
  const terminated = status?.state?.terminated;
  if (terminated && (terminated.exitCode === 0 || isLast)) {
    if (terminated.exitCode !== 0) checkEnd(pod, terminated);
    const outOfMemory = terminated.reason === 'OOMKilled';
    return { state: 'ended', pod: name, restarts, exitCode: terminated.exitCode, outOfMemory };
  }
  if (isLast && (pod.status?.phase === 'Failed' || finished?.type === 'Failed'))
    throw evicted(pod) ?? lost(`its pod is gone${reasonOf(finished)}`);
  if (status?.state?.running) return { state: 'running', pod: name, restarts };
  return { state: 'pending', why: waitingFor(pod, status) };
}

function newest(pods: readonly V1Pod[]): V1Pod | undefined {
  const born = ({ metadata }: V1Pod): number => Date.parse(String(metadata?.creationTimestamp ?? 0)) || 0;
  return pods.reduce<V1Pod | undefined>(
    (latest, pod) => (latest && born(latest) > born(pod) ? latest : pod),
    undefined,
  );
}

function conditionOf(
  conditions: readonly Condition[] | undefined,
  ...types: readonly string[]
): Condition | undefined {
  return conditions?.find((one) => types.includes(one.type) && one.status === 'True');
}

/** Ends that are not caused by the program. */
function checkEnd(pod: V1Pod, { reason, message, exitCode }: V1ContainerStateTerminated): void {
  if (reason === 'StartError' || reason === 'ContainerCannotRun')
    throw unstarted('CONTAINER_START', 'the container cannot be started', message ?? reason);
  if (reason === 'ContainerStatusUnknown') throw lost(`its node does not answer (${message ?? reason})`);
  const eviction = reason === 'OOMKilled' ? undefined : evicted(pod);
  if (eviction) throw eviction;
  if (exitCode < 0) throw lost(`it ended with ${exitCode}`);
}

const EVICTIONS =
  /^(Evicted|Preempting|NodeLost|NodeShutdown|Shutdown|NodeAffinity|UnexpectedAdmissionError|Terminated)$/;

function evicted(pod: V1Pod): ToolError | undefined {
  const disrupted = conditionOf(pod.status?.conditions, 'DisruptionTarget');
  const { reason, message } = pod.status ?? {};
  if (!disrupted && !EVICTIONS.test(reason ?? '')) return undefined;
  const why = [reason ?? disrupted?.reason, message ?? disrupted?.message].filter(Boolean).join(': ');
  return new ToolError({
    kind: 'connection',
    code: 'EVICTED',
    message: `container: the cluster took the pod away (${why})`,
    retryable: true,
  });
}

/** Why a container is not running, if that may still change. @throws ToolError if it will not */
function waitingFor(pod: V1Pod, status: V1ContainerStatus | undefined): string {
  const { reason = '', message = '' } = status?.state?.waiting ?? {};
  const why = [reason, message].filter(Boolean).join(': ');
  switch (reason) {
    case 'InvalidImageName':
    case 'ErrImageNeverPull':
      throw engineError(new Error(`not found: ${why}`), 'pull', '');
    case 'ErrImagePull':
    case 'ImagePullBackOff':
    case 'RegistryUnavailable': {
      const failure = engineError(new Error(message || reason), 'pull', '');
      // The cluster keeps trying; its first error may be temporary.
      if (failure.outcome.error?.code === 'IMAGE_PULL' && reason === 'ErrImagePull') return why;
      throw failure;
    }
    case 'CreateContainerConfigError':
    case 'CreateContainerError':
      throw unstarted('CONTAINER_REFUSED', 'the container cannot be made', why);
    case 'RunContainerError':
      throw unstarted('CONTAINER_START', 'the container cannot be started', why);
  }
  if (why) return why;
  const unscheduled = pod.status?.conditions?.find(
    (one) => one.type === 'PodScheduled' && one.status === 'False',
  );
  return unscheduled
    ? `${unscheduled.reason ?? 'not scheduled'}${reasonOf(unscheduled)}`
    : 'the pod is pending';
}

/** The cluster's reason for creating no pod. @returns the error to end with, unless it may be temporary */
export function withoutPod(message: string): ToolError | undefined {
  const quota = /exceeded quota|insufficient quota/i.test(message);
  if (!quota && !/forbidden|not found|invalid|admission|PodSecurity/i.test(message)) return undefined;
  const text = `container: the cluster makes no pod for it: ${message}`;
  return quota
    ? new ToolError({ kind: 'rate_limit', code: 'QUOTA_EXCEEDED', message: text, retryable: true })
    : new ToolError({ kind: 'validation', code: 'CONTAINER_REFUSED', message: text });
}

function overtime(condition: Condition): ToolError {
  const message = `container: the cluster ended it at its active_deadline_seconds${reasonOf(condition)}`;
  return new ToolError({ kind: 'timeout', code: 'TIMEOUT', message, retryable: true });
}

function unstarted(code: string, what: string, why: string): ToolError {
  return new ToolError({ kind: 'validation', code, message: `container: ${what}: ${why}` });
}

function lost(why: string): ToolError {
  const message = `container: the container was lost: ${why}`;
  return new ToolError({ kind: 'connection', code: 'CONTAINER_LOST', message, retryable: true });
}

function reasonOf(condition: Condition | undefined): string {
  const text = condition?.message ?? condition?.reason;
  return text ? ` (${text})` : '';
}
