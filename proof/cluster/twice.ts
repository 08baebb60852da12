import type { Evidence } from '../checker/evidence.ts';

interface Seal {
  readonly AuthorityDeviceId: number;
  readonly GlobalCounter: number;
  readonly DeviceHash: string;
}

/** Numbers that tills were given for two receipts, and by how many of these the same instance gave both. */
export function numbersGivenTwice({ attempts }: Evidence): {
  readonly numbers: number;
  readonly byOneThatKnew: number;
} {
  const seals = attempts
    .filter(({ act, status }) => act === 'sign' && status === 200)
    .map(({ instance, isReplay, answer }) => ({ instance, isReplay, seal: answer as Seal }));
  const byNumber = Map.groupBy(seals, ({ seal }) => `${seal.AuthorityDeviceId}/${seal.GlobalCounter}`);
  const twice = [...byNumber.values()].filter((all) => new Set(all.map(({ seal }) => seal.DeviceHash)).size > 1);
  const isByOne = (all: typeof seals) => {
    const fresh = all.filter(({ isReplay }) => !isReplay);
    return [...Map.groupBy(fresh, ({ instance }) => instance).values()].some(
      (own) => new Set(own.map(({ seal }) => seal.DeviceHash)).size > 1,
    );
  };
  return { numbers: twice.length, byOneThatKnew: twice.filter(isByOne).length };
}
