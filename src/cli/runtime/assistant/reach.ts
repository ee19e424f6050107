/** What an assistant's tools reach from a command: files below the current folder, and a facade or Temporal. */
import fs from 'node:fs';
import path from 'node:path';
import { CodedError } from '../../../language/errors';
import { type CallExecutor } from '../../../offline/proof';
import { type AssistantReach, type SourceText } from '../../../service/assistant';
import { extensions } from '../../extensions';
import { findByPath, readText } from '../../input/playbook';
import { PlaybookFolder } from '../../input/playbook-folder';
import { type Port, type PortFlags } from '../port';
import { ask } from '../port/ask';
import { withRecorded } from '../with-recorded';
import { askFile } from './in-files';
import { runHere } from './run-here';

/** @param assistant as it says itself, for the log of the facade */
export function commandReach(
  port: Port,
  flags: PortFlags,
  { assistant, execute }: { readonly assistant: string; readonly execute?: CallExecutor },
): AssistantReach {
  const { data, storage } = flags;
  const server = port.url;
  const headers = { 'noetl-assistant': assistant };
  const askPort = <T>(place: string, call = {}): Promise<T> => ask<T>(port, place, { ...call, headers });
  return {
    kinds: extensions().kinds,
    ...(execute && { execute }),
    hasCatalog: server !== undefined,
    async ask<T>(place: string, call = {}) {
      const [, named = '', about = ''] = /^\/api\/executions\/([^/?]+)\/(.*)$/.exec(place) ?? [];
      const file = named === '' ? undefined : fileNamed(decodeURIComponent(named));
      if (file !== undefined) return (await askFile(file, about, { data, storage })) as T;
      return await askPort<T>(place, call);
    },
    async playbook(name) {
      const file = fileNamed(name);
      if (file !== undefined) return { text: readText(file), file };
      if (server === undefined) return textOf(findByPath(name));
      const body = { path: name };
      const { content } = await askPort<{ content: string }>('/api/catalog/resource', {
        method: 'POST',
        body,
      });
      return { text: content };
    },
    file: (name) => Promise.resolve(textOf(fileNamed(name) ?? noFile(name))),
    playbooks: () => Promise.resolve(new PlaybookFolder(['.']).paths().map((one) => ({ path: one }))),
    async history(name, use) {
      const file = fileNamed(name);
      const where = { ...(data !== undefined && { data }), ...(storage !== undefined && { storage }) };
      return await withRecorded(
        [file ?? name],
        file === undefined && server !== undefined ? { ...where, server } : where,
        (run) =>
          use({
            name,
            converter: run.converter,
            pages: () => run.pages(),
            ...(run.id !== undefined && { workflowId: run.id }),
          }),
      );
    },
    ...(server === undefined && { run: (request) => runHere(request, flags) }),
  };
}

function textOf(file: string): SourceText {
  return { text: readText(file), file };
}

/**
 * A file below the current folder: an assistant is given no other, also not by a link.
 *
 * @throws CodedError `OUTSIDE`
 */
function fileNamed(name: string): string | undefined {
  if (!fs.existsSync(name) || fs.statSync(name).isDirectory()) return undefined;
  const relative = path.relative(fs.realpathSync('.'), fs.realpathSync(name));
  if (!relative.startsWith('..') && !path.isAbsolute(relative)) return path.normalize(name);
  throw new CodedError(
    'OUTSIDE',
    `${name} is not below the folder in which \`noetl-temporal mcp\` was started`,
  );
}

function noFile(name: string): never {
  throw new CodedError(
    'NO_SUCH_FILE',
    `${name}: there is no such file, and a text of YAML has more than one line`,
  );
}
