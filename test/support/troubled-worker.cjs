/** A worker of test workflows that may end this process: node troubled-worker.cjs ADDRESS BUNDLE */
const { NativeConnection, Runtime, Worker } = require('@temporalio/worker');

async function main([address, codePath]) {
  Runtime.install({ telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' } } } });
  const connection = await NativeConnection.connect({ address });
  const workflowBundle = { codePath };
  await (await Worker.create({ connection, taskQueue: 'noetl-workflows', workflowBundle })).run();
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error);
  process.exit(1);
});
