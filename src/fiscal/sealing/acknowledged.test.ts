import { expect, test } from 'vitest';
import { head } from '../../../test/support/devices.ts';
import { Acknowledged } from './acknowledged.ts';

const at = (globalCounter: number, byte: number) =>
  head({ globalCounter, fiscalDayCounter: globalCounter, lastHash: Buffer.alloc(32, byte), lastWallSeconds: 100 });

test('a head is missed that is lower than the highest acknowledged one, or another one with its number', () => {
  const acknowledged = new Acknowledged();
  acknowledged.noteHeads([{ to: at(5, 5) }]);
  acknowledged.noteHeads([{ to: at(4, 4) }]);
  expect(acknowledged.missingIn(at(4, 4))).toMatchObject({ globalCounter: 5 });
  expect(acknowledged.missingIn(at(5, 9))).toMatchObject({ globalCounter: 5 });
  expect(acknowledged.missingIn(at(5, 5))).toBeUndefined();
});

test('progress of others, a new day and devices that never sold here are no loss', () => {
  const acknowledged = new Acknowledged();
  acknowledged.noteHeads([{ to: at(5, 5) }]);
  expect(acknowledged.missingIn(at(6, 6))).toBeUndefined();
  expect(acknowledged.missingIn(head({ fiscalDayNumber: 2, globalCounter: 5 }))).toBeUndefined();
  expect(acknowledged.missingIn({ ...at(1, 1), deviceId: 1002 })).toBeUndefined();
});

test('a receipt with the number of an acknowledged one and another hash is another receipt', () => {
  const acknowledged = new Acknowledged();
  acknowledged.noteHeads([{ to: at(5, 5) }]);
  const key = at(5, 5);
  expect(acknowledged.otherThan(key, { globalCounter: 5, hash: Buffer.alloc(32, 9) })).toBeDefined();
  expect(acknowledged.otherThan(key, { globalCounter: 5, hash: Buffer.alloc(32, 5) })).toBeUndefined();
  expect(acknowledged.otherThan(key, { globalCounter: 4, hash: Buffer.alloc(32, 9) })).toBeUndefined();
});
