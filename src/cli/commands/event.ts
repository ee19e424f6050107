import { randomUUID } from 'node:crypto';
import { Command } from 'commander';
import { type EventFate } from '../../temporal/client/control';
import { withPlace } from '../input/options';
import { readEventPayload } from '../input/json';
import { printAnswer } from '../output/say';
import { type RemoteFlags } from '../runtime/port';

interface Flags extends RemoteFlags {
  payload?: string;
  id?: string;
}

/** `event EXECUTION NAME`: sends an external event to a task of kind `wait`. */
export function eventCommand(): Command {
  const command = new Command('event')
    .description('send a running execution an event, for its tasks of kind wait')
    .argument('<execution>', 'an execution id')
    .argument('<name>', 'the name of the event')
    .option(
      '-p, --payload <json>',
      'its payload, which becomes the result of the wait: JSON, @FILE, or @- for standard input',
    )
    .option('--id <text>', 'event id; sending the same id again has no effect (default: random)');
  return withPlace(command).action(async (execution: string, name: string, flags: Flags) => {
    const event = { name, payload: readEventPayload(flags.payload), id: flags.id ?? randomUUID() };
    const { withExecution } = await import('../runtime/executions/index.js');
    await withExecution(execution, flags, async (remote) => {
      const { execution_id, workflow_id } = remote;
      const fate = await remote.send(event);
      const document = { execution_id, workflow_id, event: name, event_id: event.id, fate };
      await printAnswer(flags.json, document, `event ${name} ${FATES[fate]}`);
    });
  });
}

const FATES: Readonly<Record<EventFate, string>> = {
  taken: 'was taken by a wait',
  kept: 'is kept until a task waits for it',
  duplicate: 'was a duplicate and was ignored',
  sent: 'was sent to the server: no workflow worker has answered yet; the next one will receive it',
};
