export { chunk } from './chunk';
export { playbook } from './playbook';
export { scheduled } from './scheduled';
export { task } from './task';
