import { execFile } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { promisify } from 'node:util';
import { endingsOf, type Scope } from './endings.ts';

export interface Certificate {
  key: string;
  cert: string;
}

/** A self-signed certificate, valid for two days; `undefined` without openssl. */
export async function makeCertificate(names: readonly string[]): Promise<Certificate | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'doorman-tls-'));
  try {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const kind = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=push';
    const subject = `subjectAltName=${names.map((name) => `DNS:${name}`)},IP:127.0.0.1`;
    await promisify(execFile)('openssl', [
      ...kind.split(' '),
      '-addext',
      subject,
      '-keyout',
      key,
      '-out',
      cert,
    ]);
    return { key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Makes this process, and a service inside it, trust the certificate until `scope` ends. */
export function trust(scope: Scope, { cert }: Certificate): void {
  const trusted = getCACertificates('default');
  setDefaultCACertificates([...trusted, cert]);
  endingsOf(scope).defer(() => setDefaultCACertificates(trusted));
}

/** The hash by which Chromium can be made to trust it. */
export function publicKeyHash({ cert }: Certificate): string {
  const publicKey = new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(publicKey).digest('base64');
}
