import { expect, test } from 'vitest';
import { parseBuyerAddress } from './buyer-address.ts';

const PARTS = { houseNo: '12', street: 'Samora Machel Ave', city: 'Harare', province: 'Harare Province' };

test.each([
  '12, Samora Machel Ave, Harare, Harare Province',
  '12,Samora Machel Ave,Harare,Harare Province',
  '12\nSamora Machel Ave\nHarare\nHarare Province',
  '12\r\nSamora Machel Ave\r\nHarare\r\nHarare Province\r\n',
  '12,\nSamora Machel Ave,\nHarare,\nHarare Province',
  '  12 , Samora Machel Ave\nHarare, Harare Province  ',
])('%j comes apart into house number, street, city and province', (text) => {
  expect(parseBuyerAddress(text, false)).toEqual(PARTS);
});

test.each([
  ['three parts', '12, Samora Machel Ave, Harare'],
  ['one part', '12 Samora Machel Ave Harare'],
  ['nothing', ''],
  ['only separators', ',,,\n'],
  ['a part of 101 characters', `12, ${'x'.repeat(101)}, Harare, Harare Province`],
])('%s is not sent', (_name, text) => {
  expect(parseBuyerAddress(text, false)).toBeUndefined();
});

test.each([
  ['Flat 1, 12, Samora Machel Ave, Harare, Harare Province', { houseNo: 'Flat 1', street: '12, Samora Machel Ave' }],
  [
    '12, Samora Machel Ave, Block B, Avondale, Harare, Harare Province',
    { street: 'Samora Machel Ave, Block B, Avondale' },
  ],
])('what is too much in %j is part of the street', (text, parts) => {
  expect(parseBuyerAddress(text, false)).toMatchObject({ city: 'Harare', province: 'Harare Province', ...parts });
});

test.each([
  ['12, Samora Machel Ave, Harare', { houseNo: '12', street: 'Samora Machel Ave', city: 'Harare' }],
  [
    'Samora Machel Ave, Harare, Harare Province',
    { street: 'Samora Machel Ave', city: 'Harare', province: 'Harare Province' },
  ],
  ['12 Samora Machel Ave Harare', { street: '12 Samora Machel Ave Harare' }],
  ['', undefined],
])('%j is sent only to an authority that takes a part of an address', (text, parts) => {
  expect(parseBuyerAddress(text, true)).toEqual(parts);
});

test.each([
  ['7', '7'],
  ['123', '123'],
  ['12b', '12b'],
  ['12 b', '12 b'],
  ['No 12', undefined],
  ['12 Main St', undefined],
])('of less than four parts %j is the house number: %s', (first, houseNo) => {
  expect(parseBuyerAddress(`${first}, Second St, Harare`, true)?.houseNo).toBe(houseNo);
});

test('the first of four parts is the house, whatever it is called, and a number alone is no house number', () => {
  expect(parseBuyerAddress('Rose Villa, Main St, Harare, Harare Province', false)?.houseNo).toBe('Rose Villa');
  expect(parseBuyerAddress('12', true)).toEqual({ street: '12' });
});

test('a part may have 100 characters', () => {
  expect(parseBuyerAddress(`12, ${'x'.repeat(100)}, Harare, Harare Province`, false)?.street).toHaveLength(100);
});
