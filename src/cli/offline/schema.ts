import { playbookSchema } from '../../language/dsl';
import { rehearsalSchema } from '../../offline/rehearsal';
import { faultsSchema } from '../../offline/simulation';
import { extensions } from '../extensions';
import { print } from '../output/say';

/** `schema`: the JSON Schema of playbooks, for editors (`# yaml-language-server: $schema=FILE`). */
export async function printSchema(flags: { rehearsal?: boolean; faults?: boolean }): Promise<void> {
  const schema = flags.rehearsal
    ? rehearsalSchema()
    : flags.faults
      ? faultsSchema()
      : playbookSchema(extensions().kinds);
  await print(JSON.stringify(schema, null, 2));
}
