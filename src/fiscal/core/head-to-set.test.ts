import { describe, expect, test } from 'vitest';
import { head } from '../../../test/support/devices.ts';
import { type ChainEnd, consequencesOf, headToSet } from './head-to-set.ts';

const HASH = Buffer.alloc(32, 7);
const here = head({
  fiscalDayNumber: 4,
  fiscalDayCounter: 5,
  globalCounter: 45,
  lastHash: Buffer.alloc(32, 5),
  lastWallSeconds: 100,
});
const known: ChainEnd = { globalCounter: 47, fiscalDayNumber: 4, fiscalDayCounter: 7, hash: HASH, wallSeconds: 120 };
const authority = (globalCounter: number, fiscalDayNumber = 4, dayStatus = 'FiscalDayOpened') => ({
  globalCounter,
  fiscalDayNumber,
  dayStatus,
});
const found = (evidence: Omit<Parameters<typeof headToSet>[0], 'head'>) => headToSet({ head: here, ...evidence });

describe('the head is set to the last receipt that anybody knows', () => {
  test('not before the authority was heard', () => {
    expect(found({ known, authority: undefined })).toMatchObject({ kind: 'wait' });
  });

  test('an instance knew more than the authority', () => {
    expect(found({ known, authority: authority(45) })).toEqual({ kind: 'continue', globalCounter: 47, end: known });
  });

  test('the authority knows more than any instance: what only it has must be entered, and no hash is guessed', () => {
    expect(found({ known, authority: authority(48) })).toEqual({ kind: 'continue', globalCounter: 48, end: undefined });
    expect(found({ known: undefined, authority: authority(46) })).toMatchObject({ globalCounter: 46, end: undefined });
  });

  test('numbers that were given twice since are not given a third time', () => {
    const behind = { ...known, globalCounter: 44 };
    expect(found({ known: behind, authority: authority(45) })).toMatchObject({
      kind: 'continue',
      globalCounter: 45,
      end: { hash: here.lastHash },
    });
  });

  test('a day that the authority has closed needs no hash, whichever day it is', () => {
    const closed = found({ known, authority: authority(48, 4, 'FiscalDayClosed') });
    expect(closed).toEqual({ kind: 'closed', globalCounter: 48, fiscalDayNumber: 4 });
    const next = found({ known: { ...known, fiscalDayNumber: 5 }, authority: authority(47, 5, 'FiscalDayClosed') });
    expect(next).toEqual({ kind: 'closed', globalCounter: 47, fiscalDayNumber: 5 });
  });

  test('a day that is open here goes on, although the authority knows only of the one before, which is closed', () => {
    expect(found({ known: undefined, authority: authority(45, 3, 'FiscalDayClosed') })).toMatchObject({
      kind: 'continue',
      globalCounter: 45,
    });
  });

  test('a day whose opening is lost has to be closed by hand first', () => {
    expect(found({ known, authority: authority(47, 5) })).toMatchObject({ kind: 'wait' });
    expect(found({ known: { ...known, fiscalDayNumber: 5 }, authority: authority(45) })).toMatchObject({
      kind: 'wait',
    });
  });
});

test('what follows says what the authority lacks, and how the day will fail to close', () => {
  const words = (evidence: Omit<Parameters<typeof headToSet>[0], 'head'>) =>
    consequencesOf({ head: here, ...evidence }, found(evidence));
  const told = (atAuthority: number) => words({ known, authority: authority(atAuthority) }).join(' ');
  expect(words({ known, authority: undefined })).toEqual([]);
  expect(words({ known, authority: authority(47, 5) })).toEqual([]);
  expect(words({ known: undefined, authority: authority(45) })).toEqual([]);
  expect(words({ known, authority: authority(47) })).toEqual([
    expect.stringMatching(/^Here receipts 46 to 47 cannot be read/),
    expect.stringMatching(/^The counters of day 4 /),
  ]);
  expect(words({ known: undefined, authority: authority(45, 4, 'FiscalDayClosed') })).toEqual([
    expect.stringMatching(/has closed day 4/),
  ]);
  expect(told(45)).toMatch(/does not have receipts 46 to 47 .*RCPT011 and RCPT012.*MissingReceipts/);
  expect(told(46)).toMatch(/does not have receipt 47 /);
  expect(told(47)).not.toContain('does not have');
  expect(told(47)).toContain('CountersMismatch');
});
