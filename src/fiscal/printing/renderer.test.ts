import { afterEach, describe, expect, test } from 'vitest';
import { fullReceipt, printInput } from '../../../test/support/print-input.ts';
import { receiptDocument } from './core/receipt-document.ts';
import type { Job } from './job.ts';
import { Renderer } from './renderer.ts';

const input = printInput(fullReceipt);
const facts = { title: 'A receipt', author: 'A shop', date: new Date('2026-11-15T16:48:09Z') };
const job = (changes: Partial<Job> = {}): Job => ({
  format: 'escpos',
  content: { kind: 'roll', document: receiptDocument(input, 'Receipt48') },
  logo: undefined,
  facts,
  ...changes,
});

let renderer = new Renderer();
afterEach(async () => {
  await renderer.close();
  renderer = new Renderer();
});

describe('the renderer', () => {
  test('answers each job with its own document, however many come at once', async () => {
    const numbers = [1, 2, 3, 4, 5];
    const outcomes = await Promise.all(
      numbers.map((number) => {
        const document = { ...receiptDocument(input, 'Receipt48'), footer: [`number ${number}`] };
        return renderer.render(job({ content: { kind: 'roll', document } }));
      }),
    );
    outcomes.forEach((outcome, index) => {
      const bytes = outcome.kind === 'rendered' ? Buffer.from(outcome.bytes) : Buffer.alloc(0);
      expect(bytes.includes(`number ${index + 1}\n`)).toBe(true);
    });
  });

  test('tells of a job that failed, and does the next one', async () => {
    const logo = { png: Uint8Array.of(1, 2, 3), width: -1, height: 1 };
    await expect(renderer.render(job({ logo }))).rejects.toThrow('drawing failed');
    expect(await renderer.render(job())).toMatchObject({ kind: 'rendered' });
  });

  test('makes no picture that would take more memory than it is worth', async () => {
    const document = { ...receiptDocument(input, 'Receipt48'), footer: Array.from({ length: 3000 }, () => 'a line') };
    expect(await renderer.render(job({ format: 'png', content: { kind: 'roll', document } }))).toMatchObject({
      kind: 'too-large',
    });
  });

  test('takes no more jobs than it can wait with, and gives up those it has when it is closed', async () => {
    const waiting = Array.from({ length: 51 }, () => renderer.render(job()));
    expect(await renderer.render(job())).toEqual({ kind: 'busy' });
    const settled = Promise.allSettled(waiting);
    await renderer.close();
    expect((await settled).filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0);
  });
});
