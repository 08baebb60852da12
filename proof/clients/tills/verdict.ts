/** Whether every sale is in the chain exactly once and in the till's order. Shares no code with any client. */
import { DatabaseSync } from 'node:sqlite';
import { type Chain, saleProblems } from '../../checker/check-sales.ts';
import type { World } from './world.ts';

export interface Till {
  readonly language: string;
  readonly prefix: string;
  readonly outbox: string;
  readonly deviceId: number;
  readonly sales: number;
  /** Every n-th sale is wrong and must be set aside; 0 for none. */
  readonly refuseEvery: number;
  /** The numbers of signed sales that it printed, by reference. */
  readonly signed: Map<string, number>;
}

export interface Status {
  readonly Queued: number;
  readonly SetAside: readonly { readonly Reference: string; readonly Status: number }[];
  readonly Halted: object | null;
}

/** What is wrong, one line each. */
export async function findFaults(
  world: Pick<World, 'chain'>,
  tills: readonly Till[],
  statuses: ReadonlyMap<string, Status>,
): Promise<string[]> {
  const faults: string[] = [];
  for (const [deviceId, own] of Map.groupBy(tills, (till) => till.deviceId)) {
    const chain = await world.chain(deviceId);
    const told = own.flatMap(({ signed }) => [...signed]);
    faults.push(...saleProblems(chain, own.map(good), told), ...totalFaults(chain));
  }
  for (const [outbox, status] of statuses) {
    const bad = tills.filter((till) => till.outbox === outbox).flatMap(wrong);
    const aside = status.SetAside.map(({ Reference }) => Reference);
    if (!isSame(aside.toSorted(), bad.toSorted()))
      faults.push(`${outbox}: set aside are ${aside.join(' ')}, not ${bad.join(' ')}`);
    if (status.SetAside.some(({ Status }) => Status !== 400))
      faults.push(`${outbox}: something is set aside with another status than 400`);
    if (status.Queued !== 0 || status.Halted !== null) faults.push(`${outbox}: ${JSON.stringify(status)}`);
  }
  return faults;
}

function totalFaults({ receipts }: Chain): string[] {
  return receipts.flatMap(({ Reference, TotalAmount }) => {
    const cents = totalCents(Number(Reference.slice(Reference.lastIndexOf('-') + 1)));
    return Math.round(TotalAmount * 100) === cents ? [] : [`${Reference} is over ${TotalAmount}`];
  });
}

const all = ({ prefix, sales }: Till) => Array.from({ length: sales }, (_, index) => `${prefix}-${index + 1}`);
const isWrong = (till: Till, index: number) => till.refuseEvery > 0 && (index + 1) % till.refuseEvery === 0;
const good = (till: Till) => all(till).filter((_, index) => !isWrong(till, index));
const wrong = (till: Till) => all(till).filter((_, index) => isWrong(till, index));
const totalCents = (n: number) => ((n % 997) + 1) * 7 + (n % 89) + 1 + 50;

function isSame<T>(one: readonly T[], other: readonly T[]): boolean {
  return one.length === other.length && one.every((value, index) => value === other[index]);
}

/** Whether a file is whole, and the references of its sales in order. */
export function readSales(outbox: string): string[] {
  const db = new DatabaseSync(outbox);
  try {
    const checked = db.prepare('pragma integrity_check').get()?.['integrity_check'];
    if (checked !== 'ok') throw new Error(`${outbox} is damaged: ${String(checked)}`);
    return db
      .prepare('select reference from sales order by place')
      .all()
      .map(({ reference }) => String(reference));
  } finally {
    db.close();
  }
}
