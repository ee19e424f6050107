/** A container as a Job for the cluster. */
import path from 'node:path';
import { compact, type JsonObject } from '../../../../src/language/plan';
import { invalidInput } from '../../../framework/tool/outcome';
import { type ContainerIdentity } from '../identity';
import { type ContainerRequest, type Mount } from '../request';
import { type KubernetesFields } from './fields';

/** The pod's container that does the work; a cluster may add others. */
export const CONTAINER = 'main';
/** Seconds between SIGTERM and SIGKILL. */
const GRACE_S = 5;
const FILES_VOLUME = 'noetl-files';

/** @param deadline limit in seconds enforced by the cluster @throws ToolError for what a pod cannot do */
export function jobOf(
  request: ContainerRequest,
  fields: KubernetesFields,
  identity: ContainerIdentity,
  deadline: number,
): JsonObject {
  const labels = { ...identity.labels, 'app.kubernetes.io/managed-by': 'noetl-temporal' };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: identity.name, labels },
    spec: {
      backoffLimit: fields.backoffLimit,
      activeDeadlineSeconds: fields.activeDeadline ?? Math.ceil(deadline),
      ttlSecondsAfterFinished: fields.ttl,
      template: { metadata: { labels }, spec: podOf(request, fields, identity) },
    },
  };
}

function podOf(request: ContainerRequest, fields: KubernetesFields, identity: ContainerIdentity): JsonObject {
  const volumes = volumesOf(request, fields, identity);
  return {
    restartPolicy: fields.restartPolicy,
    terminationGracePeriodSeconds: GRACE_S,
    // No permissions unless a service account is named.
    ...(fields.serviceAccount === undefined
      ? { automountServiceAccountToken: false }
      : { serviceAccountName: fields.serviceAccount }),
    ...(fields.nodeSelector && { nodeSelector: fields.nodeSelector }),
    ...(fields.tolerations.length > 0 && { tolerations: [...fields.tolerations] }),
    ...(fields.imagePullSecrets.length > 0 && {
      imagePullSecrets: fields.imagePullSecrets.map((name) => ({ name })),
    }),
    ...(networkOf(request) === 'host' && { hostNetwork: true }),
    containers: [containerOf(request, fields, volumes)],
    ...(volumes.length > 0 && { volumes: volumes.map(({ volume }) => volume) }),
  };
}

function containerOf(
  request: ContainerRequest,
  fields: KubernetesFields,
  volumes: readonly MountedVolume[],
): JsonObject {
  const { image, command, args, env, workdir } = request;
  const resources = resourcesOf(request, fields);
  return {
    name: CONTAINER,
    image,
    imagePullPolicy: { missing: 'IfNotPresent', always: 'Always', never: 'Never' }[request.pull],
    ...(command && { command: command.map(literal) }),
    ...(args && { args: args.map(literal) }),
    env: Object.entries(env).map(([name, value]) => ({ name, value: literal(value) })),
    ...compact({ workingDir: workdir }),
    ...userOf(request),
    ...(Object.keys(resources).length > 0 && { resources }),
    ...(volumes.length > 0 && { volumeMounts: volumes.map(({ mount }) => mount) }),
  };
}

/** Kubernetes expands `$(NAME)` and `$$`; doubling keeps every `$` literal. */
function literal(text: string): string {
  return text.replaceAll('$', '$$$$');
}

function resourcesOf({ limits }: ContainerRequest, { resources }: KubernetesFields): JsonObject {
  if (limits.pids !== undefined)
    throw invalidInput(
      'container: limits.pids is not of runtime kubernetes: its nodes say how many processes a pod has',
    );
  const all: JsonObject = {
    ...(limits.cpus !== undefined && { cpu: `${Math.ceil(limits.cpus * 1000)}m` }),
    ...(limits.memoryMb !== undefined && { memory: String(Math.round(limits.memoryMb * 1024 * 1024)) }),
    ...resources.limits,
  };
  return {
    ...(resources.requests && { requests: resources.requests }),
    ...(Object.keys(all).length > 0 && { limits: all }),
  };
}

function userOf({ user }: ContainerRequest): JsonObject {
  if (user === undefined) return {};
  const [, uid, gid] = /^(\d+)(?::(\d+))?$/.exec(user) ?? [];
  if (uid === undefined)
    throw invalidInput(
      `container: user is \`uid\` or \`uid:gid\` in numbers for runtime kubernetes, not '${user}'`,
    );
  return {
    securityContext: { runAsUser: Number(uid), ...(gid !== undefined && { runAsGroup: Number(gid) }) },
  };
}

function networkOf({ network }: ContainerRequest): 'host' | undefined {
  if (network === undefined || network === 'host') return network;
  throw invalidInput(
    `container: network '${network}' is not of runtime kubernetes: a NetworkPolicy determines what a pod may reach`,
  );
}

interface MountedVolume {
  readonly volume: JsonObject;
  readonly mount: JsonObject;
}

function volumesOf(
  request: ContainerRequest,
  fields: KubernetesFields,
  identity: ContainerIdentity,
): readonly MountedVolume[] {
  const [file] = request.files;
  return [
    ...request.mounts.map(mounted),
    ...fields.volumes.map(({ volume, mountPath, subPath, readOnly }) => ({
      volume,
      mount: {
        name: volume['name']!,
        mountPath,
        ...compact({ subPath }),
        ...(readOnly && { readOnly }),
      },
    })),
    ...(file
      ? [
          {
            volume: { name: FILES_VOLUME, configMap: { name: identity.name, defaultMode: 0o755 } },
            mount: { name: FILES_VOLUME, mountPath: path.posix.dirname(file.path), readOnly: true },
          },
        ]
      : []),
  ];
}

function mounted({ type, source, target, readOnly }: Mount, index: number): MountedVolume {
  const name = `mount-${index}`;
  const of: JsonObject =
    type === 'bind'
      ? { hostPath: { path: source! } }
      : type === 'volume'
        ? { persistentVolumeClaim: { claimName: source!, ...(readOnly && { readOnly }) } }
        : { emptyDir: { medium: 'Memory' } };
  return { volume: { name, ...of }, mount: { name, mountPath: target, ...(readOnly && { readOnly }) } };
}

/** The files of the container, as a ConfigMap that is deleted with its Job. @param uid of the Job */
export function filesOf(
  request: ContainerRequest,
  identity: ContainerIdentity,
  uid: string,
): JsonObject | undefined {
  if (request.files.length === 0) return undefined;
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: identity.name,
      labels: { ...identity.labels },
      ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: identity.name, uid }],
    },
    immutable: true,
    data: Object.fromEntries(request.files.map(({ path: file, text }) => [path.posix.basename(file), text])),
  };
}
