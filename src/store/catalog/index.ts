export * from './catalog';
export * from './submissions';
export { type ShadowTally, type StagedVersion, Staging } from './staging';
