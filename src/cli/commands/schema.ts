import { Command } from 'commander';

export function schemaCommand(): Command {
  return new Command('schema')
    .description('print the JSON Schema of playbooks, for editors')
    .option('--rehearsal', 'print that of rehearsal files instead')
    .option('--faults', 'print that of faults files for `simulate` instead')
    .action(async (flags: { rehearsal?: boolean; faults?: boolean }) => {
      const { printSchema } = await import('../offline/schema.js');
      await printSchema(flags);
    });
}
