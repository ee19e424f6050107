/** What schemas of requests and documents are made of. */
import { z } from 'zod';
import { compact, labelsProblem } from '../../../language/plan';

/** A document that has a name in the OpenAPI document, and in clients that are generated from it. */
export function component<Shape extends z.ZodRawShape>(id: string, shape: Shape, description?: string) {
  return z.object(shape).meta({ id, ...compact({ description }) });
}

export const mapping = z.record(z.string(), z.unknown());

export const labelMapping = z
  .record(z.string(), z.string())
  .superRefine((labels, { addIssue }) => {
    const problem = labelsProblem(labels);
    if (problem !== undefined) addIssue({ code: 'custom', message: problem });
  })
  .meta({
    description: 'Labels, by which executions are found, beside those of the playbook; nothing secret',
    example: { team: 'sales' },
  });

/** In a query, where everything is text. */
export function integerFrom(least: number): z.ZodCoercedNumber {
  return z.coerce.number().int().min(least);
}

/** Postgres does not accept NUL in text. */
export function boundedText(max: number): z.ZodString {
  return z
    .string()
    .max(max)
    .regex(/^[^\u0000]*$/, 'has a NUL character');
}
