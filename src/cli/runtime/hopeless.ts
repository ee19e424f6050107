/** Looks for executions that no worker can continue, where people read what is printed. */
import { type Client } from '@temporalio/client';
import { HopelessExecutions } from '../../offline/replay';

export function hopelessExecutions(client: Client, say: (line: string) => void): HopelessExecutions {
  const warn = (fields: object, message: string): void => {
    const { execution_id, workflow_id, why, error } = fields as Readonly<Record<string, string | undefined>>;
    const about = execution_id ?? workflow_id;
    say([...(about === undefined ? [] : [`execution ${about}`]), message, why ?? error].join(': '));
  };
  return new HopelessExecutions({ client, log: { info: () => undefined, warn } });
}
