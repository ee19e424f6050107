export { type Note } from './notes';
export { printPlan } from './print';
export { type Upgraded, upgrade } from './upgrade';
