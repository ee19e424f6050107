/** The language server, in a process of its own. */
import { serveEditor } from '../../../src/cli/lsp/server';

void serveEditor();
