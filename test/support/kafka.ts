/** A broker of Kafka in a temporary folder: the jars in the folder that NOETL_TEST_KAFKA names, or those that Maven fetches. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { freePort, isListening } from '../../src/temporal/client';
import { type Running, start } from './process';
import { until } from './until';

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>x</groupId><artifactId>x</artifactId><version>1</version><dependencies>
<dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>4.1.0</version></dependency>
<dependency><groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId><version>1.7.36</version></dependency>
</dependencies></project>`;
const JAVA = [
  '-Xmx256m',
  '-XX:TieredStopAtLevel=1',
  '-XX:+UseSerialGC',
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=error',
];

export interface TestKafka {
  readonly address: string;
  /** With TLS, and a login by SASL: `ada`, `secret`. */
  readonly secured: string;
  /** In PEM: of whoever signed the certificate of `secured`. */
  readonly ca: string;
  /** Ends it without a word. */
  kill(): Promise<void>;
  startAgain(): Promise<void>;
  stop(): Promise<void>;
}

function fetchedJars(folder: string): string {
  fs.writeFileSync(path.join(folder, 'pom.xml'), POM);
  const args = ['-q', 'dependency:copy-dependencies', '-DincludeScope=runtime', '-DoutputDirectory=lib'];
  execFileSync('mvn', args, { cwd: folder, stdio: 'pipe' });
  return path.join(folder, 'lib');
}

/** A certificate of 127.0.0.1 that signs itself, with its key. */
function certificate(folder: string): { key: string; cert: string } {
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => path.join(folder, name));
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'];
  const make = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject];
  execFileSync('openssl', [...make, '-keyout', key!, '-out', cert!], { stdio: 'pipe' });
  return { key: fs.readFileSync(key!, 'utf8'), cert: fs.readFileSync(cert!, 'utf8') };
}

export async function startKafka(): Promise<TestKafka> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-kafka-'));
  const properties = path.join(folder, 'server.properties');
  const jars = process.env['NOETL_TEST_KAFKA'] ?? fetchedJars(folder);
  const [port, tls, other] = [await freePort(), await freePort(), await freePort()];
  const [address, secured] = [`127.0.0.1:${port}`, `127.0.0.1:${tls}`];
  const { key, cert } = certificate(folder);
  const pem = (text: string): string => text.trim().replaceAll('\n', '\\n');
  const scram = 'org.apache.kafka.common.security.scram.ScramLoginModule required;';
  const plain = 'org.apache.kafka.common.security.plain.PlainLoginModule required user_ada="secret";';
  fs.writeFileSync(
    properties,
    `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${other}
listeners=PLAINTEXT://${address},SASL_SSL://${secured},CONTROLLER://127.0.0.1:${other}
advertised.listeners=PLAINTEXT://${address},SASL_SSL://${secured}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,SASL_SSL:SASL_SSL,CONTROLLER:PLAINTEXT
controller.listener.names=CONTROLLER
sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512
listener.name.sasl_ssl.plain.sasl.jaas.config=${plain}
listener.name.sasl_ssl.scram-sha-256.sasl.jaas.config=${scram}
listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config=${scram}
ssl.keystore.type=PEM
ssl.keystore.key=${pem(key)}
ssl.keystore.certificate.chain=${pem(cert)}
log.dirs=${path.join(folder, 'log')}
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
`,
  );
  const users = ['256', '512'].flatMap((bits) => [
    '--add-scram',
    `SCRAM-SHA-${bits}=[name=ada,password=secret]`,
  ]);
  const format = ['kafka.tools.StorageTool', 'format', '-t', 'MkU3OEVBNTcwNTJENDM2Qg', '-c', properties];
  execFileSync('java', [...JAVA, '-cp', `${jars}/*`, ...format, ...users], { stdio: 'pipe' });
  let broker: Running;
  const startAgain = async (): Promise<void> => {
    broker = start('java', [...JAVA, '-cp', `${jars}/*`, 'kafka.Kafka', properties]);
    await until(() => isListening(port), 60_000);
  };
  const kill = async (): Promise<void> => {
    broker.child.kill('SIGKILL');
    await broker.finished;
  };
  await startAgain();
  return {
    address,
    secured,
    ca: cert,
    kill,
    startAgain,
    async stop() {
      await kill();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}
