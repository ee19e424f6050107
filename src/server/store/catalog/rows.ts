/** Rows of the catalog (migrations/0010_catalog.sql). */
import { type ColumnType, type Generated } from 'kysely';
import { type Json, type JsonObject } from '../../../language/plan';

/** Written as JSON text, read as parsed JSON. */
type JsonColumn<T> = ColumnType<T, string, string>;
/** Set by the database's clock. */
type Stamp = ColumnType<Date, undefined, never>;

export interface CatalogPathRow {
  readonly path: string;
  readonly kind: string;
  readonly last_version: Generated<number>;
  readonly latest_version: number | null;
  readonly staged_version: ColumnType<number | null, number | null | undefined, number | null>;
  readonly staged_at: ColumnType<Date | null, Date | null | undefined, Date | null>;
}

export interface CatalogRow {
  /** A decimal number, like execution ids. */
  readonly catalog_id: string;
  readonly path: string;
  readonly version: number;
  /** In lower case. */
  readonly kind: string;
  readonly name: string;
  /** `metadata.version`. */
  readonly label: string | null;
  /** SHA-256 of the content, hex. */
  readonly digest: string;
  readonly content: string;
  /** The content as data. */
  readonly payload: JsonColumn<JsonObject>;
  readonly layout: ColumnType<Json, string | null, string | null>;
  readonly meta: JsonColumn<JsonObject>;
  readonly created_at: Stamp;
  readonly deleted_at: ColumnType<Date | null, never, Date | null>;
  readonly released: Generated<boolean>;
}

/** As the judge writes them (src/server/staged). */
export interface StagedVerdictRow {
  readonly path: string;
  readonly version: number;
  readonly execution_id: string;
  /** Null: still to be judged. */
  readonly verdict: string | null;
  readonly cause: string | null;
  readonly finding: ColumnType<JsonObject | null, string | null, string | null>;
  readonly touches: ColumnType<Record<string, number> | null, string | null, string | null>;
}

export interface SubmissionRow {
  readonly principal: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly execution_id: string;
  readonly catalog_id: string;
  readonly created_at: ColumnType<Date, undefined, Date>;
  readonly started_at: ColumnType<Date | null, never, Date | null>;
}
