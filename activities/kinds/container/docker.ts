/** Containers of a Docker Engine (or a compatible one: Podman), through dockerode. */
import { type Readable } from 'node:stream';
import type Docker from 'dockerode';
import { type Credential } from '../../framework/credentials';
import { type Deadline } from '../../framework/tool/deadline';
import { type ToolError } from '../../framework/tool/outcome';
import { silence } from '../../framework/tool/silence';
import { engineError } from './errors';
import { type ContainerIdentity, LABEL_TASK_RUN, LABEL_WORK } from './identity';
import { type Listeners, ContainerLogs } from './logs';
import { engineAddress } from './engine';
import { type ContainerRequest, type FileInside, type Mount } from './request';
import { type ContainerEnd } from './runtime';
import { archiveOf } from './tar';
import { compact } from '../../../src/language/plan';

/** Output may still arrive after the engine has reported the container's end. */
const DRAIN_MS = 2000;
/** Limit for removing a container after the task. */
const REMOVE_MS = 10_000;

/** @param engine dockerode, connected by DOCKER_HOST except in tests */
export async function runInDocker(
  request: ContainerRequest,
  identity: ContainerIdentity,
  deadline: Deadline,
  context: Listeners,
  engine: Docker,
  registry?: Credential,
): Promise<ContainerEnd> {
  const address = await engineAddress(engine);
  return new DockerRun(request, identity, deadline, engine, address, registry).toEnd(context);
}

class DockerRun {
  constructor(
    private readonly request: ContainerRequest,
    private readonly identity: ContainerIdentity,
    private readonly deadline: Deadline,
    private readonly engine: Docker,
    /** Of the engine, for messages. */
    private readonly address: string,
    private readonly registry: Credential | undefined,
  ) {}

  async toEnd(context: Listeners): Promise<ContainerEnd> {
    const { container, adopted } = await this.obtain();
    try {
      if (!adopted) await this.start(container);
      const logs = new ContainerLogs(container.id.slice(0, 12), context);
      const exitCode = await this.follow(container, logs);
      const state = await this.at(
        'run',
        container.inspect().then((info) => info.State),
      );
      return {
        exitCode,
        outOfMemory: state.OOMKilled === true,
        stdout: logs.stdout.toString(),
        stderr: logs.stderr.toString(),
        id: container.id.slice(0, 12),
        adopted,
      };
    } finally {
      await this.remove(container);
    }
  }

  /** The container of this task run: one left by a lost worker, or a new one. */
  private async obtain(): Promise<{ container: Docker.Container; adopted: boolean }> {
    const { name, labels } = this.identity;
    const filters = { label: [`${LABEL_WORK}=${labels[LABEL_WORK]!}`] };
    const left = await this.at('create', this.engine.listContainers({ all: true, filters, ...this.abort }));
    let adopted: Docker.Container | undefined;
    for (const one of left) {
      const container = this.engine.getContainer(one.Id);
      const isOurs = one.Labels[LABEL_TASK_RUN] === labels[LABEL_TASK_RUN];
      // Created but not started: its worker died in between.
      if (isOurs && one.State !== 'created' && one.State !== 'initialized') adopted = container;
      else await this.remove(container);
    }
    return adopted
      ? { container: adopted, adopted: true }
      : { container: await this.create(name), adopted: false };
  }

  private async create(name: string): Promise<Docker.Container> {
    const { image, pull } = this.request;
    if (pull === 'always') await this.pull();
    const options = { name, ...optionsOf(this.request, this.identity), ...this.abort };
    try {
      return await this.engine.createContainer(options);
    } catch (error) {
      if (
        (error as { statusCode?: number }).statusCode !== 404 ||
        pull !== 'missing' ||
        !/image/i.test(String(error))
      )
        throw this.error('create', error);
    }
    await this.pull();
    return this.at('create', this.engine.createContainer({ ...options, Image: image }));
  }

