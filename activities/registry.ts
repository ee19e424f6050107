/** Every tool of this runtime by its kind. What a tool does is loaded by its first task: a worker of one kind pays for one. */
import { declarationOf } from '../src/language/plan';
import { missingPackage } from './framework/tool/optional-package';
import { type Tool } from './framework/tool/tool';
import { KIND_TABLE } from '../src/language/kinds/table';

/** Tools that were loaded by this process. */
const loaded = new Map<string, Tool>();

/**
 * By convention `kinds/<kind>/run` exports the tool under the name of its kind.
 *
 * @throws ToolError `PACKAGE_MISSING`
 */
function load(kind: string): Tool {
  const before = loaded.get(kind);
  if (before) return before;
  try {
    // oxlint-disable-next-line typescript/no-require-imports -- loads on demand, in tests of the sources too
    const tool = (require(`./kinds/${kind}/run`) as Record<string, Tool>)[kind]!;
    loaded.set(kind, tool);
    return tool;
  } catch (error) {
    throw missingPackage(kind, declarationOf(kind)?.packages ?? [], error) ?? error;
  }
}

function onDemand(kind: string): Tool {
  return {
    kind,
    get keepsHandles() {
      return load(kind).keepsHandles;
    },
    get takesNoSecrets() {
      return load(kind).takesNoSecrets;
    },
    run: async (call, context) => load(kind).run(call, context),
  };
}

/** The kinds that run as activities. */
export const toolKinds: readonly string[] = Object.keys(KIND_TABLE);

export const registry: ReadonlyMap<string, Tool> = new Map(toolKinds.map((kind) => [kind, onDemand(kind)]));

/** Gives back what the tools keep between tasks, those of extensions too; a tool may be used again afterwards. */
export async function closeTools(extensions: readonly Tool[]): Promise<void> {
  await Promise.all([...loaded.values(), ...extensions].map(async (tool) => tool.close?.()));
}
