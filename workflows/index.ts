export { chunk } from './chunk';
export { playbook } from './playbook';
export { task } from './task';
