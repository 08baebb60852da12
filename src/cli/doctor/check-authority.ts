import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { TLSSocket } from 'node:tls';
import type { Settings } from '../../platform/settings.ts';
import { clockFinding, type Finding, fine, problem, warning } from './finding.ts';

const PATIENCE_MS = 10_000;
const DAY_MS = 86_400_000;
const RENEWED_BY_NOW_DAYS = 14;

interface Greeting {
  readonly date: string | undefined;
  readonly validUntil: Date;
  readonly askedAt: number;
}

/** Whether the gateway can be reached and proves who it is. What it answers without a device's certificate does not matter. */
export async function checkAuthority(settings: Settings): Promise<Finding[]> {
  const { authorityUrl: url, authorityCaFile: caFile, databaseUrl } = settings;
  if (url === undefined || url === 'simulator') {
    if (databaseUrl === undefined) return [fine('Authority', 'the built-in simulator, which starts with the service')];
    return [warning('Authority', 'the built-in simulator', 'Set AUTHORITY_URL before real receipts are signed.')];
  }
  if (new URL(url).protocol !== 'https:') {
    return [
      problem('Authority', `${url} is not encrypted`, 'Set AUTHORITY_URL to an address that starts with https://.'),
    ];
  }
  try {
    const ca = caFile === undefined ? undefined : await readFile(caFile, 'utf8');
    const greeting = await greet(url, ca);
    const findings = [
      fine('Authority', `${url} answers, with a certificate that is trusted`),
      expiry(greeting.validUntil),
    ];
    const theirs = Date.parse(greeting.date ?? '');
    // Its clock is given in whole seconds.
    const between = (greeting.askedAt + Date.now()) / 2 - 500;
    return Number.isNaN(theirs)
      ? findings
      : [...findings, clockFinding('Authority', 'the authority', theirs - between)];
  } catch (error) {
    return [unreachable(url, caFile, error)];
  }
}

function greet(url: string, ca: string | undefined): Promise<Greeting> {
  const askedAt = Date.now();
  return new Promise((resolve, reject) => {
    const call = request(url, { ca, timeout: PATIENCE_MS, agent: false }, (response) => {
      response.resume();
      const { socket } = response;
      if (!(socket instanceof TLSSocket)) return reject(new Error('the connection is not encrypted'));
      const validUntil = new Date(socket.getPeerCertificate().valid_to);
      return resolve({ date: response.headers.date, validUntil, askedAt });
    });
    call.on('timeout', () => call.destroy(new Error(`no answer within ${PATIENCE_MS / 1000} s`)));
    call.on('error', reject);
    call.end();
  });
}

function expiry(validUntil: Date): Finding {
  const days = Math.floor((validUntil.getTime() - Date.now()) / DAY_MS);
  const text = `its certificate is valid for ${days} more days`;
  if (days >= RENEWED_BY_NOW_DAYS) return fine('Authority', text);
  return warning(
    'Authority',
    text,
    'Ask the authority when it is renewed, and whether AUTHORITY_CA_FILE changes with it.',
  );
}

function unreachable(url: string, caFile: string | undefined, error: unknown): Finding {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const text = `${url} cannot be used (${message})`;
  if (/CERT|SELF_SIGNED|ISSUER|UNABLE_TO_VERIFY|ALTNAME/.test(code)) {
    const trusted = caFile === undefined ? 'the system trusts' : `${caFile} contains`;
    return problem(
      'Authority',
      text,
      `Put the certificates that sign its server into AUTHORITY_CA_FILE; now ${trusted} others.`,
    );
  }
  if (code === 'ENOENT' || code === 'EACCES') {
    return problem(
      'Authority',
      `AUTHORITY_CA_FILE ${caFile ?? ''} cannot be read`,
      'Name a readable file of certificates (PEM).',
    );
  }
  const fix =
    'Check AUTHORITY_URL, DNS and the firewall. Receipts are sealed meanwhile, and submitted once it answers.';
  return warning('Authority', text, fix);
}
