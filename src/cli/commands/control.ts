import { Command } from 'commander';
import { type Verb } from '../../temporal/client/control';
import { compact } from '../../language/plan/compact';
import { UsageError } from '../errors';
import { type BulkFlags, bulkOrOne, withBulkOptions } from '../input/bulk';
import { withPlace } from '../input/options';
import { printAnswer } from '../output/say';
import { type Steering } from '../runtime/executions/execution';
import { type RemoteFlags } from '../runtime/port';

type Flags = BulkFlags & RemoteFlags & Steering;

const VERBS: Readonly<Record<Verb, { does: string; says: string }>> = {
  pause: {
    does: 'pause a running execution and its sub-playbooks: running tasks finish, no new one starts',
    says: 'pausing: no new task starts, running ones finish',
  },
  resume: { does: 'continue a paused execution and its sub-playbooks', says: 'resuming' },
  cancel: {
    does: 'cancel a running execution and its sub-playbooks; running tools are stopped',
    says: 'cancelling: running tools are being stopped',
  },
};

/** `pause`, `resume` and `cancel EXECUTION`, or `--where`: sent to the server, which informs the execution. */
export function controlCommand(verb: Verb): Command {
  const { does, says } = VERBS[verb];
  const command = new Command(verb).description(does).argument('[execution]', 'an execution id');
  if (verb !== 'resume') command.option('--reason <text>', 'reason, recorded in the events');
  if (verb === 'cancel')
    command
      .option('--cascade', 'also cancel the sub-playbooks that it does not wait for')
      .option('--force', 'terminate what has not ended after five seconds');
  return withPlace(withBulkOptions(command)).action(async (execution: string | undefined, flags: Flags) => {
    const { reason, cascade, force, json } = flags;
    if (force && flags.where !== undefined)
      throw new UsageError('--force is for one execution: remove --where');
    const options = { ...(reason !== undefined && { reason }), ...(cascade && { cascade }) };
    const code = await bulkOrOne(verb, execution === undefined ? [] : [execution], flags, options);
    if (code !== undefined || execution === undefined) return void (process.exitCode = code);
    const { withExecution } = await import('../runtime/executions/index.js');
    await withExecution(execution, flags, async (remote) => {
      const { execution_id, workflow_id } = remote;
      const all = await remote.steer(verb, compact({ reason, cascade, force }));
      const executions = cascade || force ? all : undefined;
      const document = { execution_id, workflow_id, verb, reason: reason ?? null, executions };
      const whose = executions?.join(', ') ?? execution_id;
      await printAnswer(json, document, `${whose} ${force ? 'ended' : says}`);
    });
  });
}
