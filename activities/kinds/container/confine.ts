/** What is left of a container's fields where its task must run in a sandbox (docs/isolation.md#containers). */
import { type TaskCall } from '../../../src/language/plan';
import { type Level, limitsOf } from '../../framework/sandbox';
import { invalidInput, ToolError } from '../../framework/tool/outcome';
import { type ContainerRequest } from './request';

/**
 * Both levels have no network, no privileges, and nothing of the engine's machine; limits as in other sandboxes.
 *
 * @param call with a plain runtime
 * @throws ToolError `SANDBOX_CONTAINER` for a field that leads out of it, `SANDBOX_UNAVAILABLE` for a runtime that this
 *   worker cannot confine
 */
export function confined(call: TaskCall, request: ContainerRequest, level: Level): ContainerRequest {
  if (level === 'none') return request;
  const { memoryMb, processes } = limitsOf();
  const { mounts, network, limits } = request;
  if (call.config['runtime'] !== 'docker')
    throw new ToolError({
      kind: 'validation',
      code: 'SANDBOX_UNAVAILABLE',
      message: `${call.kind}: this worker cannot enforce spec.sandbox: ${level} in Kubernetes, where nodes and policies decide; the container was not run (docs/isolation.md#containers)`,
    });
  const refused = (field: string): ToolError =>
    invalidInput(
      `${call.kind}: ${field} leads out of the sandbox ${level}: a container there has temporary file systems and the task's files, but no folder or volume of the engine, and no network (docs/isolation.md#containers)`,
      'SANDBOX_CONTAINER',
    );
  const mount = mounts.find(({ type }) => type !== 'tmpfs');
  if (mount) throw refused(`the mount ${mount.source ?? ''}:${mount.target}`);
  if (network !== undefined && network !== 'none') throw refused(`network ${network}`);
  if ((limits.memoryMb ?? 0) > memoryMb || (limits.pids ?? 0) > processes)
    throw refused(`a limit above ${memoryMb} MB of memory or ${processes} processes`);
  return {
    ...request,
    network: 'none',
    limits: { memoryMb, pids: processes, ...limits },
    isConfined: true,
  };
}
