import { createPublicKey, type KeyObject } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { afterEach, expect, test, vi } from 'vitest';
import { verifyText } from '../../fdms/index.ts';
import { generateDeviceKey, loadPrivateKey } from './device-key.ts';
import { Signer } from './signer.ts';

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: vi.fn() };
const signers: Signer[] = [];

function createSigner(cores: number): Signer {
  const signer = new Signer(log, cores);
  signers.push(signer);
  return signer;
}

afterEach(async () => {
  for (const signer of signers.splice(0)) await signer.close();
});

async function someKeys(count: number, algorithm: 'ECDSA-P256' | 'RSA-2048' = 'ECDSA-P256'): Promise<KeyObject[]> {
  const pairs = await Promise.all(Array.from({ length: count }, () => generateDeviceKey(algorithm)));
  return pairs.map(({ privateKey }) => loadPrivateKey(privateKey));
}

const textsFor = (keys: readonly KeyObject[], name: string) =>
  keys.map((key, index) => ({ key, text: `${name} ${index} ü€` }));

function expectSigned(work: readonly { key: KeyObject; text: string }[], signatures: readonly Buffer[]): void {
  expect(signatures).toHaveLength(work.length);
  for (const [index, { key, text }] of work.entries()) {
    expect(verifyText(createPublicKey(key), text, signatures[index] ?? Buffer.alloc(0))).toBe(true);
  }
}

test.each([1, 2, 4])(
  'on %s cores every text is signed with its own key, batch after batch and at once',
  async (cores) => {
    const signer = createSigner(cores);
    const keys = await someKeys(5);
    const batches = [
      textsFor(keys, 'a'),
      textsFor(keys.toReversed(), 'b'),
      textsFor([...keys, ...(await someKeys(3))], 'c'),
    ];
    const signed = await Promise.all(batches.map((work) => signer.signAll(work)));
    for (const [index, work] of batches.entries()) expectSigned(work, signed[index] ?? []);
  },
);

test('RSA keys, and few of any kind, are signed too', async () => {
  const signer = createSigner(4);
  const mixed = textsFor([...(await someKeys(4)), ...(await someKeys(1, 'RSA-2048'))], 'mixed');
  expectSigned(mixed, await signer.signAll(mixed));
  const one = textsFor(await someKeys(1), 'one');
  expectSigned(one, await signer.signAll(one));
});

test('what a thread had in hand when it died is signed all the same, and so is what comes after', async () => {
  const postMessage = vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker) {
    void this.terminate(); // dies with the work in hand
  });
  const signer = createSigner(4);
  const work = textsFor(await someKeys(6), 'lost');
  const signing = Promise.all([signer.signAll(work), signer.signAll(work.toReversed())]);
  const [first, second] = await signing;
  expect(postMessage).toHaveBeenCalled();
  postMessage.mockRestore();
  expectSigned(work, first);
  expectSigned(work.toReversed(), second);
  expectSigned(work, await signer.signAll(work));
});
