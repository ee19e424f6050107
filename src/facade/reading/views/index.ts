/** Views of an execution: documents that are derived from its history, by name. They run in threads. */
import {
  explain,
  type Explanation,
  prepareRerun,
  readStanding,
  type SourceLines,
  stateAt,
} from '../../../history';
import { type Plan } from '../../../plan';
import { readExecution } from '../../executions/recorded';
import { renderWith } from '../../executions/render';
import { type StuckFacts, stuckFacts } from '../../executions/stuck-facts';
import { VariableBook } from '../../executions/variables';
import { FacadeError } from '../../http/errors';
import { type Reading } from '../../../reading/from-host';
import { type AnalysisAsked, analysisOf } from './analysis';
import { type DetailAsked, detailOf } from './detail';
import { type FORMATS, graphIn } from './graph';
import { shortened, statusOf } from './status';
import { documentsOf, noVariable, type Variable } from './variables';

type RerunAsked = Omit<Parameters<typeof prepareRerun>[1], 'converter'>;
type PreparedRerun = Awaited<ReturnType<typeof prepareRerun>>;

export const views = {
  status: async (reading: Reading, { full }: { full: boolean }): Promise<object> =>
    statusOf(await readExecution(reading), full),

  progress: (reading: Reading, { workflowId }: { workflowId: string }): Promise<object> =>
    readStanding(reading.pages(), workflowId, reading),

  detail: (reading: Reading, request: DetailAsked): Promise<object> => detailOf(reading, request),

  graph: async (reading: Reading, { format }: { format: (typeof FORMATS)[number] }): Promise<unknown> =>
    graphIn(await readExecution(reading), format),

  analysis: (reading: Reading, request: AnalysisAsked): Promise<object> => analysisOf(reading, request),

  explanation: (reading: Reading, request: { step?: string; at?: number }): Promise<Explanation> => {
    const { converter, progress } = reading;
    return explain(reading.pages(), linesOf(reading), { converter, progress, ...request });
  },

  /** @throws FacadeError 404 if there is no such event */
  state: async (reading: Reading, { at = Infinity }: { at?: number | string }): Promise<object> => {
    const { state, lastSeq } = await stateAt(reading.pages(), at, reading);
    if (state) return state;
    const message = `execution ${reading.id} has no event ${at}; it has ${lastSeq} events`;
    throw new FacadeError(404, 'EVENT_NOT_FOUND', message);
  },

  variables: async (reading: Reading, { full }: { full: boolean }): Promise<object> => {
    const variables = await variablesOf(reading, full);
    return { execution_id: reading.id, variables, count: Object.keys(variables).length };
  },

  /** @throws FacadeError 404 if there is no such variable */
  variable: async (reading: Reading, { name }: { name: string }): Promise<object> => {
    const variables = await variablesOf(reading, true);
    if (!Object.hasOwn(variables, name)) throw noVariable(reading.id, name);
    return { execution_id: reading.id, var_name: name, ...variables[name]! };
  },

  variableNames: async (reading: Reading): Promise<readonly string[]> =>
    Object.keys((await readExecution(reading)).state.ctx),

  /** @throws FacadeError as `renderWith` */
  render: async (
    reading: Reading,
    { template, names }: { template: unknown; names: Readonly<Record<string, unknown>> },
  ): Promise<object> => {
    const { state } = await readExecution(reading);
    const { rendered, names: keys } = renderWith(state, template, names);
    return { status: 'ok', rendered, context_keys: keys };
  },

  rerun: (reading: Reading, request: RerunAsked): Promise<PreparedRerun> =>
    prepareRerun(() => reading.pages(), { ...request, converter: reading.converter }),

  stuck: async (reading: Reading): Promise<StuckFacts> => stuckFacts(await readExecution(reading)),
};
export type Views = typeof views;
export type ViewName = keyof Views;

async function variablesOf(reading: Reading, full: boolean): Promise<Readonly<Record<string, Variable>>> {
  const book = new VariableBook();
  const read = await readExecution(reading, book.take);
  return documentsOf(read, full ? read.state.ctx : shortened(read), book);
}

/** The lines of the playbook that ran, if the catalog has it. */
function linesOf({ host }: Reading): (plan: Plan) => Promise<SourceLines> {
  return async ({ metadata, source }) => {
    const text = (await host.ask('text', { path: metadata.path, sha256: source.sha256 })) as
      | string
      | undefined;
    const lines = text?.split(/\r?\n/);
    return (line) => lines?.[line - 1];
  };
}
