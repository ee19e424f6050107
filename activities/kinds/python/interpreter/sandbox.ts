/** The command that starts a warm interpreter within a sandbox, and what it finds there. */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import {
  bubblewrap,
  callFilter,
  HOME_INSIDE,
  type Isolation,
  limitsOf,
  type Mounted,
  type Network,
} from '../../../framework/sandbox';
import { tasksFolder } from '../../../framework/results/files';
import { pythonEnvironment } from './find';

/** Where the interpreter, but no task, sees the files of all tasks (noetl_sandbox.py). */
const ALL_FILES = '/run/tasks';
const START_LIMIT_MS = 30_000;

/** An interpreter of this machine: its program, and the folders that it needs. */
export interface Installation {
  readonly program: string;
  readonly folders: readonly string[];
  /** Where packages of the user are. */
  readonly userBase: string;
}

/** Without `site`, which would run code of installed packages (.pth files), here outside of the sandbox. */
const ASK = `import json, os, site, sys
venv = os.path.dirname(os.path.dirname(sys.executable))
prefixes = {sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix}
if os.path.exists(os.path.join(venv, 'pyvenv.cfg')):
    prefixes.add(venv)
print(json.dumps({'program': sys.executable, 'folders': sorted(prefixes), 'userBase': site.getuserbase(), 'userSite': site.getusersitepackages()}))`;

/** Asks a Python for its folders. @throws Error; `code` ENOENT if there is no such program */
export function installationOf(command: string, env: NodeJS.ProcessEnv): Promise<Installation> {
  return new Promise((resolve, reject) => {
    const options = { env: pythonEnvironment(env), timeout: START_LIMIT_MS };
    execFile(command, ['-I', '-S', '-c', ASK], options, (error, stdout, stderr) => {
      if (error) {
        const output = stderr.trim();
        const how = error.code === 'ENOENT' ? error.message : `it ended with exit code ${error.code ?? '?'}`;
        const failure = new Error(`${how}${output && `: ${output}`}`);
        return reject(Object.assign(failure, { code: error.code }));
      }
      const { userSite, ...installation } = JSON.parse(stdout) as Installation & { userSite: string };
      const own = installation.folders.filter(
        (folder) => folder !== '/' && !/^\/usr(\/local)?$/.test(folder),
      );
      resolve({ ...installation, folders: [...own, userSite].filter((folder) => fs.existsSync(folder)) });
    });
  });
}

/** What the worker's operator adds to the modules that code may import. */
function pythonPath(env: NodeJS.ProcessEnv): string[] {
  return (env['PYTHONPATH'] ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
}

/** The program to run, and the folder of an environment with requirements; else the installation's own is used. */
export interface StartedInterpreter {
  /** warm.py */
  readonly script: string;
  readonly venv: string | undefined;
}

/** What the sandbox of an interpreter must be. */
export interface Sandbox {
  readonly level: Isolation;
  readonly network: Network | undefined;
}

/** The command line and environment of a warm interpreter in a sandbox. */
export function sandboxedInterpreter(
  { level, network }: Sandbox,
  { program, folders, userBase }: Installation,
  { script, venv }: StartedInterpreter,
  env: NodeJS.ProcessEnv,
): { command: string[]; env: NodeJS.ProcessEnv } {
  const { memoryMb, processes, tmpMb } = limitsOf(env);
  const shown = [...folders, ...pythonPath(env), path.dirname(script), ...(venv ? [venv] : [])];
  const mounts: Mounted[] = [...shown.map((from) => ({ from })), { from: tasksFolder(), to: ALL_FILES }];
  const settings = {
    level,
    memory_mb: memoryMb,
    processes,
    tmp_mb: tmpMb,
    call_filter: callFilter()?.toString('base64'),
  };
  return {
    command: [
      ...bubblewrap({ level, mounts, network, divides: true }, env),
      venv ? path.join(venv, 'bin', 'python') : program,
      script,
    ],
    env: {
      ...pythonEnvironment(env),
      HOME: HOME_INSIDE,
      TMPDIR: HOME_INSIDE,
      PYTHONUSERBASE: userBase,
      NOETL_PYTHON_SANDBOX: JSON.stringify(settings),
    },
  };
}
