export { type Act, type ActRow, Acts } from './acts';
