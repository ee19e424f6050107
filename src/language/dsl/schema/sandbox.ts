import { type SchemaField } from './shape';
import * as field from './fields';

/** `sandbox` in the spec of an executor, a step, a loop or a task. */
export const SANDBOX: SchemaField = field.either(
  [{ values: ['strict', 'standard', 'none'] }, 'mapping'],
  'What code of the playbook can reach: `standard`: nothing of the worker; `strict`: no network either; `none`: what its worker can. Default: what the worker requires.',
);
