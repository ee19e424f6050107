import { type ReferenceCheck } from '../check/references';
import { type Report } from '../diagnostics/diagnostic';
import { type Document } from '../document/document';
import { type Origins } from '../sugar';
import { type Values } from './values';

/** State shared by every part of one compilation. */
export interface Compilation {
  readonly document: Document;
  readonly origins: Origins;
  readonly report: Report;
  readonly values: Values;
  readonly check: ReferenceCheck;
  readonly stepNames: ReadonlySet<string>;
}
