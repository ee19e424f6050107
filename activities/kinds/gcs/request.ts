/** Parses the fields of a `gcs` task before anything is opened. */
import { isMapping, type Json, type TaskCall } from '../../../src/language/plan';
import { type ReferenceOrigin, type ResultStore } from '../../../src/storage/payloads';
import { field, mappingField, textField } from '../../framework/tool/fields';
import { invalidInput, type ToolError } from '../../framework/tool/outcome';
import { type SaveTarget, saveTarget } from '../../framework/results/save-to';
import { workerFile } from '../../framework/tool/worker-files';
import { isReference, originIn, storeOf } from '../../framework/results/reference';
import { type ToolContext } from '../../framework/tool/tool';

/** An object or, with an empty or partial name, the objects with that prefix. */
export interface GcsObjectPlace {
  readonly bucket: string;
  readonly name: string;
}

/** A file on the worker, or a body in the store of large results. */
export type UploadSource =
  | { readonly file: string }
  | { readonly store: ResultStore; readonly origin: ReferenceOrigin };

export type GcsRequest =
  | { readonly action: 'upload'; readonly source: UploadSource; readonly to: GcsObjectPlace }
  | { readonly action: 'write'; readonly data: Json; readonly to: GcsObjectPlace }
  | { readonly action: 'download'; readonly from: GcsObjectPlace; readonly target: SaveTarget }
  | { readonly action: 'copy'; readonly from: GcsObjectPlace; readonly to: GcsObjectPlace }
  | { readonly action: 'read' | 'delete' | 'list'; readonly from: GcsObjectPlace };

export type GcsAction = GcsRequest['action'];

const ACTIONS: readonly GcsAction[] = ['upload', 'write', 'download', 'copy', 'read', 'delete', 'list'];

/**
 * The action is inferred from source and destination unless given.
 *
 * @throws ToolError `INVALID_ACTION`, `INVALID_PLACE`, `INVALID_SAVE_TO`, `NO_DATA`, `NO_STORE`, errors of references
 */
export function gcsRequest(call: TaskCall, context: ToolContext): GcsRequest {
  const reference = field(call.config, 'source');
  const stored = isReference(reference);
  const source = stored ? undefined : textField(call, 'source');
  const target = field(call.config, 'destination');
  const intoStore = isMapping(target);
  const destination = intoStore ? undefined : textField(call, 'destination');
  const data = field(call.config, 'data');
  const action = actionOf(call, { source, stored, destination, intoStore, data });
  const from = (): GcsObjectPlace => objectAt('source', source, action);
  switch (action) {
    case 'upload':
      if (stored) {
        const origin = originIn('gcs', 'source', reference);
        const to = objectAt('destination', destination, action);
        if (to.name.endsWith('/')) throw wrong('a referenced value has no name: write one in `destination`');
        return { action, source: { store: storeOf('gcs', context), origin }, to };
      }
      return {
        action,
        source: { file: fileAt('source', source, action) },
        to: named(destination, source, action),
      };
    case 'write':
      if (data === undefined) throw invalidInput('gcs: there is no `data` to write', 'NO_DATA');
      return { action, data, to: objectAt('destination', destination, action) };
    case 'download':
      return {
        action,
        from: from(),
        target: (intoStore && saveTarget(call, context, target, 'destination')) || {
          file: fileAt('destination', destination, action),
        },
      };
    case 'copy':
      return { action, from: from(), to: named(destination, source, action) };
    case 'read':
    case 'delete':
      return { action, from: from() };
    case 'list':
      return { action, from: placeAt('source', source, action) };
  }
}

/** Custom metadata; values become strings, as in Google Cloud Storage. */
export function metadataOf(call: TaskCall): Record<string, string> | undefined {
  const metadata = mappingField(call, 'metadata');
  if (!metadata) return undefined;
  return Object.fromEntries(
    Object.entries(metadata).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
}

interface Ends {
  readonly source: string | undefined;
  /** The source is a reference. */
  readonly stored: boolean;
  readonly destination: string | undefined;
  /** The destination is the store of large results. */
  readonly intoStore: boolean;
  readonly data: Json | undefined;
}

function actionOf(call: TaskCall, { source, stored, destination, intoStore, data }: Ends): GcsAction {
  const written = textField(call, 'action', 'operation')?.trim().toLowerCase();
  if (written !== undefined) {
    const action = ACTIONS.find((one) => one === written);
    if (action) return action;
    throw invalidInput(`gcs: action '${written}' is not one of ${ACTIONS.join(', ')}`, 'INVALID_ACTION');
  }
  if (data !== undefined) return 'write';
  if (stored) return 'upload';
  if (source === undefined) throw wrong('`source` is missing: a file, or gs://bucket/name');
  if (!isObject(source)) return 'upload';
  if (intoStore) return 'download';
  if (destination === undefined) return source.endsWith('/') ? 'list' : 'read';
  return isObject(destination) ? 'copy' : 'download';
}

function isObject(text: string): boolean {
  return text.startsWith('gs://');
}

/** A destination that ends with a slash, or is only a bucket, takes the name of the source. */
function named(
  destination: string | undefined,
  source: string | undefined,
  action: GcsAction,
): GcsObjectPlace {
  const place = placeAt('destination', destination, action);
  if (place.name !== '' && !place.name.endsWith('/')) return place;
  return { ...place, name: place.name + source!.split('/').at(-1)! };
}

function objectAt(name: string, text: string | undefined, action: GcsAction): GcsObjectPlace {
  const place = placeAt(name, text, action);
  if (place.name === '') throw wrong(`${action} needs an object in \`${name}\`, and '${text}' is a bucket`);
  return place;
}

function placeAt(name: string, text: string | undefined, action: GcsAction): GcsObjectPlace {
  const match = /^gs:\/\/([a-z0-9][\w.-]{1,220}[a-z0-9])(?:\/(.*))?$/s.exec(text ?? '');
  if (!match) {
    throw wrong(
      `${action} needs \`${name}\` as gs://bucket/name${text === undefined ? '' : `, not '${text}'`}`,
    );
  }
  return { bucket: match[1]!, name: match[2] ?? '' };
}

function fileAt(name: string, text: string | undefined, action: GcsAction): string {
  if (text === undefined || text === '' || isObject(text)) {
    throw wrong(`${action} needs \`${name}\` as a file of the worker${text ? `, not '${text}'` : ''}`);
  }
  return workerFile('gcs', text.replace(/^file:\/\//, ''));
}

function wrong(why: string): ToolError {
  return invalidInput(`gcs: ${why}`, 'INVALID_PLACE');
}
