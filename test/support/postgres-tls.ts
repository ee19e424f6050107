/** Lets a test's Postgres speak TLS, with the certificates of test/fixtures/tls. */
import fs from 'node:fs';
import path from 'node:path';
import { type PostgresTool } from './postgres-tool';

const TLS = path.resolve(__dirname, '../fixtures/tls');

/** @param demanding a database that refuses whoever comes without TLS */
export async function speakTls(pg: Pick<PostgresTool, 'admin'>, demanding?: string): Promise<void> {
  const [place] = await pg.admin(
    `select current_setting('data_directory') as data, current_setting('hba_file') as hba`,
  );
  const { data, hba } = place as { data: string; hba: string };
  const { uid, gid } = fs.statSync(data);
  for (const name of ['ca.pem', 'server.pem', 'server.key']) {
    const target = path.join(data, name);
    fs.copyFileSync(path.join(TLS, name), target);
    fs.chmodSync(target, 0o600);
    fs.chownSync(target, uid, gid);
  }
  const rules = fs.readFileSync(hba, 'utf8');
  if (demanding) fs.writeFileSync(hba, `hostnossl ${demanding} all all reject\n${rules}`);
  for (const setting of [
    `ssl = on`,
    `ssl_cert_file = 'server.pem'`,
    `ssl_key_file = 'server.key'`,
    `ssl_ca_file = 'ca.pem'`,
  ])
    await pg.admin(`alter system set ${setting}`);
  await pg.admin('select pg_reload_conf()');
}
