import { createHash, type KeyObject, sign } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { createTestCa, newDeviceKey } from '../../../test/support/authority/server.ts';
import {
  createCertificateRequest,
  dayServerTexts,
  type Gateway,
  readCertificate,
  receiptServerTexts,
  ServerCertificates,
  type SignedByServer,
  thumbprintName,
} from '../index.ts';

/** The sample text of specification §13.2.1, 128 bytes. */
const DEVICE_SIGNATURE =
  'YyXTSizBBrMjMk4VQL+sCNr+2AC6aQbDAn9JMV2rk3yJ6MDZwie0wqQW3oisNWrMkeZsuAyFSnFkU2A+pKm91sOHVdjeRBebjQgAQQIMTCVIcYrx+BizQ7Ib9iCdsVI+Jel2nThqQiQzfRef6EgtgsaIAN+PV55xSrHvPkIe+Bc=';

const sha256 = (text: string) => createHash('sha256').update(text).digest('base64');

describe("the authority's strings", () => {
  test('of a receipt hashes to what the specification published', () => {
    const [text = ''] = receiptServerTexts({
      deviceSignature: DEVICE_SIGNATURE,
      receiptId: 48377,
      serverDate: '2019-09-19T15:43:12',
    });
    expect(sha256(text)).toBe('JQoIo/AgOsvm+PUQpvlQ/U7YMei3m/jbygNrBVfz6Sg=');
  });

  test('of a day hashes to what the specification published, misprint and all', () => {
    const counters =
      'SALEBYTAXZWL2300000SALEBYTAXZWL0.001200000SALEBYTAXUSD15.002500SALEBYTAXZWL15.001200SALETAXBYTAXUSD15.00250SALETAXBYTAXZWL15.00230000BALANCEBYMONEYTYPEZWLCARD1500000BALANCEBYMONEYTYPEUSDLCASH3700BALANCEBYMONEYTYPEZWLCASH2000000';
    const [text = ''] = dayServerTexts({ ...day, counters });
    expect(sha256(text)).toBe('nlqwrAoFAmXLfuMJlQTdS2m0B4d5X1sTJ2gPo5/Dq+s=');
  });

  test('of a day that a person closed leaves the device signature out', () => {
    const [text = ''] = dayServerTexts({ ...day, reconciliationMode: 'Manual' });
    expect(text).toBe('321842019-09-232019-09-23T22:21:14MANUAL');
  });

  test.each([
    ['2026-01-02T03:04:05', []],
    ['2026-01-02T03:04:05.678', ['2026-01-02T03:04:05']],
    ['2026-01-02T03:04:05+02:00', ['2026-01-02T03:04:05']],
    ['2026-01-02T03:04:05.6Z', ['2026-01-02T03:04:05']],
    ['2026-01-02 03:04', ['2026-01-02T03:04:00']],
    ['2026-02-30T25:61:61.5', ['2026-02-30T25:61:61']],
    ['', []],
  ])('may have the date as it came, %j, or as whole seconds', (serverDate, others) => {
    const texts = receiptServerTexts({ deviceSignature: 'x', receiptId: 2n ** 60n, serverDate });
    expect(texts).toEqual([serverDate, ...others].map((date) => `x1152921504606846976${date}`));
  });
});

const day = {
  deviceId: 321,
  fiscalDayNo: 84,
  fiscalDayDate: '2019-09-23',
  fiscalDayClosed: '2019-09-23T22:21:14',
  reconciliationMode: 'Auto',
  counters: '',
  deviceSignature: DEVICE_SIGNATURE,
} as const;

const proving = new ServerCertificates(answeringWith([]));
afterAll(() => proving.close());

/** With this certificate as the one that the signature names. */
async function check(signed: SignedByServer, certificatePem: string) {
  proving.learn(thumbprintName(signed.signature.certificateThumbprint ?? ''), certificatePem);
  const [found] = await proving.prove([signed]);
  return found;
}

