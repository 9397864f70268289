import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { makeCertificate } from '../browsers/certificate.ts';
import { endGuarded, findFreePort, startGuarded } from '../guarded-server.ts';
import { makeTemporaryFolder, removeFolder } from '../temporary-folders.ts';

/** The name of the samples, for which the certificate is made. */
export const DOMAIN = 'chat.example.com';
const SAMPLES = new URL('../../deploy/', import.meta.url);

interface Proxy extends AsyncDisposable {
  readonly port: number;
}

/** nginx, which also redirects calls without TLS. */
interface Nginx extends Proxy {
  readonly plainPort: number;
}

/** The path of an installed program; `undefined` if there is none. */
export function findProgram(name: 'nginx' | 'caddy'): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/bin'];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** Starts nginx with `deploy/nginx.conf`, of which only ports and names of files differ. */
export async function startNginx(upstream: string): Promise<Nginx> {
  const plainPort = await findFreePort();
  const proxy = await start('nginx', async (folder, port) => {
    const sample = (await readFile(new URL('nginx.conf', SAMPLES), 'utf8'))
      .replaceAll(/^\tlisten \[::\].*\n/gm, '')
      .replace('listen 80;', `listen 127.0.0.1:${plainPort};`)
      .replace('listen 443 ', `listen 127.0.0.1:${port} `)
      .replace('127.0.0.1:3000', upstream)
      .replaceAll(/\/etc\/letsencrypt\S*\/(\w+\.pem)/g, (_, file) => join(folder, file));
    await writeFile(join(folder, 'doorman.conf'), sample);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    const paths = temporary.map((name) => `${name}_temp_path ${join(folder, name)};`).join(' ');
    const main = join(folder, 'nginx.conf');
    await writeFile(
      main,
      `daemon off; master_process off; pid ${join(folder, 'pid')}; error_log stderr;
      events {} http { access_log off; ${paths} include ${join(folder, 'doorman.conf')}; }`,
    );
    return ['-e', 'stderr', '-p', folder, '-c', main];
  });
  return { ...proxy, plainPort };
}

/** Starts Caddy with a sample, to which a certificate is added. It finds out sooner than the sample which nodes are ready. */
export async function startCaddy(sample: 'Caddyfile' | 'Caddyfile.nodes', upstream: string): Promise<Proxy> {
  return start('caddy', async (folder, port) => {
    const text = (await readFile(new URL(sample, SAMPLES), 'utf8'))
      .replace(
        '{$DOMAIN} {',
        `https://${DOMAIN}:${port} {\n\tbind 127.0.0.1\n\ttls fullchain.pem privkey.pem`,
      )
      .replace('health_interval 2s', 'health_interval 100ms')
      .replace('lb_try_duration 5s', 'lb_try_duration 1s')
      .replace(/\{\$UPSTREAM:[^}]*\}/, upstream);
    const options = `{\n\tadmin off\n\tauto_https disable_redirects\n\tstorage file_system ${folder}/storage\n}\n`;
    await writeFile(join(folder, 'Caddyfile'), options + text);
    return ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')];
  });
}

async function start(
  name: 'nginx' | 'caddy',
  configure: (folder: string, port: number) => Promise<string[]>,
): Promise<Proxy> {
  const program = findProgram(name);
  const certificate = await makeCertificate([DOMAIN]);
  if (!program || !certificate) throw new Error(`no ${name} or no openssl`);
  const folder = await makeTemporaryFolder(name);
  await mkdir(join(folder, 'storage'));
  await writeFile(join(folder, 'fullchain.pem'), certificate.cert);
  await writeFile(join(folder, 'privkey.pem'), certificate.key);
  const port = await findFreePort();
  const words = await configure(folder, port);
  const command = ['env', `HOME=${folder}`, `XDG_CONFIG_HOME=${folder}`, `XDG_DATA_HOME=${folder}`, program];
  const server = await startGuarded([...command, ...words], {
    folder,
    endBy: 'KILL',
    answers: () => answers(port),
  });
  return {
    port,
    async [Symbol.asyncDispose]() {
      await endGuarded(server);
      await removeFolder(folder);
    },
  };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, servername: DOMAIN, rejectUnauthorized: false };
    const socket = connect(options, () => {
      socket.destroy();
      resolve(true);
    }).on('error', () => resolve(false));
  });
}
