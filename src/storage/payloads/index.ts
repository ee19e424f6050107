export * from './arguments';
export * from './compressible';
export * from './encrypted';
export * from './grants';
export * from './inline';
export {
  FETCHED_FROM,
  type ReferenceOrigin,
  type ValueReference,
  valueReferenceOf,
  schemaHint,
  tieReference,
} from './reference';
export { type ResultStore, STORED_VALUE } from './result-store';
export * from './written-once';
export { type CachedCall, type CacheEntry, type CacheFilter, type StepCache } from './step-cache';
