export { chunk } from './chunk';
export { playbook } from './playbook';
