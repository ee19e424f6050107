/** The fields of a container for Kubernetes only (docs/tools/container.md). */
import { KUBERNETES } from '../../../../src/language/kinds/kubernetes';
import { compact, isMapping, type Json, type JsonObject, type TaskCall } from '../../../../src/language/plan';
import {
  booleanField,
  field,
  mappingField,
  numberField,
  secondsField,
  textField,
  jsonTypeName,
} from '../../../framework/tool/fields';
import { invalidInput } from '../../../framework/tool/outcome';

export interface KubernetesFields {
  readonly namespace?: string;
  readonly serviceAccount?: string;
  readonly restartPolicy: 'Never' | 'OnFailure';
  /** How often the cluster restarts it by itself. */
  readonly backoffLimit: number;
  /** Limit of its duration in seconds, enforced by the cluster even if no worker returns to it. */
  readonly activeDeadline?: number;
  /** Seconds that an ended Job is kept if no worker removes it. */
  readonly ttl: number;
  /** Whether a Job that ended by itself is removed. */
  readonly cleanup: boolean;
  readonly resources: { readonly requests?: JsonObject; readonly limits?: JsonObject };
  readonly nodeSelector?: JsonObject;
  readonly tolerations: readonly Json[];
  readonly volumes: readonly KubernetesVolume[];
  readonly imagePullSecrets: readonly string[];
}

export interface KubernetesVolume {
  /** A volume of a pod, in Kubernetes' format. */
  readonly volume: JsonObject;
  readonly mountPath: string;
  readonly subPath?: string;
  readonly readOnly: boolean;
}

/** A day: the next attempt after a lost worker comes long before. */
const TTL_S = 86_400;

/** Fields that no other runtime supports. */
export const KUBERNETES_FIELDS = Object.keys(KUBERNETES);

/** @throws ToolError kind `validation`, naming the field and the problem */
export function kubernetesFields(call: TaskCall): KubernetesFields {
  if (field(call.config, 'files') !== undefined)
    throw invalidInput(
      `${call.kind}: files are copied into containers of Docker only; give a Job a volume (\`volumes\`), or let its program fetch them`,
    );
  const resources = mappingField(call, 'resources') ?? {};
  const nodeSelector = mappingField(call, 'node_selector');
  const isLimited = field(call.config, 'active_deadline_seconds') !== undefined;
  return {
    ...compact({
      namespace: textField(call, 'namespace'),
      serviceAccount: textField(call, 'service_account'),
      activeDeadline: isLimited ? Math.ceil(secondsField(call, ['active_deadline_seconds'], 0)) : undefined,
      nodeSelector: nodeSelector && texts(nodeSelector),
    }),
    restartPolicy: restartPolicyOf(call),
    backoffLimit: Math.floor(numberField(call, ['backoff_limit'], 0)),
    ttl: Math.ceil(secondsField(call, ['ttl_seconds'], TTL_S)),
    cleanup: booleanField(call, ['cleanup'], true),
    resources: { ...amounts(call, resources, 'requests'), ...amounts(call, resources, 'limits') },
    tolerations: listField(call, 'tolerations', 'a mapping', isMapping),
    volumes: listField(call, 'volumes', 'a mapping', isMapping).map((one, index) =>
      volumeOf(call, one as JsonObject, index),
    ),
    imagePullSecrets: listField(
      call,
      'image_pull_secrets',
      'the name of a secret',
      (one) => typeof one === 'string',
    ).map(String),
  };
}

function restartPolicyOf(call: TaskCall): 'Never' | 'OnFailure' {
  const given = textField(call, 'restart_policy') ?? 'Never';
  const policy = (['Never', 'OnFailure'] as const).find((one) => one.toLowerCase() === given.toLowerCase());
  if (policy) return policy;
  throw invalidInput(`${call.kind}: restart_policy is Never or OnFailure, not '${given}'`);
}

/** Kubernetes' quantities are strings; YAML may have parsed `cpu: 2` as a number. */
function amounts(call: TaskCall, resources: JsonObject, part: 'requests' | 'limits'): JsonObject {
  const given = resources[part];
  if (given === undefined || given === null) return {};
  if (!isMapping(given))
    throw invalidInput(`${call.kind}: resources.${part} must be a mapping, not ${jsonTypeName(given)}`);
  return { [part]: texts(given as JsonObject) };
}

function texts(mapping: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(mapping).map(([name, value]) => [name, String(value)]));
}

function listField(
  call: TaskCall,
  name: string,
  what: string,
  isOne: (value: Json) => boolean,
): readonly Json[] {
  const value = field(call.config, name);
  if (value === undefined) return [];
  if (!Array.isArray(value))
    throw invalidInput(`${call.kind}: ${name} must be a list, not ${jsonTypeName(value)}`);
  const wrong = value.findIndex((one) => !isOne(one));
  if (wrong < 0) return value;
  throw invalidInput(`${call.kind}: ${name}[${wrong}] must be ${what}, not ${jsonTypeName(value[wrong])}`);
}

function volumeOf(call: TaskCall, given: JsonObject, index: number): KubernetesVolume {
  const { mount_path, sub_path, read_only, name, ...source } = given;
  if (typeof mount_path !== 'string' || !mount_path.startsWith('/') || Object.keys(source).length !== 1) {
    const shape = '{mount_path: /etc/app, configMap: {name: app}, read_only?, sub_path?}';
    throw invalidInput(
      `${call.kind}: volumes[${index}] needs a mount_path and one source of Kubernetes: write ${shape}`,
    );
  }
  return {
    volume: { name: typeof name === 'string' ? name : `volume-${index}`, ...source },
    mountPath: mount_path,
    ...(typeof sub_path === 'string' && { subPath: sub_path }),
    readOnly: read_only === true,
  };
}
