import { playbookSchema } from '../../dsl';
import { rehearsalSchema } from '../../rehearsal';
import { extensions } from '../extensions';
import { print } from '../output/say';

/** `schema`: the JSON Schema of playbooks, for editors (`# yaml-language-server: $schema=FILE`). */
export async function printSchema(flags: { rehearsal?: boolean }): Promise<void> {
  await print(
    JSON.stringify(flags.rehearsal ? rehearsalSchema() : playbookSchema(extensions().kinds), null, 2),
  );
}
