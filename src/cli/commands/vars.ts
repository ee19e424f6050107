import { Command } from 'commander';
import { withPlace } from '../input/options';
import { parseAssignment } from '../input/json';
import { print, printAnswer } from '../output/say';
import { type RemoteFlags } from '../runtime/port';

/** `vars`: reads and writes variables of an execution (`vars`, also called `ctx`). */
export function varsCommand(): Command {
  return new Command('vars')
    .description('read and change variables of an execution')
    .addCommand(listCommand())
    .addCommand(setCommand())
    .addCommand(deleteCommand());
}

function subcommand(name: string, description: string): Command {
  return withPlace(new Command(name).description(description).argument('<execution>', 'an execution id'));
}

function listCommand(): Command {
  return subcommand('list', 'print the variables, from history; also of an execution that has ended').action(
    async (execution: string, flags: RemoteFlags) => {
      const { withHistory } = await import('../runtime/executions/index.js');
      const standing = await withHistory([execution], flags, (run) => run.status());
      const { variables, execution_id, workflow_id } = standing;
      if (flags.json) return await print(JSON.stringify({ execution_id, workflow_id, variables }, null, 2));
      const lines = Object.entries(variables).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
      await print(lines.length === 0 ? `${execution_id} has no variables` : lines.join('\n'));
    },
  );
}

function setCommand(): Command {
  return subcommand('set', 'set variables; they apply from the next task of a running execution')
    .argument('<name=value...>', 'the value is parsed as JSON if possible, otherwise text')
    .action(async (execution: string, assignments: string[], flags: RemoteFlags) => {
      const variables = Object.fromEntries(assignments.map(parseAssignment));
      const { withExecution } = await import('../runtime/executions/index.js');
      await withExecution(execution, flags, async (remote) => {
        const { execution_id, workflow_id } = remote;
        const set = await remote.setVariables(variables);
        await printAnswer(flags.json, { execution_id, workflow_id, set }, `set ${set.join(', ')}`);
      });
    });
}

function deleteCommand(): Command {
  return subcommand('delete', 'delete variables; unset names are ignored')
    .argument('<name...>', 'their names')
    .action(async (execution: string, names: string[], flags: RemoteFlags) => {
      const { withExecution } = await import('../runtime/executions/index.js');
      await withExecution(execution, flags, async (remote) => {
        const { execution_id, workflow_id } = remote;
        await remote.deleteVariables(names);
        const document = { execution_id, workflow_id, deleted: names };
        await printAnswer(flags.json, document, `deleted ${names.join(', ')}`);
      });
    });
}
