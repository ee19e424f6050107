/**
 * Types of documents of the REST API, for the console and the command line. They are inferred from the schemas that the
 * OpenAPI document is made of; this file has types only, so that who imports it loads nothing.
 */
import { type z } from 'zod';
import { type begunBulk } from './bulk';
import { type Verification } from '../../../offline/proof';
import { type catalogLine, type registered, type stagedVersion, type uiSchema } from './catalog';
import {
  type causeList,
  type executionGraph,
  type servedSummary,
  type executionSummary,
  type whatIfResult,
  type workflowTaskSchema,
  type startedExecution,
} from './executions';
import {
  type backfilledSchema,
  type keptSchedule,
  type scheduleDetailsSchema,
  type schedulePreview,
  type scheduleSchema,
} from './schedules';
import {
  type actSchema,
  type overviewSchema,
  type playbookActivity,
  type playbookOverview,
} from './operations';
import { type deadLetter, type subscription } from './triggers';
import {
  type credentialSchema,
  type credentialTest,
  type sessionSchema,
  type taskQueueSchema,
  type workerPool,
} from './server';

export type ExecutionDocument = z.infer<typeof executionSummary>;
export type BulkDocument = z.infer<typeof begunBulk>;
export type ExecutionCause = z.infer<typeof causeList>[number];
export type WhatIfDocument = z.infer<typeof whatIfResult>;
/** With the queues without workers in which its tasks wait. */
export type ServedExecution = z.infer<typeof servedSummary>;
/** What was started by `POST /api/execute`. */
export type StartedDocument = z.infer<typeof startedExecution>;
export type StepProgress = z.infer<typeof executionGraph>['nodes'][number];
export type WorkflowTaskDocument = z.infer<typeof workflowTaskSchema>;

export type CatalogVersion = z.infer<typeof catalogLine>;
export type RegisteredDocument = z.infer<typeof registered>;
export type InputForm = z.infer<typeof uiSchema>;
export type StagedReport = Omit<z.infer<typeof stagedVersion>, 'verification'> & {
  readonly verification: Verification;
};

export type ScheduleDocument = z.infer<typeof scheduleSchema>;
export type ScheduleDetails = z.infer<typeof scheduleDetailsSchema>;
export type SchedulePreviewed = z.infer<typeof schedulePreview>;
export type ScheduleKept = z.infer<typeof keptSchedule>;
export type Backfilled = z.infer<typeof backfilledSchema>;

export type SubscriptionDocument = z.infer<typeof subscription>;
export type DeadLetterDocument = z.infer<typeof deadLetter>;

export type ConsoleSession = z.infer<typeof sessionSchema>;
export type CredentialDocument = z.infer<typeof credentialSchema>;
export type CredentialTested = z.infer<typeof credentialTest>;
export type WorkerDocument = z.infer<typeof workerPool>;
export type TaskQueueDocument = z.infer<typeof taskQueueSchema>;

export type ActDocument = z.infer<typeof actSchema>;
export type OverviewDocument = z.infer<typeof overviewSchema>;
export type PlaybookOverview = z.infer<typeof playbookOverview>;
export type PlaybookActivity = z.infer<typeof playbookActivity>;
