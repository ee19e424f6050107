import { Command } from 'commander';
import { type Verb } from '../../temporal/control';
import { dataOption, jsonOption } from '../input/options';
import { printAnswer } from '../output/say';

interface Flags {
  reason?: string;
  json?: boolean;
  data?: string;
}

const VERBS: Readonly<Record<Verb, { does: string; says: string }>> = {
  pause: {
    does: 'start no new task of a running execution and its sub-playbooks; running ones finish',
    says: 'pausing: no new task starts, running ones finish',
  },
  resume: { does: 'let a paused execution and its sub-playbooks go on', says: 'resuming' },
  cancel: {
    does: 'cancel a running execution and its sub-playbooks; running tools are really stopped',
    says: 'cancelling: running tools are being stopped',
  },
};

/** `pause`, `resume` and `cancel EXECUTION`: asked of the server, which tells the execution (D24). */
export function controlCommand(verb: Verb): Command {
  const { does, says } = VERBS[verb];
  const command = new Command(verb).description(does).argument('<execution>', 'an execution id');
  if (verb !== 'resume') command.option('--reason <text>', 'kept in the events');
  return command
    .addOption(jsonOption())
    .addOption(dataOption())
    .action(async (execution: string, { reason, json, data }: Flags) => {
      const { askExecution, named } = await import('../runtime/running.js');
      const { steer } = await import('../../temporal/control.js');
      const id = named(execution);
      await askExecution({ data }, (client) => steer(client, id.workflow_id, verb, reason));
      await printAnswer(json, { ...id, asked: verb, reason: reason ?? null }, `${id.execution_id} ${says}`);
    });
}
