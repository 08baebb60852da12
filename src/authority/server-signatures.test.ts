import { createHash, type KeyObject, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createTestCa, newDeviceKey } from '../../test/support/authority-server.ts';
import {
  checkServerSignature,
  createCertificateRequest,
  createServerSignatureChecker,
  dayServerString,
  type Gateway,
  readCertificate,
  receiptServerString,
} from './index.ts';

/** Reference §7.5: sample text, 128 bytes. */
const DEVICE_SIGNATURE =
  'YyXTSizBBrMjMk4VQL+sCNr+2AC6aQbDAn9JMV2rk3yJ6MDZwie0wqQW3oisNWrMkeZsuAyFSnFkU2A+pKm91sOHVdjeRBebjQgAQQIMTCVIcYrx+BizQ7Ib9iCdsVI+Jel2nThqQiQzfRef6EgtgsaIAN+PV55xSrHvPkIe+Bc=';

const sha256 = (text: string) => createHash('sha256').update(text).digest('base64');

describe("the authority's strings", () => {
  test('of a receipt hashes to what the specification published', () => {
    const text = receiptServerString({
      deviceSignature: DEVICE_SIGNATURE,
      receiptId: 48377,
      serverDate: '2019-09-19T15:43:12',
    });
    expect(sha256(text)).toBe('JQoIo/AgOsvm+PUQpvlQ/U7YMei3m/jbygNrBVfz6Sg=');
  });

  test('of a day hashes to what the specification published, misprint and all', () => {
    const counters =
      'SALEBYTAXZWL2300000SALEBYTAXZWL0.001200000SALEBYTAXUSD15.002500SALEBYTAXZWL15.001200SALETAXBYTAXUSD15.00250SALETAXBYTAXZWL15.00230000BALANCEBYMONEYTYPEZWLCARD1500000BALANCEBYMONEYTYPEUSDLCASH3700BALANCEBYMONEYTYPEZWLCASH2000000';
    const text = dayServerString({ ...day, counters });
    expect(sha256(text)).toBe('nlqwrAoFAmXLfuMJlQTdS2m0B4d5X1sTJ2gPo5/Dq+s=');
  });

  test('of a day that a person closed leaves the device signature out', () => {
    const text = dayServerString({ ...day, reconciliationMode: 'Manual' });
    expect(text).toBe('321842019-09-232019-09-23T22:21:14MANUAL');
  });

  test('cuts fractions of a second, which are not signed', () => {
    const text = receiptServerString({ deviceSignature: 'x', receiptId: 1, serverDate: '2026-01-02T03:04:05.678' });
    expect(text).toBe('x12026-01-02T03:04:05');
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

describe.each(['ec', 'rsa'] as const)('a server signature of an %s key', (kind) => {
  test.each(['upper', 'lower'] as const)('is valid under its certificate, thumbprint in %s case', async (spelling) => {
    const { signed, certificatePem } = await signedText(kind);
    const thumbprint = signed.signature.certificateThumbprint;
    const certificateThumbprint = spelling === 'upper' ? thumbprint : thumbprint.toLowerCase();
    const signature = { ...signed.signature, certificateThumbprint };
    expect(checkServerSignature({ ...signed, signature }, certificatePem)).toEqual({ kind: 'valid', certificatePem });
  });

  test('does not hold for another text, hash, signature or certificate', async () => {
    const { signed, certificatePem } = await signedText(kind);
    const other = await signedText(kind);
    const { signature } = signed;
    const otherHash = sha256('another text');
    const wrong = [
      { ...signed, text: 'another text' },
      { ...signed, signature: { ...signature, hash: otherHash } },
      { text: 'another text', signature: { ...signature, hash: otherHash } },
      { ...signed, signature: { ...signature, signature: other.signed.signature.signature } },
      { ...signed, signature: { ...signature, signature: '' } },
      { ...signed, signature: { ...signature, certificateThumbprint: '0'.repeat(40) } },
    ];
    for (const one of wrong) expect(checkServerSignature(one, certificatePem)).toMatchObject({ kind: 'invalid' });
    expect(checkServerSignature(signed, other.certificatePem)).toMatchObject({ kind: 'invalid' });
    expect(checkServerSignature(signed, 'no certificate')).toMatchObject({ kind: 'invalid' });
  });
});

describe('the checker', () => {
  test('asks for a certificate once, however many ask at the same moment, and finds it anywhere in the chain', async () => {
    const { signed, certificatePem } = await signedText('rsa');
    const stranger = await signedText('ec');
    const asked: (string | undefined)[] = [];
    const check = createServerSignatureChecker(answeringWith([stranger.certificatePem, certificatePem], asked));
    const checks = await Promise.all([check(signed), check(signed), check(signed)]);
    expect([...checks, await check(signed)].map((one) => one.kind)).toEqual(['valid', 'valid', 'valid', 'valid']);
    expect(asked).toEqual([signed.signature.certificateThumbprint]);
  });

  test('reads a certificate sent as bare base64', async () => {
    const { signed, certificatePem } = await signedText('ec');
    const bare = certificatePem.replace(/-----[^-]+-----|\s/g, '');
    expect(await createServerSignatureChecker(answeringWith([bare]))(signed)).toMatchObject({ kind: 'valid' });
  });

  test('believes no certificate that was not the one asked for, and asks again next time', async () => {
    const { signed } = await signedText('ec');
    const stranger = await signedText('ec');
    const asked: (string | undefined)[] = [];
    const check = createServerSignatureChecker(answeringWith([stranger.certificatePem], asked));
    expect(await check(signed)).toMatchObject({ kind: 'undecided' });
    expect(await check(signed)).toMatchObject({ kind: 'undecided' });
    expect(asked).toHaveLength(2);
  });

  test('is undecided while the authority cannot be asked, and sure when it knows no such certificate', async () => {
    const { signed } = await signedText('ec');
    const down: Gateway['serverCertificate'] = () =>
      Promise.resolve({ kind: 'unavailable', reason: 'down', mayHaveArrived: false });
    expect(await createServerSignatureChecker({ serverCertificate: down })(signed)).toEqual({
      kind: 'undecided',
      reason: 'down',
    });
    const unknown: Gateway['serverCertificate'] = () =>
      Promise.resolve({ kind: 'refused', status: 404, code: undefined, detail: 'Not Found', operationId: 'x' });
    expect(await createServerSignatureChecker({ serverCertificate: unknown })(signed)).toMatchObject({
      kind: 'invalid',
    });
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

async function signedText(kind: 'ec' | 'rsa') {
  const privateKey: KeyObject = newDeviceKey(kind);
  const ca = await createTestCa();
  const certificatePem = (await ca.issue(await createCertificateRequest(privateKey, 'SERVER', 1))).trim();
  const text = receiptServerString({ deviceSignature: 'c2ln', receiptId: 7, serverDate: '2026-01-02T03:04:05' });
  const signature = {
    hash: sha256(text),
    signature: sign('sha256', Buffer.from(text), privateKey).toString('base64'),
    certificateThumbprint: readCertificate(certificatePem).thumbprint,
  };
  return { signed: { text, signature }, certificatePem };
}
