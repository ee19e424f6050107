import { Command } from 'commander';
import { playbookSchema } from '../../dsl';
import { rehearsalSchema } from '../../rehearsal';
import { extensions } from '../extensions';
import { print } from '../output/say';

/** `schema`: the JSON Schema of playbooks, for editors (`# yaml-language-server: $schema=FILE`). */
export function schemaCommand(): Command {
  return new Command('schema')
    .description('print the JSON Schema of playbooks, for editors')
    .option('--rehearsal', 'of rehearsal files instead')
    .action(async (flags: { rehearsal?: boolean }) => {
      await print(
        JSON.stringify(flags.rehearsal ? rehearsalSchema() : playbookSchema(extensions().kinds), null, 2),
      );
    });
}