  private async pull(): Promise<void> {
    const { username, password, serveraddress } = (this.registry?.data ?? {}) as Record<string, string>;
    const authconfig = {
      username: username ?? '',
      password: password ?? '',
      serveraddress: serveraddress ?? '',
    };
    const options = { ...(this.registry && { authconfig }), ...this.abort };
    const stream = await this.at('pull', this.engine.pull(this.request.image, options));
    const done = new Promise<void>((resolve, reject) =>
      this.engine.modem.followProgress(stream, (error, steps: { error?: string }[]) => {
        const failed = error ?? steps?.map((step) => step?.error).find(Boolean);
        if (failed) reject(failed instanceof Error ? failed : new Error(String(failed)));
        else resolve();
      }),
    );
    const stop = (): void => void (stream as Readable).destroy(new Error('stopped'));
    this.deadline.signal.addEventListener('abort', stop, { once: true });
    try {
      await this.at('pull', done);
    } finally {
      this.deadline.signal.removeEventListener('abort', stop);
    }
  }

  private async start(container: Docker.Container): Promise<void> {
    const files = [...this.request.files, ...this.request.stored];
    if (files.length > 0) await this.at('create', this.copyInto(container, files));
    await this.at('start', container.start(this.abort));
  }

  private async copyInto(container: Docker.Container, files: readonly FileInside[]): Promise<void> {
    const archive = await archiveOf(files);
    const failure = new AbortController();
    archive.once('error', (error) => failure.abort(error));
    const abortSignal = AbortSignal.any([this.deadline.signal, failure.signal]);
    try {
      await container.putArchive(archive, { path: '/', abortSignal });
    } finally {
      archive.destroy();
    }
  }

  /** Its output from the first byte on, until it ends. */
  private async follow(container: Docker.Container, logs: ContainerLogs): Promise<number> {
    const options = { follow: true, stdout: true, stderr: true, ...this.abort } as const;
    const stream = await this.at('run', container.logs(options));
    const drained = new Promise<void>((resolve) => {
      for (const event of ['end', 'close', 'error']) stream.once(event, () => resolve());
    });
    const over = new AbortController();
    this.engine.modem.demuxStream(stream, logs.into('stdout'), logs.into('stderr'));
    try {
      const { StatusCode } = (await this.at('run', container.wait(this.abort))) as { StatusCode: number };
      await Promise.race([drained, silence([stream as Readable], DRAIN_MS, over.signal)]);
      return StatusCode;
    } finally {
      over.abort();
      (stream as Readable).destroy();
    }
  }

  /** Also stops it. If removal fails, the next attempt of the same work removes it. */
  private async remove(container: Docker.Container): Promise<void> {
    const abortSignal = AbortSignal.timeout(REMOVE_MS);
    await container
      .remove({ force: true, v: true, abortSignal } as Docker.ContainerRemoveOptions)
      .catch(() => undefined);
  }

  private get abort(): { abortSignal: AbortSignal } {
    return { abortSignal: this.deadline.signal };
  }

  private async at<T>(stage: Parameters<typeof engineError>[1], work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      throw this.error(stage, error);
    }
  }

  private error(stage: Parameters<typeof engineError>[1], error: unknown): ToolError {
    return this.deadline.reason() ?? engineError(error, stage, this.address);
  }
}

/** No capability, whatever user the author or the image names, and none to be gained. */
const CONFINED: Docker.HostConfig = {
  CapDrop: ['ALL'],
  SecurityOpt: ['no-new-privileges'],
};

function optionsOf(request: ContainerRequest, { labels }: ContainerIdentity): Docker.ContainerCreateOptions {
  const { image, command, args, env, mounts, limits, workdir, user, network, isConfined } = request;
  return {
    Image: image,
    ...(command && { Entrypoint: [...command] }),
    ...(args ? { Cmd: [...args] } : command ? { Cmd: [] } : {}),
    Env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
    Labels: { ...labels },
    ...compact({ WorkingDir: workdir, User: user }),
    HostConfig: {
      Mounts: mounts.map(mountOf),
      ...(limits.cpus !== undefined && { NanoCpus: Math.round(limits.cpus * 1e9) }),
      ...(limits.memoryMb !== undefined && { Memory: Math.round(limits.memoryMb * 1024 * 1024) }),
      ...compact({ PidsLimit: limits.pids, NetworkMode: network }),
      ...(isConfined && CONFINED),
    },
  };
}

function mountOf({ type, source, target, readOnly }: Mount): Docker.MountSettings {
  return { Type: type, Source: source ?? '', Target: target, ReadOnly: readOnly };
}
