/** Temporal's worker versioning: which build of the workflow workers an execution runs on (docs/operations.md#worker-versioning). */
import { type VersioningBehavior } from '@temporalio/common';
import { type WorkerDeploymentOptions } from '@temporalio/worker';
import { EnvironmentError } from '../../language/errors';

/** A worker is versioned if it has a build id. */
export interface Versioning {
  /** Common to all builds of an installation; default NOETL_DEPLOYMENT, else `noetl`. */
  readonly deployment?: string;
  /** Of the release that runs; default NOETL_BUILD_ID. */
  readonly buildId?: string;
  /** `auto-upgrade` or `pinned`; default NOETL_VERSIONING, else `auto-upgrade`. */
  readonly behavior?: string;
}

const BEHAVIORS: Readonly<Record<string, VersioningBehavior>> = {
  'auto-upgrade': 'AUTO_UPGRADE',
  pinned: 'PINNED',
};

/**
 * The SDK's options, from what is given and the environment; undefined without a build id.
 *
 * @throws EnvironmentError `VERSIONING` for an unknown behavior, or for versioning without a build id
 */
export function deploymentOptions(
  given: Versioning = {},
  env: NodeJS.ProcessEnv = process.env,
): WorkerDeploymentOptions | undefined {
  const buildId = given.buildId ?? env['NOETL_BUILD_ID'];
  const deploymentName = given.deployment ?? (env['NOETL_DEPLOYMENT'] || 'noetl');
  const behavior = given.behavior ?? (env['NOETL_VERSIONING'] || undefined);
  if (!buildId) {
    if (behavior === undefined) return undefined;
    throw new EnvironmentError('VERSIONING', `versioning ${behavior} needs a build id`, [
      'Name the build with --build-id or NOETL_BUILD_ID, e.g. the version of the image.',
    ]);
  }
  const defaultVersioningBehavior = BEHAVIORS[behavior ?? 'auto-upgrade'];
  if (!defaultVersioningBehavior)
    throw new EnvironmentError('VERSIONING', `there is no versioning ${behavior}`, [
      `Use ${Object.keys(BEHAVIORS).join(' or ')} (--versioning, NOETL_VERSIONING).`,
    ]);
  return { version: { deploymentName, buildId }, useWorkerVersioning: true, defaultVersioningBehavior };
}
