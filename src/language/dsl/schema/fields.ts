/** The fields of shapes, by type: what the tables of the language are written with. */
import { compact } from '../../plan';
import { type Change, inputsAs } from '../fixes/words';
import { type SchemaField, type SchemaShape, type Type } from './shape';

type More = Pick<SchemaField, 'example' | 'deprecated' | 'placeholder' | 'numberAs'>;

/** A field of a type without a constructor of its own. */
export function of(type: Type, doc: string, more?: More): SchemaField {
  return { type, doc, ...more };
}

const typed =
  (type: Type) =>
  (doc: string, more?: More): SchemaField =>
    of(type, doc, more);

export const amount = typed('amount');
export const any = typed('any');
export const boolean = typed('boolean');
export const conditionField = typed('condition');
export const count = typed('count');
export const durationField = typed('duration');
export const limitField = typed('limit');
export const anyMappingField = typed('mapping');
export const name = typed('name');
export const anyTextField = typed('text');

/** One of these words. */
export function keyword(values: readonly string[], doc: string, more?: More): SchemaField {
  return of({ values }, doc, more);
}

/** A mapping of this shape; a function, because shapes contain each other. */
export function nestedField(inner: () => SchemaShape, doc: string, more?: More): SchemaField {
  return of({ shape: inner }, doc, more);
}

export function listField(list: Type, doc: string, more?: More): SchemaField {
  return of({ list }, doc, more);
}

export function either(types: readonly Type[], doc: string, more?: More): SchemaField {
  return of({ either: types }, doc, more);
}

export function required(field: SchemaField): SchemaField {
  return { ...field, required: true };
}

/** A key that is rejected with this code. */
export function rejected(doc: string, ...[code, message, hint, fix]: RejectedParts): SchemaField {
  return { type: 'any', doc, rejected: { code, message, hint, ...compact({ fix }) } };
}

type RejectedParts = readonly [
  code: NonNullable<SchemaField['rejected']>['code'],
  message: string,
  hint: string,
  fix?: Change,
];

/** `with`, the former name of this key. */
export function formerly(key: string): SchemaField {
  const deprecated = { code: 'NT5005', hint: `write \`${key}\``, fix: inputsAs(key) } as const;
  return anyMappingField(`Former name of \`${key}\`.`, { deprecated });
}

/** A key of a later version. */
export const RESERVED: SchemaField = any('Reserved.', { placeholder: true });

/** Official engines: where the result of a step or tool is stored, and what of it stays. */
export const OUTPUT: SchemaField = any('Accepted without effect.', {
  placeholder: 'results are kept whole, and a large one is stored outside history (docs/large-results.md)',
});

/** A text for the reader of the playbook. */
export const REMARK: SchemaField = anyTextField('A remark.');
