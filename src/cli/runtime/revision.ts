import { loadPlaybook, type LoadedPlaybook } from '../input/playbook';

/** The revision of `--playbook FILE`, with its diagnostics printed. @throws UsageError if it does not compile */
export function revisionFrom(file: string | undefined): LoadedPlaybook | undefined {
  return file === undefined ? undefined : loadPlaybook(file);
}
