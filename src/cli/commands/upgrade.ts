import { Command } from 'commander';

export function upgradeCommand(): Command {
  return new Command('upgrade')
    .description('rewrite a playbook in the current syntax; prints the changes as a unified diff')
    .argument('<file>', 'a playbook file')
    .option('--write', 'change the file instead of printing the diff')
    .action(async (file: string, flags: { write?: boolean }) => {
      const { upgradeFile } = await import('../offline/upgrade.js');
      await upgradeFile(file, flags);
    });
}
