/** The SQL of a task: a string, a list of strings, or an external script. */
import { isMapping, type TaskCall } from '../../../src/language/plan';
import { field, jsonTypeName } from '../tool/fields';
import { invalidInput } from '../tool/outcome';
import { loadScript, type ScriptContext } from '../scripts/load';

/** Fields that contain SQL; a task has exactly one of them. */
export const SQL_TEXT_FIELDS = ['command', 'query', 'commands', 'script', 'sql', 'statement'];

/** @throws ToolError `EMPTY_SQL`, and those of `loadScript` for `script: {uri, source}` */
export async function sqlTexts(call: TaskCall, context: ScriptContext): Promise<string[]> {
  const value = field(call.config, ...SQL_TEXT_FIELDS);
  const script =
    value === call.config['script'] && isMapping(value) ? await loadScript(call, context) : value;
  const list = Array.isArray(script) ? script : script === undefined ? [] : [script];
  const texts = list.map((one) => {
    if (typeof one === 'string') return one;
    throw invalidInput(`${call.kind}: a command must be a string, not ${jsonTypeName(one)}`);
  });
  if (texts.every((one) => one.trim() === '')) throw invalidInput('no sql command provided', 'EMPTY_SQL');
  return texts.filter((one) => one.trim() !== '');
}
