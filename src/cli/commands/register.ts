import { Command } from 'commander';
import { EXIT, UsageError } from '../errors';
import { jsonOption, serverOption } from '../input/options';
import { paint, wantsColor } from '../output/paint';
import { registeredText } from '../output/register-text';
import { print } from '../output/say';

interface Flags {
  json?: boolean;
  server?: string;
  staged?: boolean;
}

/** `register FILE|FOLDER…`: registers files in the catalog of a facade. Exit code 2 if one is refused. */
export function registerCommand(): Command {
  return new Command('register')
    .description('add playbooks to the catalog of a facade')
    .argument('<files...>', 'playbooks and other resources, folders of playbooks, or - for standard input')
    .option(
      '--staged',
      'do not make them the latest: until `promote`, finished executions are checked against them',
    )
    .addOption(serverOption())
    .addOption(jsonOption())
    .action(async (names: string[], flags: Flags) => {
      const { looksRegistrable, playbookFiles } = await import('../input/playbook.js');
      const files = playbookFiles(names, looksRegistrable);
      if (files.length === 0) throw new UsageError(`${names.join(', ')}: the folder contains no playbooks`);
      const { registerFiles } = await import('../runtime/remote/register-files.js');
      const { facadePort } = await import('../runtime/port/index.js');
      const outcomes = await registerFiles(await facadePort(flags.server), files, flags.staged);
      const failed = outcomes.filter(({ status }) => status === 'failed').length;
      const document = { registered: outcomes.length - failed, failed, results: outcomes };
      const colors = paint(wantsColor(process.stdout));
      const lines = outcomes.map((outcome) => registeredText(outcome, colors));
      await print(flags.json ? JSON.stringify(document, null, 2) : lines.join('\n'));
      process.exitCode = failed === 0 ? EXIT.success : EXIT.usage;
    });
}
