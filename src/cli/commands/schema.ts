import { Command } from 'commander';
import { later } from '../input/later';

export function schemaCommand(): Command {
  return new Command('schema')
    .description('print the JSON Schema of playbooks, for editors')
    .option('--rehearsal', 'print that of rehearsal files instead')
    .option('--faults', 'print that of faults files for `simulate` instead')
    .action(later(async () => (await import('../offline/schema.js')).printSchema));
}
