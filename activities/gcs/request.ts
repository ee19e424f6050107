/** What a `gcs` task asks for, read from its fields before anything is opened. */
import { type Json, type TaskCall } from '../../src/plan';
import { field, mappingField, textField } from '../fields';
import { invalid, type ToolError } from '../outcome';

/** An object, or (with an empty or partial name) the objects whose names begin so. */
export interface Place {
  readonly bucket: string;
  readonly name: string;
}

export type GcsRequest =
  | { readonly action: 'upload'; readonly file: string; readonly to: Place }
  | { readonly action: 'write'; readonly data: Json; readonly to: Place }
  | { readonly action: 'download'; readonly from: Place; readonly file: string }
  | { readonly action: 'copy'; readonly from: Place; readonly to: Place }
  | { readonly action: 'read' | 'delete' | 'list'; readonly from: Place };

export type GcsAction = GcsRequest['action'];

const ACTIONS: readonly GcsAction[] = ['upload', 'write', 'download', 'copy', 'read', 'delete', 'list'];

/**
 * The action follows from where source and destination are, unless it is written.
 *
 * @throws ToolError `INVALID_ACTION`, `INVALID_PLACE`, `NO_DATA`
 */
export function gcsRequest(call: TaskCall): GcsRequest {
  const source = textField(call, 'source');
  const destination = textField(call, 'destination');
  const data = field(call.config, 'data');
  const action = actionOf(call, source, destination, data);
  const from = (): Place => objectAt('source', source, action);
  switch (action) {
    case 'upload':
      return { action, file: fileAt('source', source, action), to: target(destination, source, action) };
    case 'write':
      if (data === undefined) throw invalid('gcs: there is no `data` to write', 'NO_DATA');
      return { action, data, to: objectAt('destination', destination, action) };
    case 'download':
      return { action, from: from(), file: fileAt('destination', destination, action) };
    case 'copy':
      return { action, from: from(), to: target(destination, source, action) };
    case 'read':
    case 'delete':
      return { action, from: from() };
    case 'list':
      return { action, from: placeAt('source', source, action) };
  }
}

/** Custom metadata; values become text, as Google Cloud Storage keeps them. */
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

function actionOf(
  call: TaskCall,
  source: string | undefined,
  destination: string | undefined,
  data: Json | undefined,
): GcsAction {
  const written = textField(call, 'action', 'operation')?.trim().toLowerCase();
  if (written !== undefined) {
    const known = ACTIONS.find((one) => one === written);
    if (known) return known;
    throw invalid(`gcs: action '${written}' is not one of ${ACTIONS.join(', ')}`, 'INVALID_ACTION');
  }
  if (data !== undefined) return 'write';
  if (source === undefined) throw wrong('`source` is missing: a file, or gs://bucket/name');
  if (!isObject(source)) return 'upload';
  if (destination === undefined) return source.endsWith('/') ? 'list' : 'read';
  return isObject(destination) ? 'copy' : 'download';
}

function isObject(text: string): boolean {
  return text.startsWith('gs://');
}

/** A destination that ends with a slash, or is a bucket alone, takes the name of the source. */
function target(destination: string | undefined, source: string | undefined, action: GcsAction): Place {
  const place = placeAt('destination', destination, action);
  if (place.name !== '' && !place.name.endsWith('/')) return place;
  return { ...place, name: place.name + source!.split('/').at(-1)! };
}

function objectAt(name: string, text: string | undefined, action: GcsAction): Place {
  const place = placeAt(name, text, action);
  if (place.name === '') throw wrong(`${action} needs an object in \`${name}\`, and '${text}' is a bucket`);
  return place;
}

function placeAt(name: string, text: string | undefined, action: GcsAction): Place {
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
  return text.replace(/^file:\/\//, '');
}

function wrong(why: string): ToolError {
  return invalid(`gcs: ${why}`, 'INVALID_PLACE');
}
