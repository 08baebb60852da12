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
  expect(parseBuyerAddress(text)).toEqual(PARTS);
});

test.each([
  ['three parts', '12, Samora Machel Ave, Harare'],
  ['five parts', 'Flat 1, 12, Samora Machel Ave, Harare, Harare Province'],
  ['one part', '12 Samora Machel Ave Harare'],
  ['nothing', ''],
  ['only separators', ',,,\n'],
  ['a part of 101 characters', `12, ${'x'.repeat(101)}, Harare, Harare Province`],
])('%s is not sent', (_name, text) => {
  expect(parseBuyerAddress(text)).toBeUndefined();
});

test('a part may have 100 characters', () => {
  expect(parseBuyerAddress(`12, ${'x'.repeat(100)}, Harare, Harare Province`)?.street).toHaveLength(100);
});
