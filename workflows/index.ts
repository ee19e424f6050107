/**
 * Workflow types. An execution's type is the path of its playbook, which is not exported here, so the SDK falls back to
 * the default workflow.
 */
export { playbook, playbook as default } from './playbook';
export { bulkOperation as 'noetl:bulk' } from './bulk';
export { cascade as 'noetl:cascade' } from './cascade';
export { chunk as 'noetl:chunk' } from './chunk';
export { limit as 'noetl:limit' } from './limit';
export { scheduled as 'noetl:schedule' } from './scheduled';
export { task as 'noetl:task' } from './task';
