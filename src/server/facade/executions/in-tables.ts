/** Executions of a bulk operation that only the projection's tables can find. */
import { type BulkVerb } from '../../../language/plan';
import { type BulkFilter, type BulkSelection, MOST_EXECUTIONS, selectedStatus, tooMany } from '../../bulk';
import { type Runs } from '../../projection';

/** @throws CodedError `BULK_TOO_MANY` */
export async function selectInTables(runs: Runs, verb: BulkVerb, where: BulkFilter): Promise<BulkSelection> {
  const { filter, tables, codes, steps, called } = where;
  const [code, step] = [codes, steps].map((some) => (some.length > 0 ? some : undefined));
  const top_level = called ? undefined : true;
  const selection = { ...filter, ...tables, status: selectedStatus(verb, where), code, step, top_level };
  const executions = await runs.ids(selection, MOST_EXECUTIONS + 1);
  if (executions.length > MOST_EXECUTIONS) throw tooMany();
  const causes = await runs.causes(selection);
  return {
    executions,
    causes: causes.map(({ execution_id, message, status, ...cause }) => ({
      ...cause,
      status: status === 'PAUSED' ? 'RUNNING' : status,
      example: { execution_id, message },
    })),
  };
}
