import { Command } from 'commander';
import { jsonOption } from '../input/options';
import { type DeepFlags } from '../offline/check-deep';

/** `check --deep FILE`: explores every state that a playbook can come to. */
export function checkCommand(): Command {
  return new Command('check')
    .description('check playbooks without running them; --deep: explore every state that a run can reach')
    .argument('<files...>', 'playbook files, or folders of them')
    .option('--deep', 'explore every result of every task, every undecided guard, every order')
    .addOption(jsonOption())
    .option('--sarif', 'print a SARIF log')
    .option('--bound <n>', 'how many loop items, repetitions and cycle rounds to distinguish', '2')
    .option('--sent <events...>', 'events that are sent from outside')
    .option('--to-rehearsal <folder>', 'write a rehearsal for each finding that a single run can show')
    .action(async (files: string[], flags: DeepFlags) => {
      if (flags.deep) {
        const { checkFilesDeep } = await import('../offline/check-deep.js');
        process.exitCode = await checkFilesDeep(files, flags);
        return;
      }
      const { validateFiles } = await import('../offline/validate.js');
      await validateFiles(files, { format: flags.json ? 'json' : flags.sarif ? 'sarif' : 'text' });
    });
}
