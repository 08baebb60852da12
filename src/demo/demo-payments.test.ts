import { expect, test } from 'vitest';
import { pastPayments } from './demo-payments.ts';

const DAY_MS = 86_400_000;

test.each(['00:00:01', '05:10:00', '12:00:00', '23:59:59'])(
  'at %s the history is behind us, in order, weeks long, each reference once, and the same every time',
  (time) => {
    const now = new Date(`2026-11-15T${time}Z`);
    for (const kind of ['target', 'feed', 'plain'] as const) {
      const past = pastPayments(kind, 'SOME', now, 100);
      const moments = past.map(({ at }) => at.getTime());
      expect(moments).toEqual(moments.toSorted((a, b) => a - b));
      expect(moments.at(-1)).toBeLessThan(now.getTime() - 299_000);
      expect(moments[0]).toBeLessThan(now.getTime() - 20 * DAY_MS);
      expect(moments[0]).toBeGreaterThan(now.getTime() - 30 * DAY_MS);
      expect(new Set(past.map(({ request }) => request.vendorReference)).size).toBe(100);
      expect(past.filter(({ isReversed }) => isReversed).length).toBeGreaterThan(0);
      expect(pastPayments(kind, 'SOME', now, 100)).toEqual(past);
    }
  },
);
