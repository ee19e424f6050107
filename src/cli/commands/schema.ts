import { Command } from 'commander';
import { playbookSchema } from '../../dsl';
import { print } from '../output/say';

/** `schema`: the JSON Schema of playbooks, for editors (`# yaml-language-server: $schema=FILE`). */
export function schemaCommand(): Command {
  return new Command('schema')
    .description('print the JSON Schema of playbooks, for editors')
    .action(async () => {
      await print(JSON.stringify(playbookSchema(), null, 2));
    });
}
