/** Texts in requests. */
import { z } from 'zod';

/** Postgres does not accept NUL in text. */
export function boundedText(max: number): z.ZodString {
  return z
    .string()
    .max(max)
    .regex(/^[^\u0000]*$/, 'has a NUL character');
}
