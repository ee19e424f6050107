export { type UpgradeNote } from './notes';
export { printPlan } from './print';
export { type Upgraded, upgrade } from './upgrade';
