import { describe, expect, test } from 'vitest';
import { addressKind } from './address-ranges.ts';
import { urlFault } from './outgoing.ts';

const KINDS = {
  public: [
    '8.8.8.8',
    '1.1.1.1',
    '172.15.255.255',
    '172.32.0.1',
    '100.63.255.255',
    '100.128.0.1',
    '192.167.255.255',
    '198.17.255.255',
    '198.20.0.1',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2a00:1450:4001:830::200e',
    '2001:4860:4860::8888',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
  ],
  private: [
    '127.0.0.1',
    '127.255.255.254',
    '10.0.0.1',
    '10.255.255.255',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '169.254.0.1',
    '100.64.0.1',
    '100.127.255.255',
    '::1',
    '0:0:0:0:0:0:0:1',
    'fc00::1',
    'fdff:ffff::1',
    'fe80::1',
    'febf::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::FFFF:10.0.0.1',
    '0:0:0:0:0:ffff:c0a8:1',
    '64:ff9b::127.0.0.1',
    '64:ff9b::a00:1',
  ],
  never: [
    '0.0.0.0',
    '0.1.2.3',
    '169.254.169.254',
    '169.254.170.2',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.8',
    '192.0.2.1',
    '198.51.100.7',
    '203.0.113.9',
    '192.88.99.1',
    '198.18.0.1',
    '198.19.255.255',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::127.0.0.1',
    '::ffff:0.0.0.0',
    '::ffff:169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::1',
    '100::1',
    'fd00:ec2::254',
    'fec0::1',
    'fe80::1%eth0',
    'ff02::1',
    '2001::1',
    '2001:db8::1',
    '3fff::1',
    '2002:7f00:1::',
    '2002:0808:0808::1',
    '4000::1',
    '',
    'localhost',
    '127.1',
    '1.2.3.4.5',
  ],
} as const;

describe.each(['public', 'private', 'never'] as const)('%s', (kind) => {
  test.each(KINDS[kind].map((address) => [address]))('%s', (address) => {
    expect(addressKind(address)).toBe(kind);
  });
});

test.each([
  'http://127.0.0.1/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0x7f.1/',
  'http://0177.0.0.1/',
  'http://127.1/',
  'http://127.0.0.1./',
  'http://１２７.0.0.1/',
  'http://[::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[fe80::1]/',
  'http://169.254.169.254/latest/meta-data/',
  'http://0/',
  'http://10.1.2.3:8080/',
])('%s is refused without looking a name up', (url) => {
  expect(urlFault(url, false)).toMatch(/^leads to .*, which is not an address of the public internet$/);
});

test.each([
  'ftp://vendor.example.com/',
  'file:///etc/passwd',
  'vendor.example.com',
  '',
  'http://',
  'javascript:alert(1)',
])('%s is no address to call', (url) => {
  expect(urlFault(url, true)).toBe('must be an address such as https://vendor.example.com/webhook');
});

test('a user and a password in the address are refused: they would be shown wherever the address is', () => {
  expect(urlFault('https://user:secret@vendor.example.com/', true)).toBe('must not contain a user or a password');
});

test('where private addresses are allowed, the clouds metadata services still are not', () => {
  expect(urlFault('http://127.0.0.1:8080/hook', true)).toBeUndefined();
  expect(urlFault('http://[::1]/', true)).toBeUndefined();
  expect(urlFault('http://192.168.1.10/', true)).toBeUndefined();
  expect(urlFault('http://169.254.169.254/', true)).toContain('leads to 169.254.169.254');
  expect(urlFault('http://[::ffff:169.254.169.254]/', true)).toContain('leads to ::ffff:a9fe:a9fe');
});
