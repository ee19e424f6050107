/** Shapes of data from outside, checked without a library: this code runs inside workflows. */
import { isMapping } from '../../language/plan';

export type Shape = (value: unknown) => boolean;

/** Longest id of anything. */
const MAX_ID = 2000;

export const id: Shape = (value) => typeof value === 'string' && value.length <= MAX_ID;
export const text: Shape = (value) => typeof value === 'string';
export const number: Shape = (value) => typeof value === 'number' && Number.isFinite(value);
export const mapping: Shape = isMapping;
export const anything: Shape = () => true;

export function listOf(shape: Shape): Shape {
  return (value) => Array.isArray(value) && value.every(shape);
}

export function mappingOf(shape: Shape): Shape {
  return (value) => isMapping(value) && Object.values(value).every(shape);
}

/** Absent, or of the shape; null counts as absent where JSON cannot tell the difference. */
export function optional(shape: Shape): Shape {
  return (value) => value === undefined || value === null || shape(value);
}

export function oneOf(...texts: readonly string[]): Shape {
  return (value) => texts.includes(value as string);
}

/** A mapping with these members; others are not looked at. */
export function shaped(members: Readonly<Record<string, Shape>>): Shape {
  const entries = Object.entries(members);
  return (value) => isMapping(value) && entries.every(([name, shape]) => shape(value[name]));
}

/** A mapping whose member `name` says which of the shapes it has. */
export function variants(name: string, shapes: Readonly<Record<string, Shape>>): Shape {
  return (value) => {
    const variant = isMapping(value) ? value[name] : undefined;
    return typeof variant === 'string' && Object.hasOwn(shapes, variant) && shapes[variant]!(value);
  };
}
