import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { TLSSocket } from 'node:tls';
import type { Settings } from '../../platform/settings.ts';
import { codeOf } from '../shared/failure.ts';
import { type Finding, findings, messageOf } from './finding.ts';

const PATIENCE_MS = 10_000;
const DAY_MS = 86_400_000;
const RENEWED_BY_NOW_DAYS = 14;

interface Greeting {
  readonly date: string | undefined;
  readonly validUntil: Date;
  readonly askedAt: number;
}

const { fine, warning, problem, clock } = findings('Authority');

/** Whether the gateway can be reached and proves who it is. What it answers without a device's certificate does not matter. */
export async function checkAuthority(settings: Settings): Promise<Finding[]> {
  const { authorityUrl: url, authorityCaFile: caFile, databaseUrl } = settings;
  if (url === undefined || url === 'simulator') {
    if (databaseUrl === undefined) return [fine('the built-in simulator, which starts with the service')];
    return [warning('the built-in simulator', 'Set AUTHORITY_URL before real receipts are signed.')];
  }
  if (new URL(url).protocol !== 'https:')
    return [problem(`${url} is not encrypted`, 'Set AUTHORITY_URL to an address that starts with https://.')];
  try {
    const ca = caFile === undefined ? undefined : await readFile(caFile, 'utf8');
    const { date, validUntil, askedAt } = await greet(url, ca);
    const theirs = Date.parse(date ?? '');
    // Its clock is given in whole seconds.
    const between = (askedAt + Date.now()) / 2 - 500;
    return [
      fine(`${url} answers, with a certificate that is trusted`),
      expiry(validUntil),
      ...(Number.isNaN(theirs) ? [] : [clock(theirs - between)]),
    ];
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
  if (days >= RENEWED_BY_NOW_DAYS) return fine(text);
  return warning(text, 'Ask the authority when it is renewed, and whether AUTHORITY_CA_FILE changes with it.');
}

function unreachable(url: string, caFile: string | undefined, error: unknown): Finding {
  const code = codeOf(error);
  const text = `${url} cannot be used (${messageOf(error)})`;
  if (/CERT|SELF_SIGNED|ISSUER|UNABLE_TO_VERIFY|ALTNAME/.test(code)) {
    const trusted = caFile === undefined ? 'the system trusts' : `${caFile} contains`;
    return problem(text, `Put the certificates that sign its server into AUTHORITY_CA_FILE; now ${trusted} others.`);
  }
  if (code === 'ENOENT' || code === 'EACCES')
    return problem(`AUTHORITY_CA_FILE ${caFile} cannot be read`, 'Name a readable file of certificates (PEM).');
  const fix =
    'Check AUTHORITY_URL, DNS and the firewall. Receipts are sealed meanwhile, and submitted once it answers.';
  return warning(text, fix);
}
