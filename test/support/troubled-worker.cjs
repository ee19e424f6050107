/** A worker of test workflows that may end this process: node troubled-worker.cjs ADDRESS BUNDLE [ours] */
const { NativeConnection, Runtime, Worker } = require('@temporalio/worker');

/** @param ours whether payloads are as ours are; needs a build */
async function main([address, codePath, ours]) {
  Runtime.install({ telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' } } } });
  const connection = await NativeConnection.connect({ address });
  const workflowBundle = { codePath };
  const dataConverter =
    ours && (await require('../../dist/src/storage/blobs').openStorage('none')).dataConverter;
  await (
    await Worker.create({
      connection,
      taskQueue: 'noetl-workflows',
      workflowBundle,
      ...(ours && { dataConverter }),
    })
  ).run();
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error);
  process.exit(1);
});
