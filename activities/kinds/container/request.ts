/** The fields of a container as a request for any runtime (docs/tools/container.md). */
import { compact, isMapping, type JsonObject, type TaskCall } from '../../../src/language/plan';
import { field, mappingField, textField, jsonTypeName } from '../../framework/tool/fields';
import { invalidInput } from '../../framework/tool/outcome';
import { nulFree, taskEnvironment } from '../../framework/process/environment';

export interface ContainerRequest {
  readonly image: string;
  /** Instead of the image's entrypoint. */
  readonly command?: readonly string[];
  /** Instead of the image's arguments. */
  readonly args?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly mounts: readonly Mount[];
  readonly limits: ContainerLimits;
  readonly workdir?: string;
  readonly user?: string;
  readonly network?: string;
  readonly pull: 'missing' | 'always' | 'never';
  /** In a sandbox: without privileges. */
  readonly isConfined?: true;
  /** Files created in the container before its program starts. */
  readonly files: readonly ContainerFile[];
  /** Additionally, those of the field `files`. */
  readonly stored: readonly StoredFile[];
  /** Inputs too large for environment variables. */
  readonly omitted: readonly string[];
}

export interface Mount {
  /** A path of the host, the name of a volume, or a temporary file system in memory. */
  readonly type: 'bind' | 'volume' | 'tmpfs';
  readonly source?: string;
  readonly target: string;
  readonly readOnly: boolean;
}

export interface ContainerLimits {
  /** CPUs, e.g. 0.5. */
  readonly cpus?: number;
  readonly memoryMb?: number;
  readonly pids?: number;
}

export interface ContainerFile {
  /** Absolute. */
  readonly path: string;
  readonly text: string;
}

/** A file of the worker, to be copied. */
export interface StoredFile {
  /** Absolute. */
  readonly path: string;
  /** Its path on the worker's machine. */
  readonly source: string;
}

export type FileInside = ContainerFile | StoredFile;

/** @throws ToolError kind `validation`, naming the field and the problem */
export function containerRequestOf(call: TaskCall): ContainerRequest {
  const image = textField(call, 'image');
  if (!image) throw invalidInput(`${call.kind}: a container needs an image`);
  const { env, omitted } = taskEnvironment(call);
  return {
    image,
    env,
    omitted,
    mounts: mountsOf(call),
    limits: limitsOf(call),
    ...compact({
      command: programOf(call, 'command'),
      args: programOf(call, 'args'),
      workdir: textField(call, 'workdir', 'cwd'),
      user: textField(call, 'user'),
      network: textField(call, 'network'),
    }),
    pull: pullOf(call),
    files: [],
    stored: [],
  };
}

/** Location of the files of the field `files` in their container; available as NOETL_FILES. */
const STORED = '/noetl/files';

/** @param files paths on the worker's machine, by name */
export function withStored(
  request: ContainerRequest,
  files: Readonly<Record<string, string>>,
): ContainerRequest {
  const stored = Object.entries(files).map(([name, source]) => ({ path: `${STORED}/${name}`, source }));
  return stored.length === 0 ? request : { ...request, stored, env: { NOETL_FILES: STORED, ...request.env } };
}

/** A list is a program and its arguments; a string is for the image's shell. */
function programOf(call: TaskCall, name: 'command' | 'args'): string[] | undefined {
  const value = field(call.config, name);
  if (value === undefined) return undefined;
  if (Array.isArray(value)) return value.map(nulFree);
  if (typeof value === 'string' && name === 'command') return ['/bin/sh', '-c', value];
  const expected = name === 'command' ? 'a text or a list' : 'a list';
  throw invalidInput(`${call.kind}: ${name} must be ${expected}, not ${jsonTypeName(value)}`);
}

const PULLS = ['missing', 'always', 'never'] as const;

function pullOf(call: TaskCall): ContainerRequest['pull'] {
  const given = textField(call, 'pull') ?? 'missing';
  const match = PULLS.find((one) => one === given);
  if (match) return match;
  throw invalidInput(`${call.kind}: pull is one of ${PULLS.join(', ')}, not '${given}'`);
}

function limitsOf(call: TaskCall): ContainerLimits {
  const limits = mappingField(call, 'limits') ?? {};
  const read = (name: string): number | undefined => {
    const value = limits[name];
    if (value === undefined || value === null) return undefined;
    const number = Number(value);
    if (number > 0 && Number.isFinite(number)) return number;
    throw invalidInput(`${call.kind}: limits.${name} must be a number above 0, not ${JSON.stringify(value)}`);
  };
  const unknown = Object.keys(limits).find((name) => !['cpus', 'memory_mb', 'pids'].includes(name));
  if (unknown !== undefined)
    throw invalidInput(`${call.kind}: limits are cpus, memory_mb and pids; there is no '${unknown}'`);
  return compact({ cpus: read('cpus'), memoryMb: read('memory_mb'), pids: read('pids') });
}

function mountsOf(call: TaskCall): Mount[] {
  const value = field(call.config, 'mounts');
  if (value === undefined) return [];
  if (!Array.isArray(value))
    throw invalidInput(`${call.kind}: mounts must be a list, not ${jsonTypeName(value)}`);
  return value.map((one, index) => {
    const mount =
      typeof one === 'string' ? fromText(one) : isMapping(one) ? fromMapping(one as JsonObject) : undefined;
    if (mount) return mount;
    const shapes = '"/source:/target[:ro]", or {type: bind|volume|tmpfs, source, target, read_only}';
    throw invalidInput(`${call.kind}: mounts[${index}] is not a mount: write ${shapes}`);
  });
}

function fromText(text: string): Mount | undefined {
  const [source, target, mode, more] = text.split(':');
  if (!source || !target?.startsWith('/') || more !== undefined || !['ro', 'rw', undefined].includes(mode))
    return undefined;
  return { type: source.startsWith('/') ? 'bind' : 'volume', source, target, readOnly: mode === 'ro' };
}

function fromMapping(mount: JsonObject): Mount | undefined {
  const { source = null, target, read_only: readOnly = false } = mount;
  const type =
    mount['type'] ?? (source === null ? 'tmpfs' : String(source).startsWith('/') ? 'bind' : 'volume');
  if (type !== 'bind' && type !== 'volume' && type !== 'tmpfs') return undefined;
  if (typeof target !== 'string' || !target.startsWith('/')) return undefined;
  if (type === 'tmpfs') return { type, target, readOnly: readOnly === true };
  return typeof source === 'string' ? { type, source, target, readOnly: readOnly === true } : undefined;
}
