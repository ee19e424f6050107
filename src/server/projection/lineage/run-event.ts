/** OpenLineage run events (https://openlineage.io/docs/spec/object-model), with facets of the specification. */
import { createHash } from 'node:crypto';
import { type Dataset } from '../../../language/kinds/lineage';

const SPEC = 'https://openlineage.io/spec';
const SCHEMA = `${SPEC}/2-0-2/OpenLineage.json#/$defs/RunEvent`;
const PRODUCER = 'https://github.com/noetl/noetl-temporal';
/** Of our run ids; an arbitrary constant. */
const NAMESPACE = Buffer.from('6f1c5d0e7b1b4c0f9a5e3c2d8e4f6a10', 'hex');

export type RunState = 'START' | 'RUNNING' | 'COMPLETE' | 'FAIL' | 'ABORT';

export interface Facet {
  readonly _producer: string;
  readonly _schemaURL: string;
  readonly [field: string]: unknown;
}

export interface Job {
  readonly namespace: string;
  readonly name: string;
}

export interface RunEvent {
  readonly eventType: RunState;
  /** RFC 3339. */
  readonly eventTime: string;
  readonly producer: string;
  readonly schemaURL: string;
  readonly run: { readonly runId: string; readonly facets: Readonly<Record<string, Facet>> };
  readonly job: Job & { readonly facets: Readonly<Record<string, Facet>> };
  readonly inputs: readonly Dataset[];
  readonly outputs: readonly Dataset[];
}

/** A run that others have as their parent. */
export interface ParentRun {
  readonly job: Job;
  readonly runId: string;
}

export function runEvent(
  state: { readonly type: RunState; readonly at: string },
  run: Omit<RunEvent, 'eventType' | 'eventTime' | 'producer' | 'schemaURL'>,
): RunEvent {
  return { eventType: state.type, eventTime: state.at, producer: PRODUCER, schemaURL: SCHEMA, ...run };
}

/** The run id of an execution, or of a task run in it: a UUID of version 5, the same wherever it is computed. */
export function runIdOf(namespace: string, executionId: string, taskRunId = ''): string {
  const digest = createHash('sha1')
    .update(NAMESPACE)
    .update(`${namespace}/${executionId}/${taskRunId}`)
    .digest()
    .subarray(0, 16);
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x50, 6);
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8);
  return digest.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** A facet of the specification. @param schema file and version, e.g. `1-0-1/ErrorMessageRunFacet.json#/$defs/ErrorMessageRunFacet` */
function facet(schema: string, fields: object): Facet {
  return { _producer: PRODUCER, _schemaURL: `${SPEC}/facets/${schema}`, ...fields };
}

export function parentFacet(parent: ParentRun, root: ParentRun): Facet {
  const of = ({ job, runId }: ParentRun): object => ({ run: { runId }, job });
  return facet('1-2-0/ParentRunFacet.json#/$defs/ParentRunFacet', { ...of(parent), root: of(root) });
}

export function errorFacet(message: string): Facet {
  return facet('1-0-1/ErrorMessageRunFacet.json#/$defs/ErrorMessageRunFacet', {
    message,
    programmingLanguage: 'NoETL',
  });
}

/** @param scheduledAt RFC 3339 */
export function nominalTimeFacet(scheduledAt: string): Facet {
  return facet('1-0-1/NominalTimeRunFacet.json#/$defs/NominalTimeRunFacet', {
    nominalStartTime: scheduledAt,
  });
}

export function engineFacet(version: string): Facet {
  return facet('1-1-1/ProcessingEngineRunFacet.json#/$defs/ProcessingEngineRunFacet', {
    version,
    name: 'noetl-temporal',
  });
}

/** @param jobType PLAYBOOK, or TASK */
export function jobTypeFacet(jobType: string): Facet {
  return facet('2-0-4/JobTypeJobFacet.json#/$defs/JobTypeJobFacet', {
    processingType: 'BATCH',
    integration: 'NOETL',
    jobType,
  });
}

export function documentationFacet(description: string): Facet {
  return facet('1-1-0/DocumentationJobFacet.json#/$defs/DocumentationJobFacet', { description });
}
