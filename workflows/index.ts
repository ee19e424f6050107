export { playbook } from './playbook';
