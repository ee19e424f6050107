/** Shapes of data from outside, checked without a library: this code runs inside workflows. */
import { isMapping } from '../../language/plan';

export type MessageShape = (value: unknown) => boolean;

/** Longest id of anything. */
const MAX_ID = 2000;

export const id: MessageShape = (value) => typeof value === 'string' && value.length <= MAX_ID;
export const textShape: MessageShape = (value) => typeof value === 'string';
export const number: MessageShape = (value) => typeof value === 'number' && Number.isFinite(value);
export const mappingShape: MessageShape = isMapping;
export const anyShape: MessageShape = () => true;

export function listShape(shape: MessageShape): MessageShape {
  return (value) => Array.isArray(value) && value.every(shape);
}

export function mappingOfShape(shape: MessageShape): MessageShape {
  return (value) => isMapping(value) && Object.values(value).every(shape);
}

/** Absent, or of the shape; null counts as absent where JSON cannot tell the difference. */
export function optionalShape(shape: MessageShape): MessageShape {
  return (value) => value === undefined || value === null || shape(value);
}

export function oneOfShape(...texts: readonly string[]): MessageShape {
  return (value) => texts.includes(value as string);
}

/** A mapping with these members; others are not looked at. */
export function shaped(members: Readonly<Record<string, MessageShape>>): MessageShape {
  const entries = Object.entries(members);
  return (value) => isMapping(value) && entries.every(([name, shape]) => shape(value[name]));
}

/** A mapping whose member `name` says which of the shapes it has. */
export function variants(name: string, shapes: Readonly<Record<string, MessageShape>>): MessageShape {
  return (value) => {
    const variant = isMapping(value) ? value[name] : undefined;
    return typeof variant === 'string' && Object.hasOwn(shapes, variant) && shapes[variant]!(value);
  };
}
