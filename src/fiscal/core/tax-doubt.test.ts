import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { device, deviceTax, instant, taxTable } from '../../../test/support/devices.ts';
import { invoice, receiptOf } from '../../../test/support/receipts/receipts.ts';
import { type DeviceTax, percentKey } from '../../fdms/index.ts';
import { decimal } from '../../kernel/decimal.ts';
import type { TaxDoubt } from './device.ts';
import { decideTaxes, doubtAfterRemark, refuseUnclearTax } from './tax-doubt.ts';

const NOON = instant('2026-11-15T12:00:00+02:00');
const tax = (id: number, percent: string | null, till?: string) => deviceTax(id, percent, '2020-01-01', till);
const [EXEMPT, ZERO, STANDARD] = [tax(1, null), tax(2, '0'), tax(3, '15.5')];
const WHOLE = [EXEMPT, ZERO, STANDARD];

const doubt = (changes: Partial<TaxDoubt> = {}): TaxDoubt => ({
  percents: ['15.5'],
  answer: undefined,
  sinceSeconds: NOON,
  isRemarked: false,
  ...changes,
});

const withTaxes = (taxes: readonly DeviceTax[], taxDoubt?: TaxDoubt) =>
  device({ taxTables: [taxTable('2026-01-01T00:00:00', taxes)], taxDoubt });

describe('the taxes that the authority lists', () => {
  const decide = (answer: readonly DeviceTax[], before?: TaxDoubt, inForce: readonly DeviceTax[] = WHOLE) =>
    decideTaxes(withTaxes(inForce, before), answer, NOON);

  test.each([
    ['the same', WHOLE],
    ['one more', [...WHOLE, tax(4, '5')]],
    ['one more of a percentage that is there', [...WHOLE, tax(4, '15.5')]],
    ['one that ends today', [EXEMPT, ZERO, tax(3, '15.5', '2026-11-15')]],
    ['another order and another name', [STANDARD, ZERO, { ...EXEMPT, taxName: 'none' }]],
  ])('count at once where nothing is missing: %s', (_what, answer) => {
    expect(decide(answer)).toEqual({ taxes: answer, percents: [], change: '' });
  });

  test('that are no longer in force today may be missing', () => {
    const inForce = [...WHOLE, tax(9, '14', '2026-11-14')];
    expect(decide(WHOLE, undefined, inForce)).toEqual({ taxes: WHOLE, percents: [], change: '' });
  });

  test.each([
    ['is missing', [EXEMPT, ZERO], '15.5% (tax 3) is gone'],
    ['has ended', [EXEMPT, ZERO, tax(3, '15.5', '2026-11-14')], '15.5% (tax 3) is gone'],
    ['has another id', [EXEMPT, ZERO, tax(517, '15.5')], '15.5% (tax 3) is gone, 15.5% (tax 517) is new'],
    ['has another percentage', [EXEMPT, ZERO, tax(3, '16')], '15.5% (tax 3) is gone, 16% (tax 3) is new'],
  ])('leave what is in force in doubt where one %s', (_what, answer, change) => {
    const decision = decide(answer);
    expect(decision).toMatchObject({ percents: ['15.5'], change });
    const others = answer.filter(({ taxPercent }) => percentKey(taxPercent) !== '15.5');
    expect(decision.taxes).toEqual([...others, STANDARD]);
  });

  test('are believed when they are said twice, and not when each time something else is', () => {
    const answer = [EXEMPT, ZERO, tax(517, '15.5')];
    const CHANGE =
      '15.5% (tax 3) is gone, 15.5% (tax 517) is new; it has exempt (tax 1), 0% (tax 2), 15.5% (tax 517) now';
    const believed = { taxes: answer, percents: [], change: CHANGE };
    expect(decide(answer, doubt({ answer: answer.toReversed() }))).toEqual(believed);
    expect(decide(answer, doubt({ answer: [EXEMPT, ZERO] })).percents).toEqual(['15.5']);
    expect(decide([EXEMPT, ZERO], doubt({ answer })).percents).toEqual(['15.5']);
  });

  test('are believed at once after a remark, and are whole again without one', () => {
    expect(decide([EXEMPT, ZERO], doubt({ isRemarked: true }))).toMatchObject({ taxes: [EXEMPT, ZERO], percents: [] });
    expect(decide(WHOLE, doubt({ answer: [EXEMPT] }))).toEqual({ taxes: WHOLE, percents: [], change: '' });
  });

  test('of a device that has none count at once', () => {
    expect(decideTaxes(device({ taxTables: [] }), WHOLE, NOON).taxes).toBe(WHOLE);
  });

  const anyTax = fc
    .tuple(fc.integer({ min: 1, max: 4 }), fc.constantFrom('15', '15.5', '0', null), fc.boolean())
    .map(([id, percent, isOver]) => tax(id, percent, isOver ? '2026-11-14' : undefined));
  const anyList = fc.array(anyTax, { minLength: 1, maxLength: 5 });

  test('for any answers: one alone ends no tax, the same again does, and what is not in doubt is as it was said', () => {
    const current = (taxes: readonly DeviceTax[], key: string) =>
      new Set(
        taxes
          .filter((one) => one.validTill === undefined && percentKey(one.taxPercent) === key)
          .map(({ taxId }) => taxId),
      );
    fc.assert(
      fc.property(anyList, anyList, (inForce, answer) => {
        const first = decide(answer, undefined, inForce);
        for (const key of ['15', '15.5', '0', 'exempt']) {
          const [before, said, now] = [inForce, answer, first.taxes].map((taxes) => current(taxes, key));
          const isDoubted = first.percents.includes(key);
          expect(now).toEqual(isDoubted ? before : said);
          expect(isDoubted).toBe([...(before ?? [])].some((id) => said?.has(id) !== true));
        }
        const second = decide(answer, doubt({ answer, percents: first.percents }), first.taxes);
        expect(second).toMatchObject({ taxes: answer, percents: [] });
      }),
    );
  });
});

