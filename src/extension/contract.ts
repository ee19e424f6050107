/** What a module says and does that adds tool kinds (docs/extensions.md). */
import { type ToolKind } from '../kinds/declaration';
import { type Outcome, type TaskCall } from '../plan';
import { type ToolContext } from '../../activities/framework/tool/tool';

export interface Extension {
  /** For messages; the name of the package, usually. */
  readonly name: string;
  /** By the word that stands behind `kind:` in playbooks: letters, digits, `_` and `-`. */
  readonly kinds: Readonly<Record<string, ExtensionKind>>;
}

/**
 * A kind, declared as those of this runtime are (src/kinds/declaration.ts), with what it does. Fields that are not
 * listed are a warning of the compiler.
 */
export interface ExtensionKind extends Partial<Omit<ToolKind, 'closed' | 'spec' | 'heartbeat' | 'required'>> {
  readonly doc: string;
  readonly fields: Readonly<Record<string, string>>;
  /** Fields that must be written; a group of spellings needs one of them. */
  readonly required?: readonly (string | readonly string[])[];
  /** Seconds one task may run unless the playbook says otherwise; 300 unless given. */
  readonly timeout?: number;
  /**
   * Runs the task once. `call.config` holds the fields, `call.input` the inputs, all templates evaluated. A failure
   * that the playbook's rules can handle is `failed(…)` or a thrown `ToolError`; anything else that is thrown becomes
   * an error of kind `exception`. `context.signal` is aborted when the task is cancelled: stop then, and return or
   * throw. Heartbeats are sent for you.
   */
  run(call: TaskCall, context: ToolContext): Promise<Outcome>;
  /** Gives back what the kind keeps between tasks, when its worker stops. */
  close?(): Promise<void>;
}

/**
 * The default export of an extension module.
 *
 * @example
 * export default defineExtension({
 *   name: 'dice',
 *   kinds: {
 *     dice: {
 *       doc: 'Rolls a die.',
 *       fields: { sides: 'How many sides it has.' },
 *       run: async (call) => succeeded(1 + Math.floor(Math.random() * numberField(call, ['sides'], 6))),
 *     },
 *   },
 * });
 */
export function defineExtension(extension: Extension): Extension {
  return extension;
}
