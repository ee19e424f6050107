export * from './catalog';
export { type CatalogLine, type Listed, type ListPage } from './listing';
export { type CatalogQuota, configuredQuota } from './quota';
export * from './submissions';
export { type ShadowTally, type StagedVersion, Staging } from './staging';
