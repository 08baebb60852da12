import { invoice } from '../../../test/support/receipts/receipts.ts';

interface HostileBody {
  readonly name: string;
  readonly body: string | Uint8Array;
}

const bytes = (...parts: readonly (string | readonly number[])[]) =>
  Buffer.concat(parts.map((part) => Buffer.from(part as string)));

const line = invoice(1, 'x').ReceiptLines[0];
const receiptWith = (changes: object) => JSON.stringify(invoice(999_999, 'HOSTILE', changes));
const amount = (text: string) => receiptWith({}).replace('"TotalAmount":115.5', `"TotalAmount":${text}`);

/** Bodies that every route refuses, signing and administration alike. */
export const HOSTILE_BODIES: readonly HostileBody[] = [
  { name: 'nothing at all', body: '' },
  { name: 'lists in lists', body: '['.repeat(100_000) },
  { name: 'lists in lists, closed', body: '['.repeat(50_000) + ']'.repeat(50_000) },
  { name: 'objects in objects', body: `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}` },
  { name: 'a deep value in a known field', body: `{"Name":${'[['.repeat(15)}${']]'.repeat(15)}}` },
  { name: '1e400', body: amount('1e400') },
  { name: '-1e400', body: amount('-1e400') },
  { name: '1e-400', body: amount('1e-400') },
  { name: 'an exponent of billions', body: amount('1e9999999999') },
  { name: '100 kB of digits', body: amount('9'.repeat(100_000)) },
  { name: '100 kB of decimals', body: amount(`0.${'0'.repeat(100_000)}1`) },
  { name: 'a bare huge number', body: '1'.repeat(100_000) },
  { name: 'NaN', body: amount('NaN') },
  { name: '__proto__', body: '{"__proto__":{"isAdmin":true}}' },
  { name: '__proto__ in escapes', body: '{"\\u005f_proto__":{"isAdmin":true}}' },
  { name: '__proto__ inside', body: '{"Name":"x","DefaultHsCodes":{"__proto__":1}}' },
  { name: 'constructor', body: '{"constructor":{"prototype":{"isAdmin":true}}}' },
  { name: 'prototype', body: '{"prototype":{},"hasOwnProperty":1,"toString":1,"valueOf":null}' },
  { name: 'invalid UTF-8', body: bytes('{"Name":"', [0xc3, 0x28], '"}') },
  { name: 'an overlong encoding', body: bytes('{"Name":"', [0xc0, 0x80], '"}') },
  { name: 'a surrogate in UTF-8', body: bytes('{"Name":"', [0xed, 0xa0, 0x80], '"}') },
  { name: 'UTF-16', body: Buffer.from('\ufeff{"Name":"x"}', 'utf16le') },
  { name: 'a byte order mark', body: '\ufeff{"Name":"x"}' },
  { name: 'zero bytes', body: '\u0000'.repeat(1000) },
  { name: 'an escaped zero character', body: '{"Name":"a\\u0000b"}' },
  { name: 'half a character', body: '{"Name":"\\ud800"}' },
  { name: 'duplicate keys', body: '{"Name":"a","Name":"b"}' },
  { name: 'duplicate keys, one in escapes', body: '{"Name":"a","N\\u0061me":"b"}' },
  { name: 'duplicate keys far inside', body: '{"a":[{"b":{"c":1,"c":1}}]}' },
  { name: '10,000 lines', body: receiptWith({ ReceiptLines: Array.from({ length: 10_000 }, () => ({ T: 1 })) }) },
  { name: '5,000 whole lines', body: receiptWith({ ReceiptLines: Array.from({ length: 5000 }, () => line) }) },
  { name: '2,000 wrong lines', body: receiptWith({ ReceiptLines: Array.from({ length: 2000 }, () => ({ x: [] })) }) },
  { name: '40,000 unknown keys', body: JSON.stringify(Object.fromEntries(numbers(40_000).map((n) => [`k${n}`, n]))) },
  { name: 'a million commas', body: `[${','.repeat(1_000_000)}]` },
  { name: 'half a million numbers', body: `[${'1,'.repeat(500_000)}1]` },
  { name: 'a key of half a megabyte', body: `{"${'k'.repeat(500_000)}":1}` },
  { name: 'a text of a megabyte', body: `{"Name":"${'n'.repeat(1_000_000)}"}` },
  { name: 'a megabyte of escapes', body: `{"Name":"${'\\u0041'.repeat(170_000)}"}` },
  { name: 'a long almost-address', body: receiptWith({ BuyerEmail: `${'a.'.repeat(100_000)}@` }) },
  { name: 'a long almost-date', body: receiptWith({ Date: `2026-11-15T12:00:00.${'0'.repeat(200_000)}x` }) },
  {
    name: 'long texts in every field',
    body: receiptWith({ Reference: 'r'.repeat(300_000), Notes: ' '.repeat(300_000) }),
  },
  { name: 'a list', body: '[]' },
  { name: 'null', body: 'null' },
  { name: 'a text', body: '"x"' },
  { name: 'true', body: 'true' },
  { name: 'a comment', body: '{/* */}' },
  { name: 'single quotes', body: "{'Name':'x'}" },
  { name: 'half a document', body: '{"Name":"x","TIN":' },
  { name: 'two documents', body: '{}{}' },
  { name: 'a form', body: 'Name=x&TIN=1' },
  { name: 'XML', body: '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>' },
];

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_unused, index) => index);
}
