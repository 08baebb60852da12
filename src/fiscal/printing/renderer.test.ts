import { afterEach, describe, expect, test, vi } from 'vitest';
import { fullReceipt, printInput } from '../../../test/support/printing/print-input.ts';
import type { Job, PrintSource } from './job.ts';
import { Renderer } from './renderer.ts';

const { receipt: _read, original: _none, ...printed } = printInput(fullReceipt);
const source: PrintSource = { ...printed, body: JSON.stringify(fullReceipt), original: undefined };
const job = (changes: Partial<Job> = {}, sourceChanges: Partial<PrintSource> = {}): Job => ({
  format: 'escpos',
  content: { kind: 'receipt', source: { ...source, ...sourceChanges }, form: 'Receipt48' },
  logo: undefined,
  date: new Date('2026-11-15T16:48:09Z'),
  ...changes,
});
const SHORT = { taxpayerId: 'a shop', isLong: false, isWanted: () => true };
const LONG = { taxpayerId: 'a shop', isLong: true, isWanted: () => true };

/** A thousand lines in several scripts, on A4. */
function longJob(): Job {
  const names = ['Kettle', '有机绿茶 500克', 'شاي أخضر', 'हरी चाय', 'አረንጓዴ ሻይ'];
  const ReceiptLines = Array.from({ length: 1000 }, (_, index) => ({
    ...fullReceipt.ReceiptLines[0],
    Name: `${names[index % names.length]} ${index}`,
  }));
  const body = JSON.stringify({ ...fullReceipt, ReceiptLines, ReceiptPrintForm: 'InvoiceA4' });
  return job({ format: 'pdf', content: { kind: 'receipt', source: { ...source, body }, form: undefined } });
}

let renderer = new Renderer();
afterEach(async () => {
  vi.restoreAllMocks();
  await renderer.close();
  renderer = new Renderer();
});

describe('the renderer', () => {
  test('answers each job with its own document, however many come at once', async () => {
    const numbers = [1, 2, 3, 4, 5];
    const outcomes = await Promise.all(
      numbers.map((number) => renderer.render(job({}, { footer: `number ${number}` }), SHORT)),
    );
    outcomes.forEach((outcome, index) => {
      const bytes = outcome.kind === 'rendered' ? Buffer.from(outcome.bytes) : Buffer.alloc(0);
      expect(bytes.includes(`number ${index + 1}\n`)).toBe(true);
    });
  });

  test('tells of a job that failed, and does the next one', async () => {
    const logo = { png: Uint8Array.of(1, 2, 3), width: -1, height: 1 };
    await expect(renderer.render(job({ logo }), SHORT)).rejects.toThrow('Error');
    expect(await renderer.render(job(), SHORT)).toMatchObject({ kind: 'rendered' });
  });

  test('makes no picture that would take more memory than it is worth', async () => {
    const footer = 'a line\n'.repeat(3000);
    expect(await renderer.render(job({ format: 'png' }, { footer }), SHORT)).toMatchObject({ kind: 'too-large' });
  });

  test("draws another taxpayer's receipt before what one has piled up, and before any long document", async () => {
    const done: string[] = [];
    const noted = async (name: string, rendering: Promise<{ kind: string }>) => {
      const { kind } = await rendering;
      done.push(kind === 'rendered' ? name : kind);
    };
    const piledUp = [
      ...Array.from({ length: 40 }, () => noted('long', renderer.render(longJob(), LONG))),
      ...Array.from({ length: 20 }, () => noted('own', renderer.render(job(), SHORT))),
    ];
    await noted('neighbour', renderer.render(job(), { ...SHORT, taxpayerId: 'another shop' }));
    // Of the long ones one is being drawn and two wait; the others were told at once.
    expect(done.filter((kind) => kind === 'holder-full')).toHaveLength(37);
    // The first own one was under way already, and by turns one more may have been.
    expect(done.filter((kind) => kind === 'own').length).toBeLessThanOrEqual(2);
    expect(done.filter((kind) => kind === 'long').length).toBeLessThan(3);
    const settled = Promise.allSettled(piledUp);
    await renderer.close();
    await settled;
  });

  test('does not draw what nobody waits for any more', async () => {
    const first = renderer.render(job(), SHORT);
    const left = renderer.render(job({ format: 'png' }), { ...SHORT, isWanted: () => false });
    const last = renderer.render(job(), SHORT);
    expect((await Promise.all([first, left, last])).map(({ kind }) => kind)).toEqual(['rendered', 'full', 'rendered']);
  });

  test('tells who has waited for half a minute to come again', async () => {
    const now = performance.now();
    const clock = vi.spyOn(performance, 'now').mockReturnValue(now);
    const first = renderer.render(job(), SHORT);
    const waited = renderer.render(job(), SHORT);
    clock.mockReturnValue(now + 1);
    const inTime = renderer.render(job(), SHORT);
    clock.mockReturnValue(now + 30_000);
    const outcomes = await Promise.all([first, waited, inTime]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['rendered', 'full', 'rendered']);
  });

  test('takes no more jobs of one than it can wait with, and gives up those it has when it is closed', async () => {
    const waiting = Array.from({ length: 21 }, () => renderer.render(job(), SHORT));
    expect(await renderer.render(job(), SHORT)).toEqual({ kind: 'holder-full' });
    const settled = Promise.allSettled(waiting);
    await renderer.close();
    expect((await settled).filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0);
  });

  test('takes no more jobs than it can wait with from all together', async () => {
    const waiting = Array.from({ length: 201 }, (_, index) =>
      renderer.render(job(), { ...SHORT, taxpayerId: `shop ${index}` }),
    );
    expect(await renderer.render(job(), { ...SHORT, taxpayerId: 'one more' })).toEqual({ kind: 'full' });
    const settled = Promise.allSettled(waiting);
    await renderer.close();
    await settled;
  });
});