describe('a remark RCPT025', () => {
  const used = (taxId: number, percent: string | null) => ({
    taxId,
    taxPercent: percent === null ? null : decimal(percent),
    taxAmount: decimal('1'),
    salesAmountWithTax: decimal('2'),
  });
  const remarkOn = (taxes: ReturnType<typeof used>[], before?: TaxDoubt, taxRemarkAtSeconds?: number) =>
    doubtAfterRemark(withTaxes(WHOLE, before), { taxRemarkAtSeconds }, taxes, NOON + 100);

  test('puts the percentages of its receipt in doubt, those in doubt already included', () => {
    expect(remarkOn([used(3, '15.50'), used(1, null)])).toEqual({
      percents: ['15.5', 'exempt'],
      answer: undefined,
      sinceSeconds: NOON + 100,
      isRemarked: true,
    });
    const before = doubt({ answer: [EXEMPT] });
    expect(remarkOn([used(2, '0')], before)).toEqual({ ...before, percents: ['15.5', '0'], isRemarked: true });
    expect(remarkOn([used(3, '15.5')], before)).toEqual({ ...before, isRemarked: true });
  });

  test('says nothing where the receipt has a tax that has ended meanwhile', () => {
    expect(remarkOn([used(517, '15.5'), used(3, '15')])).toBeUndefined();
  });

  test('says nothing new while the authority is asked because of one, and for a minute', () => {
    expect(remarkOn([used(3, '15.5')], doubt({ isRemarked: true }))).toBeUndefined();
    expect(remarkOn([used(3, '15.5')], undefined, NOON + 41)).toBeUndefined();
    expect(remarkOn([used(3, '15.5')], undefined, NOON + 40)).toBeDefined();
    expect(remarkOn([used(3, '15.5')], doubt(), NOON + 99)).toBeDefined();
  });
});

describe('a receipt', () => {
  const receipt = receiptOf(invoice(1001, 'R-1'));
  const refusal = (taxDoubt: TaxDoubt | undefined, nowSeconds = NOON) =>
    refuseUnclearTax(withTaxes(WHOLE, taxDoubt), receipt, nowSeconds);

  test('with a percentage in doubt waits, and every other is sealed', () => {
    expect(refusal(undefined)).toBeUndefined();
    expect(refusal(doubt({ percents: ['0', 'exempt'] }))).toBeUndefined();
    const { code, retryAfterSeconds, detail } = refusal(doubt()) ?? {};
    expect([code, retryAfterSeconds]).toEqual(['TaxUnclear', 10]);
    expect(detail).toContain('the tax of 15.5% is not clear: the authority no longer lists');
  });

  test('waits for ten minutes of silence, and as long as it takes after a remark', () => {
    expect(refusal(doubt(), NOON + 599)).toBeDefined();
    expect(refusal(doubt(), NOON + 600)).toBeUndefined();
    expect(refusal(doubt({ isRemarked: true }), NOON + 86_400)?.detail).toContain('remarked RCPT025');
  });
});
