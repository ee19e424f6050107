/** Where the process of a task runs: on the worker as it is, or in a sandbox. */
import { type TaskCall } from '../../../src/language/plan';
import { type Files, folderOfFiles, movedTo } from '../results/files';
import {
  bubblewrap,
  FILES_INSIDE,
  HOME_INSIDE,
  type Isolation,
  isolationOf,
  limitCommands,
  type Mounted,
  networkOf,
} from '../sandbox';
import { textField } from '../tool/fields';
import { type Print } from '../tool/tool';
import { environmentOf, folderOf } from './environment';
import { type ProcessSurroundings, type Wall } from './process';

export interface Prepared {
  readonly surroundings: ProcessSurroundings;
  /** Names of inputs that are too large for an environment. */
  readonly omitted: string[];
  readonly level: Isolation | undefined;
}

/**
 * Environment, working folder and sandbox of a task's processes.
 *
 * @param mounts what a sandbox has besides the files
 * @throws ToolError for an invalid `cwd`, and those of `isolationOf`
 */
export async function processSurroundings(
  call: TaskCall,
  files: Files,
  print: Print | undefined,
  mounts: readonly Mounted[] = [],
): Promise<Prepared> {
  const level = await isolationOf(call);
  if (level === undefined) {
    const { env, omitted } = environmentOf(call, files);
    return { surroundings: { env, cwd: await folderOf(call), print }, omitted, level };
  }
  const folder = folderOfFiles(files);
  const { env, omitted } = environmentOf(call, movedTo(FILES_INSIDE, files));
  const shown = [...mounts, ...(folder === undefined ? [] : [{ from: folder, to: FILES_INSIDE }])];
  const cwd = textField(call, 'cwd');
  const network = await networkOf(level);
  const wall: Wall = {
    line: (command) => [...bubblewrap({ level, mounts: shown, network }), ...command],
    before: [...limitCommands(), ENTER],
    cwd: cwd ?? HOME_INSIDE,
  };
  return { surroundings: { env: { ...env, HOME: HOME_INSIDE }, cwd: '/', print, wall }, omitted, level };
}

/** A folder of the sandbox, which need not be one of the worker. */
const ENTER = 'cd -- "$1" || { echo "the sandbox has no folder $1 (docs/isolation.md)" >&2; exit 1; }; shift';
