/** The fields of shapes, by type: what the tables of the language are written with. */
import { type Field, type Shape, type Type } from './shape';

type More = Pick<Field, 'example' | 'deprecated' | 'placeholder'>;

/** A field of a type without a constructor of its own. */
export function of(type: Type, doc: string, more?: More): Field {
  return { type, doc, ...more };
}

const typed =
  (type: Type) =>
  (doc: string, more?: More): Field =>
    of(type, doc, more);

export const amount = typed('amount');
export const any = typed('any');
export const boolean = typed('boolean');
export const condition = typed('condition');
export const count = typed('count');
export const duration = typed('duration');
export const limit = typed('limit');
export const mapping = typed('mapping');
export const name = typed('name');
export const text = typed('text');

/** One of these words. */
export function keyword(values: readonly string[], doc: string, more?: More): Field {
  return of({ values }, doc, more);
}

/** A mapping of this shape; a function, because shapes contain each other. */
export function nested(inner: () => Shape, doc: string, more?: More): Field {
  return of({ shape: inner }, doc, more);
}

export function listOf(list: Type, doc: string, more?: More): Field {
  return of({ list }, doc, more);
}

export function either(types: readonly Type[], doc: string, more?: More): Field {
  return of({ either: types }, doc, more);
}

export function required(field: Field): Field {
  return { ...field, required: true };
}

/** A key that is rejected with this code. */
export function rejected(doc: string, ...[code, message, hint]: RejectedParts): Field {
  return { type: 'any', doc, rejected: { code, message, hint } };
}

type RejectedParts = readonly [code: NonNullable<Field['rejected']>['code'], message: string, hint: string];

/** `with`, the former name of this key. */
export function formerly(key: string): Field {
  const deprecated = { code: 'NT5005', hint: `write \`${key}\`` } as const;
  return mapping(`Former name of \`${key}\`.`, { deprecated });
}

/** A key of a later version. */
export const RESERVED: Field = any('Reserved.', { placeholder: true });

/** A text for the reader of the playbook. */
export const REMARK: Field = text('A remark.');
