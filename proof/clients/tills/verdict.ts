/** Whether every sale is in the chain exactly once and in the till's order. Shares no code with any client. */
import { DatabaseSync } from 'node:sqlite';
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
  world: Pick<World, 'receipts' | 'holds'>,
  tills: readonly Till[],
  statuses: ReadonlyMap<string, Status>,
): Promise<string[]> {
  const faults: string[] = [];
  for (const deviceId of new Set(tills.map((till) => till.deviceId))) {
    const receipts = await world.receipts(deviceId);
    const own = tills.filter((till) => till.deviceId === deviceId);
    faults.push(...own.flatMap((till) => faultsOf(till, receipts)));
    const expected = own.reduce((sum, till) => sum + good(till).length, 0);
    if (receipts.length !== expected)
      faults.push(`device ${deviceId} has ${receipts.length} receipts, not ${expected}`);
    if (receipts.some(({ GlobalCounter }, index) => GlobalCounter !== index + 1))
      faults.push(`device ${deviceId} has a gap`);
    if (!(await world.holds(deviceId))) faults.push(`the chain of device ${deviceId} does not hold`);
  }
  for (const [outbox, status] of statuses) {
    const bad = tills
      .filter((till) => till.outbox === outbox)
      .flatMap((till) => wrong(till).map((n) => `${till.prefix}-${n}`));
    const aside = status.SetAside.map(({ Reference }) => Reference);
    if (!isSame(aside.toSorted(), bad.toSorted()))
      faults.push(`${outbox}: set aside are ${aside.join(' ')}, not ${bad.join(' ')}`);
    if (status.SetAside.some(({ Status }) => Status !== 400))
      faults.push(`${outbox}: something is set aside with another status than 400`);
    if (status.Queued !== 0 || status.Halted !== null) faults.push(`${outbox}: ${JSON.stringify(status)}`);
  }
  return faults;
}

type Sealed = Awaited<ReturnType<World['receipts']>>;

function faultsOf(till: Till, receipts: Sealed): string[] {
  const own = receipts.filter(({ Reference }) => Reference.startsWith(`${till.prefix}-`));
  const numbers = own.map(({ Reference }) => Number(Reference.slice(till.prefix.length + 1)));
  const faults: string[] = [];
  const lost = good(till).filter((n) => !numbers.includes(n));
  if (lost.length > 0) faults.push(`${till.prefix}: lost ${lost.join(' ')}`);
  if (new Set(numbers).size !== numbers.length) faults.push(`${till.prefix}: some are doubled`);
  if (
    !isSame(
      numbers,
      numbers.toSorted((a, b) => a - b),
    )
  )
    faults.push(`${till.prefix}: out of order: ${numbers.join(' ')}`);
  for (const { Reference, TotalAmount } of own) {
    const cents = totalCents(Number(Reference.slice(till.prefix.length + 1)));
    if (Math.round(TotalAmount * 100) !== cents) faults.push(`${Reference} is over ${TotalAmount}`);
  }
  const counters = new Map(own.map(({ Reference, GlobalCounter }) => [Reference, GlobalCounter]));
  for (const [reference, counter] of till.signed)
    if (counters.get(reference) !== counter) faults.push(`${reference} was printed with number ${counter}`);
  return faults;
}

const all = (till: Till) => Array.from({ length: till.sales }, (_, index) => index + 1);
const isWrong = (till: Till, n: number) => till.refuseEvery > 0 && n % till.refuseEvery === 0;
const good = (till: Till) => all(till).filter((n) => !isWrong(till, n));
const wrong = (till: Till) => all(till).filter((n) => isWrong(till, n));
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
