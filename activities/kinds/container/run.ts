/**
 * Tool kind `container`: runs a program in a container to its end. A timeout or a cancellation removes the
 * container; if the worker is lost, the next attempt continues with it (container/identity.ts).
 */
import { compact, type Json, type JsonObject, type Outcome, type TaskCall } from '../../../src/language/plan';
import { confined } from './confine';
import { dockerEngine } from './engine';
import { runInDocker } from './docker';
import { containerIdentity } from './identity';
import { clusterOf } from './kubernetes/cluster';
import { KUBERNETES_FIELDS, kubernetesFields } from './kubernetes/fields';
import { runInKubernetes } from './kubernetes/run';
import { type ContainerRequest, containerRequestOf, withStored } from './request';
import { type ContainerEnd } from './runtime';
import { withPlainRuntime } from './spelling';
import { resolveAuth } from '../../framework/credentials';
import { type Deadline, withDeadline } from '../../framework/tool/deadline';
import { field, textField } from '../../framework/tool/fields';
import { jsonOrNull } from '../../../src/language/plan/json-text';
import { failedTask, invalidInput, type OutcomeParts, succeeded } from '../../framework/tool/outcome';
import { levelOf, metaOf } from '../../framework/sandbox';
import { lastTextLine } from '../../framework/tool/bounded';
import { withFiles } from '../../framework/results/files';
import { type Tool, type ToolContext } from '../../framework/tool/tool';

export const container: Tool = {
  kind: 'container',
  run: (call, context) =>
    withDeadline(call, context.signal, (deadline) => {
      const plain = withPlainRuntime(call);
      return runContainer(plain, containerRequestOf(plain), deadline, context);
    }),
};

type Runtime = (
  call: TaskCall,
  request: ContainerRequest,
  deadline: Deadline,
  context: ToolContext,
) => Promise<ContainerEnd>;

const RUNTIMES: Readonly<Record<string, Runtime>> = {
  docker: async (call, request, deadline, context) => {
    const foreign = KUBERNETES_FIELDS.find((name) => field(call.config, name) !== undefined);
    if (foreign !== undefined) {
      const hint = 'say runtime: kubernetes, or set NOETL_CONTAINER_RUNTIME=kubernetes for the worker';
      throw invalidInput(`${call.kind}: ${foreign} is of Kubernetes, and runtime is docker; ${hint}`);
    }
    const registry = await resolveAuth(call, context.credentials);
    const engine = await dockerEngine();
    return withFiles(call, context, deadline, (files) =>
      runInDocker(withStored(request, files), containerIdentity(call), deadline, context, engine, registry),
    );
  },
  kubernetes: async (call, request, deadline, context) => {
    const fields = kubernetesFields(call);
    const cluster = await clusterOf(await resolveAuth(call, context.credentials));
    return runInKubernetes(request, fields, containerIdentity(call), deadline, context, cluster);
  },
};

/**
 * Runs a container to its end; also for scripts. @param call with a plain runtime (container/spelling.ts) @throws
 * ToolError
 */
export async function runContainer(
  call: TaskCall,
  request: ContainerRequest,
  deadline: Deadline,
  context: ToolContext,
): Promise<Outcome> {
  const name = textField(call, 'runtime') ?? 'docker';
  const runtime = Object.hasOwn(RUNTIMES, name) ? RUNTIMES[name] : undefined;
  if (!runtime)
    throw invalidInput(`${call.kind}: runtime '${name}' is not one of ${Object.keys(RUNTIMES).join(', ')}`);
  const started = performance.now();
  const level = levelOf(call);
  const inside = confined(call, request, level);
  const end = await runtime(call, inside, deadline, context);
  const ms = Math.round(performance.now() - started);
  const outcome = outcomeOf(inside, { ...end, data: jsonOrNull(end.stdout, context.digitsLost) }, ms);
  return level === 'none' ? outcome : { ...outcome, meta: { ...outcome.meta, ...metaOf(level) } };
}

function outcomeOf(
  request: ContainerRequest,
  end: ContainerEnd & { readonly data: Json },
  duration_ms: number,
): Outcome {
  const { exitCode, stdout, stderr, data, id, adopted } = end;
  const codes = { returncode: exitCode, exit_code: exitCode };
  const result: JsonObject = {
    stdout,
    stderr,
    ...codes,
    duration_ms,
    data,
    container: id,
  };
  const parts: OutcomeParts = {
    result,
    meta: {
      image: request.image,
      ...(adopted && { adopted }),
      ...compact({ log_lost: end.logLost }),
      ...(request.omitted.length > 0 && { inputs_omitted: [...request.omitted] }),
    },
  };
  if (exitCode === 0) return succeeded(result, parts);
  if (end.outOfMemory) {
    const { memoryMb } = request.limits;
    const limit = memoryMb === undefined ? '' : ` (limits.memory_mb: ${memoryMb})`;
    const message = `the container of ${request.image} was ended because it ran out of memory${limit}`;
    return failedTask({ kind: 'exception', code: 'OUT_OF_MEMORY', message, retryable: false }, parts);
  }
  const why = lastTextLine(stderr) || lastTextLine(stdout) || killedBy(exitCode, request);
  const message = `the container of ${request.image} ended with exit code ${exitCode}${why && `: ${why}`}`;
  return failedTask({ kind: 'exception', code: `EXIT_${exitCode}`, message, retryable: false }, parts);
}

/** Podman does not report that the memory limit killed a container. */
function killedBy(exitCode: number, { limits }: ContainerRequest): string {
  if (exitCode !== 137) return '';
  const { memoryMb } = limits;
  return memoryMb === undefined ? 'killed' : `killed, maybe out of memory (limits.memory_mb: ${memoryMb})`;
}