describe.each(['ec', 'rsa'] as const)('a server signature of an %s key', (kind) => {
  test.each([
    ['upper case', (hex: string) => hex],
    ['lower case', (hex: string) => hex.toLowerCase()],
    ['colons', (hex: string) => hex.match(/../g)?.join(':') ?? ''],
    ['base64', (hex: string) => Buffer.from(hex, 'hex').toString('base64')],
  ] as const)('is valid under its certificate, thumbprint in %s', async (_, spell) => {
    const { signed, certificatePem } = await signedText(kind);
    const signature = { ...signed.signature, certificateThumbprint: spell(signed.signature.certificateThumbprint) };
    expect(await check({ ...signed, signature }, certificatePem)).toEqual({ kind: 'valid' });
  });

  test.each([
    ['the date as it came', (all: readonly string[]) => all[0]],
    ['whole seconds', (all: readonly string[]) => all[1]],
  ])('holds over %s, with its hash in base64, in hex or without one', async (_, choose) => {
    const texts = receiptServerTexts({ deviceSignature: 'x', receiptId: 1, serverDate: '2026-01-02T03:04:05.678Z' });
    const { signed, certificatePem, text } = await signedText(kind, choose(texts));
    const { hash, ...unhashed } = signed.signature;
    const hex = { ...unhashed, hash: Buffer.from(hash, 'base64').toString('hex').toUpperCase() };
    for (const signature of [signed.signature, hex, unhashed]) {
      expect(await check({ texts, signature }, certificatePem)).toMatchObject({ kind: 'valid' });
      expect(await check({ texts: [`${text}0`], signature }, certificatePem)).toMatchObject({ kind: 'invalid' });
    }
  });

  test('does not hold for another text, hash, signature or certificate', async () => {
    const { signed, certificatePem } = await signedText(kind);
    const other = await signedText(kind);
    const { signature } = signed;
    const otherHash = sha256('another text');
    const wrong = [
      { ...signed, texts: ['another text'] },
      { ...signed, signature: { ...signature, hash: otherHash } },
      { texts: ['another text'], signature: { ...signature, hash: otherHash } },
      { ...signed, signature: { ...signature, signature: other.signed.signature.signature } },
      { ...signed, signature: { ...signature, signature: '' } },
      { ...signed, signature: { ...signature, certificateThumbprint: '0'.repeat(40) } },
    ];
    for (const one of wrong) expect(await check(one, certificatePem)).toMatchObject({ kind: 'invalid' });
    expect(await check(signed, other.certificatePem)).toMatchObject({ kind: 'invalid' });
    expect(await check(signed, 'no certificate')).toMatchObject({ kind: 'invalid' });
  });
});

/** Of the threads of this process; one that ends at this moment has none. */
function priorities(): number[] {
  return readdirSync('/proc/self/task').flatMap((id) => {
    try {
      return [getPriority(Number(id))];
    } catch {
      return [];
    }
  });
}

