/**
 * Google's own fake of Pub/Sub: the program that NOETL_TEST_PUBSUB names, or one that is built with Go, `pstest` of
 * cloud.google.com/go/pubsub/v2. What it holds is in its memory.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { freePort, isListening } from '../../src/temporal/client';
import { start } from './process';
import { until } from './until';

const SERVER = `package main

import (
	"os"
	"strconv"

	"cloud.google.com/go/pubsub/v2/pstest"
)

func main() {
	port, _ := strconv.Atoi(os.Args[1])
	pstest.NewServerWithPort(port)
	select {}
}
`;

function builtProgram(folder: string): string {
  fs.writeFileSync(path.join(folder, 'main.go'), SERVER);
  const go = (...args: string[]) => execFileSync('go', args, { cwd: folder, stdio: 'pipe' });
  go('mod', 'init', 'pubsub');
  go('get', 'cloud.google.com/go/pubsub/v2@v2.0.0');
  go('mod', 'tidy');
  go('build', '-o', 'pubsub', '.');
  return path.join(folder, 'pubsub');
}

export async function startPubSub(): Promise<{ readonly endpoint: string; stop(): Promise<void> }> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-pubsub-'));
  const program = process.env['NOETL_TEST_PUBSUB'] ?? builtProgram(folder);
  const port = await freePort();
  const server = start(program, [String(port)]);
  await until(() => isListening(port));
  return {
    endpoint: `127.0.0.1:${port}`,
    async stop() {
      server.child.kill('SIGKILL');
      await server.finished;
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}
