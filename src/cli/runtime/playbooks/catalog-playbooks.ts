/** Sub-playbooks of the catalog (D23), for workers in the process of a facade. */
import { nearPaths } from '../../../dsl';
import { FacadeError, type Library } from '../../../facade';
import { type Json, type JsonObject, type Plan, type PlaybookRequest } from '../../../plan';
import { PlaybookRefused, type PlaybookResolver } from '../../../worker/playbooks';

export class CatalogPlaybooks implements PlaybookResolver {
  constructor(private readonly library: Library) {}

  async resolve({ path, version }: PlaybookRequest): Promise<Plan> {
    const entry = await this.library.catalog.find(path, version);
    if (!entry) {
      const said = version === undefined ? path : `${path}, version ${version}`;
      const near = nearPaths(path, await this.library.catalog.paths('playbook'));
      throw new PlaybookRefused('PLAYBOOK_NOT_FOUND', `the catalog has no playbook ${said}${near}`);
    }
    try {
      return await this.library.planOf(entry, 'workers');
    } catch (error) {
      if (!(error instanceof FacadeError)) throw error;
      throw refusedAsInvalid(error.message, error.more['diagnostics']);
    }
  }
}

/** A playbook that is there and cannot be run. */
export function refusedAsInvalid(message: string, diagnostics: unknown): PlaybookRefused {
  const details: JsonObject = Array.isArray(diagnostics) ? { diagnostics: diagnostics as Json[] } : {};
  return new PlaybookRefused('PLAYBOOK_INVALID', message, details);
}
