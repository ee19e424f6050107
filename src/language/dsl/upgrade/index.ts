export { mended } from './mend';
export { type UpgradeNote } from './notes';
export { type Upgraded, upgrade } from './upgrade';
