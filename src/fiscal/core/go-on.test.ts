import { describe, expect, test } from 'vitest';
import { head } from '../../../test/support/devices.ts';
import { type ChainEnd, type ChainEvidence, consequencesOf, headToGoOn } from './go-on.ts';

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
const found = (evidence: Partial<ChainEvidence>) =>
  headToGoOn({ head: here, known: undefined, authority: undefined, nowWall: 900, ...evidence });
const byHand = (day: number) => expect.stringContaining(`ask the authority to close day ${day} of device 1001 by hand`);

describe('a chain goes on behind the last receipt that anybody knows', () => {
  test('not before the authority was heard', () => {
    expect(found({ known })).toMatch('the authority has not yet said');
  });

  test('an instance knew more than the authority', () => {
    expect(found({ known, authority: authority(45) })).toEqual({ ...known, dayState: 'Opened' });
  });

  test('the authority knows more than any instance: no hash is guessed, the day has to be closed by hand', () => {
    for (const words of [found({ known, authority: authority(48) }), found({ authority: authority(48) })]) {
      expect(words).toMatch('only the authority has receipt 48');
      expect(words).toEqual(byHand(4));
    }
  });

  test('numbers that were given twice since are not given a third time', () => {
    const behind = { ...known, globalCounter: 44 };
    expect(found({ known: behind, authority: authority(45) })).toMatchObject({
      globalCounter: 45,
      hash: here.lastHash,
      dayState: 'Opened',
    });
  });

  test('a day that the authority has closed needs no hash, whichever day it is', () => {
    const closed = found({ known, authority: authority(48, 4, 'FiscalDayClosed') });
    const sameDay = { globalCounter: 48, fiscalDayNumber: 4, fiscalDayCounter: 5, hash: here.lastHash };
    expect(closed).toEqual({ ...sameDay, wallSeconds: 900, dayState: 'CloseInitiated' });
    const next = found({ known: { ...known, fiscalDayNumber: 5 }, authority: authority(47, 5, 'FiscalDayClosed') });
    const later = { globalCounter: 47, fiscalDayNumber: 5, fiscalDayCounter: 0, hash: undefined };
    expect(next).toEqual({ ...later, wallSeconds: 120, dayState: 'CloseInitiated' });
    const fresh = head({ globalCounter: 0, fiscalDayNumber: 0, dayState: 'Closed', lastWallSeconds: undefined });
    expect(found({ head: fresh, authority: authority(0, 1, 'FiscalDayClosed') })).toMatchObject({
      globalCounter: 0,
      fiscalDayNumber: 1,
      wallSeconds: undefined,
    });
  });

  test('a day that is open here goes on, although the authority knows only of the one before, which is closed', () => {
    expect(found({ authority: authority(45, 3, 'FiscalDayClosed') })).toMatchObject({
      globalCounter: 45,
      dayState: 'Opened',
    });
  });

  test('a day whose opening is lost has to be closed by hand first', () => {
    for (const words of [
      found({ known, authority: authority(47, 5) }),
      found({ known: { ...known, fiscalDayNumber: 5 }, authority: authority(45) }),
    ]) {
      expect(words).toMatch('day 5 was opened after the last that is known here');
      expect(words).toEqual(byHand(5));
    }
  });

  test.each(['Opening', 'Closing', 'CloseInitiated', 'Closed'] as const)(
    'a day that is %s here was not opened later: it is not open',
    (dayState) => {
      const words = found({ head: { ...here, dayState }, known, authority: authority(47) });
      expect(words).toMatch('day 4 is not open here');
      expect(words).toEqual(byHand(4));
    },
  );

  test('while the authority is closing the day its end is waited for', () => {
    const closing = authority(47, 4, 'FiscalDayCloseInitiated');
    for (const dayState of ['Opened', 'CloseInitiated'] as const) {
      expect(found({ head: { ...here, dayState }, known, authority: closing })).toMatch(
        'the authority is closing day 4',
      );
    }
  });
});

test('what follows says what the authority lacks, and how the day will fail to close', () => {
  const words = (evidence: Pick<ChainEvidence, 'known' | 'authority'>) => {
    const next = found(evidence);
    return typeof next === 'string' ? [] : consequencesOf({ head: here, nowWall: 900, ...evidence }, next);
  };
  const told = (atAuthority: number) => words({ known, authority: authority(atAuthority) }).join(' ');
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
