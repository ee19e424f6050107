export * from './catalog';
export { type CatalogLine, type Listed, type ListPage } from './listing';
export { type CatalogQuota, configuredQuota } from './quota';
export * from './submissions';
export { type StagedVerdictTally, type StagedVersion, Staging } from './staging';