describe('the certificates', () => {
  /** What a signature is taken for once its certificate was asked for. */
  async function verdict(certificates: ServerCertificates, signed: SignedByServer): Promise<string> {
    await certificates.fetch(signed.signature.certificateThumbprint ?? '');
    const [check] = await certificates.prove([signed]);
    return check?.kind ?? '';
  }

  test('are asked for once, however many ask at the same moment, and found anywhere in the chain', async () => {
    const { signed, certificatePem } = await signedText('rsa');
    const stranger = await signedText('ec');
    const asked: (string | undefined)[] = [];
    const certificates = new ServerCertificates(answeringWith([stranger.certificatePem, certificatePem], asked));
    expect(await certificates.prove([signed])).toMatchObject([{ kind: 'undecided' }]);
    await Promise.all([1, 2, 3].map(() => certificates.fetch(signed.signature.certificateThumbprint)));
    expect(await certificates.prove([signed])).toEqual([{ kind: 'valid' }]);
    expect(asked).toEqual([signed.signature.certificateThumbprint]);
  });

  test('prove many signatures at once, each for itself', async () => {
    const [ec, rsa, unknown] = await Promise.all([signedText('ec'), signedText('rsa'), signedText('ec')]);
    const certificates = new ServerCertificates(answeringWith([]));
    for (const { signed, certificatePem } of [ec, rsa]) {
      certificates.learn(signed.signature.certificateThumbprint, certificatePem);
    }
    const forged = {
      ...ec.signed,
      signature: { ...ec.signed.signature, signature: unknown.signed.signature.signature },
    };
    const malformed = { ...rsa.signed, signature: { ...rsa.signed.signature, signature: 'none' } };
    const otherText = { ...ec.signed, texts: ['another text'] };
    const all = [ec.signed, forged, unknown.signed, otherText, rsa.signed, malformed];
    const kinds = async () => (await certificates.prove(all)).map(({ kind }) => kind);
    const expected = ['valid', 'invalid', 'undecided', 'invalid', 'valid', 'invalid'];
    expect(await kinds()).toEqual(expected);
    expect(await kinds()).toEqual(expected);
    if (process.platform === 'linux') {
      expect(priorities()).toContain(Math.min(19, getPriority() + 4));
    }
    certificates.close();
  });

  test('may be sent as bare base64', async () => {
    const { signed, certificatePem } = await signedText('ec');
    const bare = certificatePem.replace(/-----[^-]+-----|\s/g, '');
    expect(await verdict(new ServerCertificates(answeringWith([bare])), signed)).toBe('valid');
  });

  test('are not believed when another was asked for, nor asked for again with every receipt', async () => {
    const { signed } = await signedText('ec');
    const stranger = await signedText('ec');
    const asked: (string | undefined)[] = [];
    const certificates = new ServerCertificates(answeringWith([stranger.certificatePem], asked));
    expect(await verdict(certificates, signed)).toBe('undecided');
    expect(await verdict(certificates, signed)).toBe('undecided');
    expect(asked).toHaveLength(1);
  });

  test('are asked for again after a pause, which grows with every failure', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      const { signed } = await signedText('ec');
      const asked: (string | undefined)[] = [];
      const certificates = new ServerCertificates(answeringWith([], asked));
      const askedAfter = async (ms: number) => {
        vi.advanceTimersByTime(ms);
        await verdict(certificates, signed);
        return asked.length;
      };
      expect([await askedAfter(0), await askedAfter(4_900), await askedAfter(200)]).toEqual([1, 1, 2]);
      expect([await askedAfter(5_100), await askedAfter(5_000)]).toEqual([2, 3]);
      for (let failures = 0; failures < 10; failures += 1) await askedAfter(600_000);
      expect([await askedAfter(599_000), await askedAfter(2_000)]).toEqual([13, 14]);
    } finally {
      vi.useRealTimers();
    }
  });

  test('leave it undecided while the authority cannot be asked, and while it knows no such one', async () => {
    const { signed } = await signedText('ec');
    const down: Gateway['serverCertificate'] = () =>
      Promise.resolve({ kind: 'unavailable', reason: 'down', mayHaveArrived: false });
    expect(await verdict(new ServerCertificates({ serverCertificate: down }), signed)).toBe('undecided');
    const unknown: Gateway['serverCertificate'] = () =>
      Promise.resolve({ kind: 'refused', status: 404, code: undefined, detail: 'Not Found', operationId: 'x' });
    expect(await verdict(new ServerCertificates({ serverCertificate: unknown }), signed)).toBe('undecided');
  });

  test('that do not come are given up when the service stops', async () => {
    const { signed } = await signedText('ec');
    const certificates = new ServerCertificates({ serverCertificate: () => new Promise(() => {}) });
    const waiting = verdict(certificates, signed);
    certificates.close();
    expect(await waiting).toBe('undecided');
  });
});

function answeringWith(certificate: readonly string[], asked: (string | undefined)[] = []) {
  const serverCertificate: Gateway['serverCertificate'] = (thumbprint) => {
    asked.push(thumbprint);
    const value = { operationID: 'x', certificate, certificateValidTill: '2030-01-01T00:00:00' };
    return Promise.resolve({ kind: 'answered', value });
  };
  return { serverCertificate };
}

async function signedText(kind: 'ec' | 'rsa', given?: string) {
  const privateKey: KeyObject = newDeviceKey(kind);
  const ca = await createTestCa();
  const certificatePem = (await ca.issue(await createCertificateRequest(privateKey, 'SERVER', 1))).trim();
  const texts = receiptServerTexts({ deviceSignature: 'c2ln', receiptId: 7, serverDate: '2026-01-02T03:04:05' });
  const text = given ?? texts[0] ?? '';
  const signature = {
    hash: sha256(text),
    signature: sign('sha256', Buffer.from(text), privateKey).toString('base64'),
    certificateThumbprint: readCertificate(certificatePem).thumbprint,
  };
  return { signed: { texts: [text], signature }, certificatePem, text };
}
