import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/support/property-runs.ts';
import {
  type Answer,
  choosePrimary,
  type Lineage,
  NOTHING_SEEN,
  remember,
  type Seen,
  whyBehind,
} from './choose-primary.ts';

const server = (id: string, timeline: number | undefined, more: Partial<Answer> = {}): Answer => ({
  id,
  timeline,
  systemId: 'S',
  markedAt: 0,
  isStandby: false,
  ...more,
});
const standby = (id: string, timeline: number, more: Partial<Answer> = {}) =>
  server(id, timeline, { isStandby: true, ...more });
const seenOn = (...servers: readonly Lineage[]): Seen => servers.reduce(remember, NOTHING_SEEN);
const used = (answers: readonly (Answer | undefined)[], seen = NOTHING_SEEN, isGoingBack = false) => {
  const choice = choosePrimary(answers, seen, isGoingBack);
  return choice.kind === 'use' ? choice.index : choice.kind === 'refused' ? choice.why : 'none';
};

describe('of several hosts', () => {
  test('the one that takes writes is used, wherever it stands', () => {
    expect(used([standby('b', 1), server('a', 1)])).toBe(1);
    expect(used([undefined, server('a', 1)])).toBe(1);
    expect(used([standby('a', 1), undefined])).toBe('none');
  });

  test('the one that was promoted last is used, not the one that it replaced', () => {
    expect(used([server('a', 1), server('b', 2)])).toBe(1);
  });

  test('a replaced one is refused as long as a standby answers that follows a later timeline', () => {
    expect(used([server('a', 1), undefined, standby('c', 2)])).toMatch(/timeline 1, .* another server .* timeline 2/);
  });

  test('two that were promoted beside each other are not chosen from, however often one of them is named', () => {
    expect(used([server('a', 2), server('b', 2)])).toMatch(/not the only one/);
    expect(used([server('a', 2), server('b', 2, { systemId: 'other' })])).toMatch(/not the only one/);
    expect(used([server('a', 2), server('a', 2)])).toBe(0);
  });
});

describe('against what earlier runs have seen', () => {
  test('a lower timeline is refused, the same and a higher one and an unknown one are not', () => {
    const seen = seenOn(server('b', 2));
    expect(used([server('a', 1), undefined], seen)).toMatch(/timeline 1, .* has worked on timeline 2.*restore mark/);
    for (const timeline of [2, 3, undefined]) expect(used([server('a', timeline)], seen)).toBe(0);
  });

  test('another identifier is new, and the one that was left for it is refused', () => {
    const next = server('n', 1, { systemId: 'new' });
    expect(used([next], seenOn(server('a', 7)))).toBe(0);
    expect(used([server('a', 7)], seenOn(server('a', 7), next))).toMatch(/left for another/);
    expect(used([server('a', 1, { systemId: undefined })], seenOn(server('a', 7), next))).toBe(0);
  });

  test('a slow instance that confirms the one that was left does not bring it back', () => {
    const next = server('n', 1, { systemId: 'new' });
    expect(seenOn(server('a', 7), next, server('a', 8)).inUse).toBe('new');
  });
});

describe('a person goes back to a server that was replaced', () => {
  const marked = server('a', 1, { markedAt: 50 });

  test('only where no other one takes writes, and none follows a later timeline', () => {
    expect(used([server('a', 1), server('b', 2)], NOTHING_SEEN, true)).toMatch(/not the only one/);
    expect(used([server('a', 1), standby('b', 2)], NOTHING_SEEN, true)).toMatch(/timeline 2/);
    expect(used([server('a', 1), undefined], NOTHING_SEEN, true)).toBe(0);
  });

  test('its mark is believed before what was seen, and whatever lacks it is given up, on any timeline', () => {
    for (const seen of [
      NOTHING_SEEN,
      seenOn(server('b', 2)),
      seenOn(server('a', 1), server('n', 1, { systemId: 'n' })),
    ]) {
      expect(used([marked, server('b', 2)], seen)).toBe(0);
      expect(used([standby('c', 2), marked], seen)).toBe(1);
    }
    for (const timeline of [2, 3, 9]) {
      expect(used([undefined, server('b', timeline)], seenOn(server('b', 2), marked))).toMatch(/given up/);
    }
  });

  test('its own standby may be promoted to the very timeline that was given up', () => {
    expect(used([undefined, server('b', 2, { markedAt: 50 })], seenOn(server('b', 2), marked))).toBe(1);
  });

  test('it can be done again, in either direction', () => {
    const again = server('b', 2, { markedAt: 60 });
    const seen = seenOn(server('b', 2), marked, again);
    expect([used([again], seen), used([marked], seen)]).toEqual([0, expect.stringMatching(/given up/)]);
  });
});

const lineages = fc.record({
  systemId: fc.constantFrom('S', 'T', undefined),
  timeline: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
  markedAt: fc.constantFrom(0, 1, 2),
});
const answered = fc.option(
  lineages.chain((lineage) =>
    fc.record({ id: fc.constantFrom('a', 'b', 'c'), isStandby: fc.boolean() }).map((more) => ({ ...lineage, ...more })),
  ),
  { nil: undefined },
);

test('a server that is used is behind none that answers and nothing that was seen', () => {
  fc.assert(
    fc.property(fc.array(answered, { maxLength: 4 }), fc.array(lineages, { maxLength: 4 }), (answers, before) => {
      const seen = before.reduce(remember, NOTHING_SEEN);
      const choice = choosePrimary(answers, seen);
      if (choice.kind !== 'use') return;
      const chosen = answers[choice.index];
      if (chosen === undefined) throw new Error('nobody was chosen');
      expect([chosen.isStandby, whyBehind(chosen, seen)]).toEqual([false, undefined]);
      for (const other of answers) {
        if (other === undefined) continue;
        expect(other.markedAt).toBeLessThanOrEqual(chosen.markedAt);
        if (other.systemId !== chosen.systemId || other.markedAt !== chosen.markedAt) continue;
        if (chosen.timeline !== undefined) expect(other.timeline ?? 0).toBeLessThanOrEqual(chosen.timeline);
      }
    }),
    runs(4000),
  );
});

test('what was seen never goes down: in whatever order instances write, a timeline is the highest of its mark', () => {
  fc.assert(
    fc.property(fc.array(lineages, { minLength: 1, maxLength: 6 }), (confirmed) => {
      const seen = confirmed.reduce(remember, NOTHING_SEEN);
      for (const { systemId, timeline = 0, markedAt } of confirmed) {
        const known = systemId === undefined ? undefined : seen.servers[systemId];
        if (known === undefined || known.markedAt !== markedAt) continue;
        expect(known.timeline).toBeGreaterThanOrEqual(timeline);
      }
    }),
    runs(4000),
  );
});
