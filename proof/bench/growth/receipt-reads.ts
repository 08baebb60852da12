import { verification } from '../../../src/fdms/index.ts';
import { writeCursor } from '../../../src/fiscal/index.ts';
import { issueToken } from '../../../src/platform/tokens/issue-token.ts';
import type { Sender } from '../shared/receipt.ts';
import type { Stage } from '../shared/stage.ts';
import type { Reads } from './measure-reads.ts';

const SAMPLES = 1000;

interface Sample {
  readonly reference: string;
  readonly device_id: number;
  readonly global_counter: number;
  readonly position: string;
  readonly signature: Buffer;
  readonly total: string;
  readonly buyer_tin: string;
  readonly buyer_name: string;
}

/** Each for receipts from the whole history. */
export async function receiptReads(
  { stage: { pool }, senders }: { readonly stage: Stage; readonly senders: readonly Sender[] },
  receipts: number,
): Promise<Reads> {
  const { token: operator } = await issueToken(pool, { name: 'bench', scopes: ['admin'] });
  const { rows: samples } = await pool.query<Sample>(
    `select reference, device_id, global_counter, signature, total::text, buyer_tin, buyer_name,
            to_char(sealed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as position
       from receipts tablesample system ($1) where reference like 'LOAD-%' order by random() limit ${SAMPLES}`,
    [Math.min(100, (100 * 10 * SAMPLES) / receipts)],
  );
  const tokens = new Map(senders.map(({ deviceId, token }) => [deviceId, token]));
  const cursor = (one: Sample) =>
    writeCursor({ sealedAt: one.position, deviceId: one.device_id, globalCounter: one.global_counter });
  const code = (one: Sample) =>
    verification({ qrUrl: 'https://x', deviceId: 1, date: '2026-01-01', globalCounter: 1, signature: one.signature })
      .verificationCode;
  /** `least`: how many receipts an answer must contain. */
  const asking = (path: (one: Sample) => string, least: number) => (turn: number) => {
    const one = samples[turn % samples.length];
    if (one === undefined) throw new Error('there are no receipts to ask for');
    const token = path(one).startsWith('/api/admin') ? operator : (tokens.get(one.device_id) ?? '');
    const isRight = (answer: string) => answer.split('"DeviceSignature":').length - 1 >= least;
    return { path: path(one), token, isRight };
  };
  const encode = encodeURIComponent;
  const admin = '/api/admin/receipts';
  return {
    'GET receipt': asking((one) => `/api/receipt/${encode(one.reference)}`, 1),
    'list, newest': asking(() => '/api/receipt', 50),
    'list, of a device': asking((one) => `/api/receipt?AuthorityDeviceId=${one.device_id}`, 10),
    'list, deep page': asking((one) => `/api/receipt?Cursor=${cursor(one)}`, 0),
    'search, newest': asking(() => admin, 50),
    'search, deep page': asking((one) => `${admin}?Cursor=${cursor(one)}`, 0),
    'search by code': asking((one) => `${admin}?VerificationCode=${code(one)}`, 1),
    'search by reference': asking((one) => `${admin}?Reference=${encode(one.reference)}`, 1),
    'search by TIN': asking((one) => `${admin}?Buyer=${one.buyer_tin}&Limit=20`, 15),
    "search by buyer's name": asking((one) => `${admin}?Buyer=${encode(one.buyer_name)}&Limit=20`, 15),
    'search by amount': asking((one) => `${admin}?Amount=${one.total}&Limit=20`, 15),
    'search, of a device': asking((one) => `${admin}?AuthorityDeviceId=${one.device_id}`, 10),
    'search, refused': asking(() => `${admin}?State=Refused&Limit=20`, 5),
  };
}
