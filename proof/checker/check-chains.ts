/**
 * The chains, proved from the rows alone. What is signed is implemented here once more, from the authority's protocol
 * (a text without separators; amounts in whole cents; percentages with two decimals and none for exempt; the hash of the receipt
 * before it in the same day).
 */
import { createHash, createPublicKey, type KeyObject, verify, X509Certificate } from 'node:crypto';
import type { Evidence, HeadRow, KeyRow, ReceiptRow } from './evidence.ts';
import { groupBy, numberingProblems, type Verdict } from './verdict.ts';

export function checkChains(evidence: Evidence): Verdict[] {
  const byDevice = groupBy(evidence.receipts, (row) => String(row.deviceId));
  const order = [];
  const links = [];
  const seals = [];
  let days = 0;
  for (const head of evidence.heads) {
    const rows = byDevice.get(String(head.deviceId)) ?? [];
    const byDay = [...groupBy(rows, (row) => String(row.dayNumber)).values()];
    days += byDay.length;
    order.push(...orderProblems(head, rows, byDay));
    links.push(...byDay.flatMap(linkProblems), ...headProblems(head, rows));
    seals.push(...sealProblems(rows, keysOf(evidence, head.deviceId)));
  }
  const keys = evidence.keys.flatMap((key) => keyProblems(key, evidence));
  const count = `${evidence.receipts.length} receipts, ${evidence.heads.length} devices, ${days} fiscal days`;
  return [
    { name: 'no gap and no duplicate in any chain', figures: count, problems: order },
    { name: 'no fork: each receipt follows exactly the one before it', figures: count, problems: links },
    {
      name: "every hash and signature holds under the device's certificate",
      figures: `${evidence.receipts.length} signatures, ${evidence.keys.length} keys`,
      problems: [...seals, ...keys],
    },
  ];
}

function orderProblems(head: HeadRow, rows: readonly ReceiptRow[], byDay: readonly ReceiptRow[][]): string[] {
  const device = `device ${head.deviceId}`;
  const numbers = rows.map((row) => row.globalCounter);
  const problems = numberingProblems(device, numbers, head.globalCounter);
  for (const day of byDay) {
    const counters = day.map((row) => row.dayCounter);
    problems.push(...numberingProblems(`${device}, day ${day[0]?.dayNumber}`, counters, day.length));
  }
  const sorted = rows.toSorted((a, b) => a.globalCounter - b.globalCounter);
  for (const [index, row] of sorted.entries()) {
    const before = sorted[index - 1];
    if (before === undefined) continue;
    if (row.dayNumber < before.dayNumber) problems.push(`order: ${row.reference} is numbered after a later day`);
    if (row.date <= before.date) problems.push(`order: ${row.reference} is not dated later than ${before.reference}`);
  }
  return problems;
}

/** Within one day: which receipt follows which. */
function linkProblems(day: readonly ReceiptRow[]): string[] {
  const problems: string[] = [];
  for (const [previous, followers] of groupBy(day, (row) => row.previousHash ?? 'the opening')) {
    if (followers.length < 2) continue;
    const { deviceId, dayNumber } = followers[0] ?? {};
    const names = followers.map((row) => row.reference).join(' and ');
    problems.push(`fork: device ${deviceId}, day ${dayNumber}: ${names} all follow ${previous}`);
  }
  const sorted = day.toSorted((a, b) => a.dayCounter - b.dayCounter);
  for (const [index, row] of sorted.entries()) {
    const before = sorted[index - 1]?.hash ?? null;
    if (row.previousHash !== before)
      problems.push(
        `broken link: ${row.reference} (device ${row.deviceId}, ${row.globalCounter}) follows another hash`,
      );
  }
  return problems;
}

function headProblems(head: HeadRow, rows: readonly ReceiptRow[]): string[] {
  const last = rows.toSorted((a, b) => a.globalCounter - b.globalCounter).at(-1);
  if (last === undefined || head.dayNumber !== last.dayNumber) return [];
  const isSame = head.dayCounter === last.dayCounter && head.lastHash === last.hash;
  return isSame ? [] : [`broken link: the head of device ${head.deviceId} is not its last receipt ${last.reference}`];
}

function sealProblems(rows: readonly ReceiptRow[], keys: ReadonlyMap<number, KeyObject>): string[] {
  return rows.flatMap((row) => {
    const text = signedText(row);
    const hash = createHash('sha256').update(text, 'utf8').digest('base64');
    if (hash !== row.hash) return [`hash: that of ${row.reference} is not of its content`];
    const key = keys.get(row.keyVersion);
    const isSigned =
      key !== undefined && verify('sha256', Buffer.from(text), key, Buffer.from(row.signature, 'base64'));
    return isSigned ? [] : [`signature: that of ${row.reference} does not hold`];
  });
}

/** The public key must be the one in the certificate, and the certificate one the authority gave to this device. */
function keyProblems({ deviceId, publicKeyPem, certificatePem }: KeyRow, { issued }: Evidence): string[] {
  if (certificatePem === null) return [`key: a key of device ${deviceId} has no certificate`];
  const certificate = new X509Certificate(certificatePem);
  const problems = [];
  if (derOf(certificate.publicKey) !== derOf(createPublicKey(publicKeyPem)))
    problems.push(`key: the certificate of device ${deviceId} is for another key`);
  const isIssued = issued.some(
    (one) => one.deviceId === deviceId && new X509Certificate(one.pem).fingerprint256 === certificate.fingerprint256,
  );
  if (!isIssued) problems.push(`key: the authority knows no such certificate of device ${deviceId}`);
  return problems;
}

function derOf(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'der' }).toString('base64');
}

function keysOf({ keys }: Evidence, deviceId: number): ReadonlyMap<number, KeyObject> {
  const own = keys.filter((key) => key.deviceId === deviceId);
  return new Map(own.map((key) => [key.keyVersion, createPublicKey(key.publicKeyPem)]));
}

function signedText(row: ReceiptRow): string {
  const taxes = row.taxes
    .toSorted((a, b) => a.taxId - b.taxId)
    .map((tax) => `${percent(tax.taxPercent)}${cents(tax.taxAmount)}${cents(tax.salesAmountWithTax)}`);
  return [
    row.deviceId,
    row.type.toUpperCase(),
    row.currency,
    row.globalCounter,
    row.date,
    cents(row.total),
    ...taxes,
    row.previousHash ?? '',
  ].join('');
}

/** A decimal's text as whole cents. */
export function cents(text: string): bigint {
  const match = /^(-?)(\d+)(?:\.(\d{1,2})0*)?$/.exec(text);
  if (match === null) throw new RangeError(`${text} is no amount in cents`);
  const [, sign, whole = '', fraction = ''] = match;
  const value = BigInt(whole + fraction.padEnd(2, '0'));
  return sign === '-' ? -value : value;
}

function percent(text: string | null): string {
  if (text === null) return '';
  const hundredths = cents(text).toString().padStart(3, '0');
  return `${hundredths.slice(0, -2)}.${hundredths.slice(-2)}`;
}
