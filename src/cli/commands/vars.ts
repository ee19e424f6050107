import { Command } from 'commander';
import { dataOption, jsonOption } from '../input/options';
import { parseAssignment } from '../input/payload';
import { print, printAnswer } from '../output/say';

interface Flags {
  json?: boolean;
  data?: string;
}

/** `vars`: the variables of an execution (`vars`, also called `ctx`), read and written from outside (S2 §9.2, D9). */
export function varsCommand(): Command {
  return new Command('vars')
    .description('variables of an execution')
    .addCommand(listCommand())
    .addCommand(setCommand())
    .addCommand(deleteCommand());
}

function subcommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .argument('<execution>', 'an execution id')
    .addOption(jsonOption())
    .addOption(dataOption())
    .exitOverride()
    .configureOutput({ outputError: () => undefined });
}

function listCommand(): Command {
  return subcommand('list', 'print them, from its history; also of an execution that has ended').action(
    async (execution: string, flags: Flags) => {
      const { readStatus } = await import('../runtime/execution-status.js');
      const { variables, ...status } = await readStatus(execution, flags.data);
      const { execution_id, workflow_id } = status;
      if (flags.json) return await print(JSON.stringify({ execution_id, workflow_id, variables }, null, 2));
      const lines = Object.entries(variables).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
      await print(lines.length === 0 ? `${execution_id} has no variables` : lines.join('\n'));
    },
  );
}

function setCommand(): Command {
  return subcommand('set', 'set some; a running execution sees them from its next task on')
    .argument('<name=value...>', 'the value is JSON where it is JSON, else text')
    .action(async (execution: string, assignments: string[], flags: Flags) => {
      const variables = Object.fromEntries(assignments.map(parseAssignment));
      const { askExecution, named } = await import('../runtime/running.js');
      const { setVariables } = await import('../../temporal/control.js');
      const id = named(execution);
      const set = await askExecution(flags, (client) => setVariables(client, id.workflow_id, variables));
      await printAnswer(flags.json, { ...id, set }, `set ${set.join(', ')}`);
    });
}

function deleteCommand(): Command {
  return subcommand('delete', 'delete some; names that are not set do no harm')
    .argument('<name...>', 'their names')
    .action(async (execution: string, names: string[], flags: Flags) => {
      const { askExecution, named } = await import('../runtime/running.js');
      const { deleteVariables } = await import('../../temporal/control.js');
      const id = named(execution);
      const deleted = await askExecution(flags, (client) => deleteVariables(client, id.workflow_id, names));
      await printAnswer(flags.json, { ...id, deleted }, `deleted ${deleted.join(', ')}`);
    });
}
