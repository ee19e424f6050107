// An MCP server of the official SDK for tests. Run by itself it speaks over stdio; in tests it is behind HTTP.
const { setTimeout: sleep } = require('node:timers/promises');
const { McpServer } = require('@modelcontextprotocol/sdk/server/mcp.js');
const { StdioServerTransport } = require('@modelcontextprotocol/sdk/server/stdio.js');
const { z } = require('zod');

const text = (value) => ({ content: [{ type: 'text', text: value }] });

/** @param told what the server heard besides calls: `started`, `cancelled` */
function toolServer(told = () => undefined) {
  const server = new McpServer({ name: 'tests', version: '1.2.3' }, { instructions: 'for tests' });
  server.registerTool(
    'add',
    { inputSchema: { a: z.number(), b: z.number() }, outputSchema: { sum: z.number() } },
    ({ a, b }) => ({ ...text(`the sum is ${a + b}`), structuredContent: { sum: a + b } }),
  );
  server.registerTool('say', { inputSchema: { text: z.string() } }, ({ text: said }) => text(said));
  server.registerTool('two', {}, () => ({
    content: [
      ...text('one').content,
      { type: 'image', data: 'aGk=', mimeType: 'image/png' },
      ...text('two').content,
    ],
  }));
  server.registerTool('picture', {}, () => ({
    content: [{ type: 'image', data: 'aGk=', mimeType: 'image/png' }],
  }));
  server.registerTool('fail', {}, () => ({ ...text('the shelf is empty'), isError: true }));
  server.registerTool('huge', { inputSchema: { bytes: z.number() } }, ({ bytes }) => text('x'.repeat(bytes)));
  server.registerTool('environment', {}, () => text(JSON.stringify(process.env)));
  server.registerTool('die', {}, () => {
    console.error('out of memory, or so');
    process.exit(3);
  });
  server.registerTool('slow', {}, async (extra) => {
    told('started');
    const { progressToken } = extra._meta ?? {};
    if (progressToken !== undefined)
      await extra.sendNotification({
        method: 'notifications/progress',
        params: { progressToken, progress: 1, total: 9 },
      });
    await sleep(600_000, undefined, { signal: extra.signal }).catch(() => told('cancelled'));
    return text('late');
  });
  server.registerResource('note', 'mem://note', {}, () => ({
    contents: [{ uri: 'mem://note', text: 'a note' }],
  }));
  return server;
}

module.exports = { toolServer };
if (require.main === module) void toolServer().connect(new StdioServerTransport());
