/** Separate from the catalog, so that workers that use a facade do not load it. */
import { type Json, type JsonObject } from '../../../language/plan';
import { PlaybookRefused } from '../../../temporal/worker/playbooks';

/** A playbook that exists but cannot be run. */
export function refusedAsInvalid(message: string, diagnostics: unknown): PlaybookRefused {
  const details: JsonObject = Array.isArray(diagnostics) ? { diagnostics: diagnostics as Json[] } : {};
  return new PlaybookRefused('PLAYBOOK_INVALID', message, details);
}
