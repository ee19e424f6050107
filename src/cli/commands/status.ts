import { Command } from 'commander';
import { withPlace } from '../input/options';
import { paint, wantsColor } from '../output/paint';
import { print } from '../output/say';
import { statusText } from '../output/status-text';
import { type RemoteFlags } from '../runtime/port';

/** `status EXECUTION`: the progress of an execution, from its history, so no worker is needed. */
export function statusCommand(): Command {
  const command = new Command('status')
    .description('show the progress of an execution, or how it ended; exit code 0 whatever its status')
    .argument('<execution>', 'an execution id');
  return withPlace(command).action(async (execution: string, flags: RemoteFlags) => {
    const { withHistory } = await import('../runtime/executions/index.js');
    const status = await withHistory([execution], flags, async (run) => {
      const standing = await run.status();
      const trouble = standing.finished_at === null ? await run.trouble() : undefined;
      return { ...standing, ...(trouble && { workflow_task: trouble }) };
    });
    const color = wantsColor(process.stdout);
    await print(
      flags.json ? JSON.stringify(status, null, 2) : statusText(status, Date.now(), paint(color), color),
    );
  });
}
