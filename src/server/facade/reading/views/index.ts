/** Views of an execution: documents that are derived from its history, by name. They run in threads. */
import {
  type DecisionSelection,
  type ExplainedDecision,
  explainExecution,
  type Explanation,
  prepareRerun,
  readStanding,
  stateAt,
} from '../../../../history';
import { compact, type JsonObject, type Plan } from '../../../../language/plan';
import { readExecution } from '../../executions/recorded';
import { type StuckFacts, stuckFacts } from '../../executions/stuck-facts';
import { VariableBook } from '../../executions/variables';
import { sourceLinesOf, noEvent } from './common';
import { type HostReading } from '../../../reading/from-host';
import { type AnalysisAsked } from './analysis';
import { type DetailAsked } from './detail';
import { type MomentAsked } from './moment';
import { statusDocument, VARIABLE_LIMIT } from './status';
import { documentsOf, noVariable, type VariableDocument } from './variables';

type RerunAsked = Omit<Parameters<typeof prepareRerun>[1], 'converter'>;
interface ProgressAsked {
  readonly workflowId: string;
  /** Large variables too. */
  readonly full: boolean;
}

export interface ExplanationQuery extends DecisionSelection {
  /** Decisions of a page. */
  readonly page_size?: number;
  /** Events that are looked at. */
  readonly events?: number;
}

interface WhatIfAsked {
  readonly revision?: Plan;
  readonly payload: JsonObject;
}

type PreparedRerun = Awaited<ReturnType<typeof prepareRerun>>;

export const views = {
  status: async (reading: HostReading, { full }: { full: boolean }): Promise<object> =>
    statusDocument(await readExecution(reading), full),

  progress: (reading: HostReading, { workflowId, full }: ProgressAsked): Promise<object> =>
    readStanding(reading.pages(), workflowId, {
      converter: reading.converter,
      progress: reading.progress,
      ...(!full && { variableLimit: VARIABLE_LIMIT }),
    }),

  detail: async (reading: HostReading, request: DetailAsked): Promise<object> =>
    (await import('./detail.js')).detailOf(reading, request),

  graph: async (reading: HostReading): Promise<object> =>
    (await import('./graph.js')).graphIn(await readExecution(reading)),

  analysis: async (reading: HostReading, request: AnalysisAsked): Promise<object> =>
    (await import('./analysis.js')).analysisOf(reading, request),

  explanation: async (reading: HostReading, request: ExplanationQuery): Promise<Explanation> => {
    const { converter, progress, host } = reading;
    const { page_size = DECISIONS, events, ...selection } = request;
    const { at, after } = selection;
    const most = at ?? (events === undefined ? undefined : (after ?? 0) + events);
    const whole = await explainExecution(reading.pages(), sourceLinesOf(host), {
      converter,
      progress,
      ...compact({ most }),
      ...selection,
    });
    if (after === undefined) return whole;
    const { decisions, next } = decisionPage(whole.decisions, page_size, whole.next_after ?? null);
    return { ...whole, decisions, next_after: next };
  },

  /** @throws FacadeError 404 if there is no such event */
  state: async (reading: HostReading, { at = Infinity }: { at?: number | string }): Promise<object> => {
    const { state, lastSeq } = await stateAt(reading.pages(), at, reading);
    if (state) return state;
    throw noEvent(reading.id, at, lastSeq);
  },

  moment: async (reading: HostReading, request: MomentAsked): Promise<object> =>
    (await import('./moment.js')).momentAt(reading, request),

  variables: async (reading: HostReading, { full }: { full: boolean }): Promise<object> => {
    const variables = await variablesOf(reading, full);
    return { execution_id: reading.id, variables, count: Object.keys(variables).length };
  },

  /** @throws FacadeError 404 if there is no such variable */
  variable: async (reading: HostReading, { name }: { name: string }): Promise<object> => {
    const variables = await variablesOf(reading, true);
    if (!Object.hasOwn(variables, name)) throw noVariable(reading.id, name);
    return { execution_id: reading.id, var_name: name, ...variables[name]! };
  },

  variableNames: async (reading: HostReading): Promise<readonly string[]> =>
    Object.keys((await readExecution(reading)).state.ctx),

  /** @throws FacadeError as `renderWith` */
  render: async (
    reading: HostReading,
    { template, names }: { template: unknown; names: Readonly<Record<string, unknown>> },
  ): Promise<object> => {
    const [{ renderWith }, { state }] = await Promise.all([
      import('../../executions/render.js'),
      readExecution(reading),
    ]);
    const { rendered, names: keys } = renderWith(state, template, names);
    return { status: 'ok', rendered, context_keys: keys };
  },

  rerun: (reading: HostReading, request: RerunAsked): Promise<PreparedRerun> =>
    prepareRerun(() => reading.pages(), { ...request, converter: reading.converter }),

  whatIf: async (reading: HostReading, { revision, payload }: WhatIfAsked): Promise<object> => {
    const { readRecording, whatIf } = await import('../../../../offline/proof/index.js');
    const recording = await readRecording(reading.pages(), { converter: reading.converter });
    return whatIf(recording, revision ?? recording.plan, { payload }).result;
  },

  stuck: async (reading: HostReading): Promise<StuckFacts> => stuckFacts(await readExecution(reading)),
};
export type Views = typeof views;
export type ViewName = keyof Views;

async function variablesOf(
  reading: HostReading,
  full: boolean,
): Promise<Readonly<Record<string, VariableDocument>>> {
  const book = new VariableBook();
  return documentsOf(await readExecution(reading, book.take), book, full);
}

/** Of a page. */
export const DECISIONS = 1000;

/** What is decided at one event stays together. @param otherwise where the next page begins if all fit */
export function decisionPage(
  all: readonly ExplainedDecision[],
  size: number,
  otherwise: number | null,
): { readonly decisions: readonly ExplainedDecision[]; readonly next: number | null } {
  const last = all[size - 1];
  const end = last ? all.findIndex(({ seq }) => seq > last.seq) : -1;
  return end < 0 ? { decisions: all, next: otherwise } : { decisions: all.slice(0, end), next: last!.seq };
}
