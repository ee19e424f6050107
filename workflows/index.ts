/**
 * Workflow types. That of an execution is the path of its playbook, which the SDK does not find among the names here, so
 * that it takes the default.
 */
export { playbook, playbook as default } from './playbook';
export { chunk as 'noetl:chunk' } from './chunk';
export { scheduled as 'noetl:schedule' } from './scheduled';
export { task as 'noetl:task' } from './task';
