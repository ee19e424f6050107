/** The contract of extension modules, which add tool kinds (docs/extensions.md). */
import { type ToolKind } from '../../language/kinds/declaration';
import { type Outcome, type TaskCall } from '../../language/plan';
import { type ToolContext } from '../../../activities/framework/tool/tool';
import { type Source } from '../../server/triggers/source';

export interface Extension {
  /** For messages; usually the name of the package. */
  readonly name: string;
  /** By the value of `kind:` in playbooks: letters, digits, `_` and `-`. */
  readonly kinds: Readonly<Record<string, ExtensionKind>>;
  /** By the value of `source:` in subscriptions. */
  readonly sources?: Readonly<Record<string, ExtensionSource>>;
}

/** A source of messages, opened like the built-in ones (docs/extensions.md#sources-of-messages). */
export interface ExtensionSource extends Omit<Source, 'name'> {
  /** Its own keys of `spec`, each with a description. */
  readonly fields: Readonly<Record<string, string>>;
  readonly required?: readonly string[];
}

/**
 * A kind, declared like the built-in ones (src/language/kinds/declaration.ts), and its implementation. Unlisted fields cause
 * a compiler warning.
 */
export interface ExtensionKind extends Partial<
  Omit<ToolKind, 'closed' | 'spec' | 'heartbeat' | 'required' | 'respondsOverHttp'>
> {
  readonly doc: string;
  readonly fields: Readonly<Record<string, string>>;
  /** Required fields; of a group of spellings one is required. */
  readonly required?: readonly (string | readonly string[])[];
  /** Timeout of a task in seconds unless the playbook sets one; default 300. */
  readonly timeout?: number;
  /**
   * Runs the task once. `call.config` holds the fields, `call.input` the inputs, with all templates evaluated. A
   * failure that the playbook's rules can handle is `failed(…)` or a thrown `ToolError`; any other thrown value
   * becomes an error of kind `exception`. `context.signal` is aborted when the task is cancelled: stop then, and
   * return or throw. Heartbeats are sent automatically.
   */
  run(call: TaskCall, context: ToolContext): Promise<Outcome>;
  /** Releases resources kept between tasks, when the worker stops. */
  close?(): Promise<void>;
}

/**
 * Declares the default export of an extension module.
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
