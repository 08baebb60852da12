import { createHash } from 'node:crypto';
import { PNG } from 'pngjs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { decodeQr, pdfQrPicture } from '../../../test/support/printing/decode-qr.ts';
import { printOnPaper } from '../../../test/support/printing/escpos-printer.ts';
import { pdfLines } from '../../../test/support/printing/pdf-text.ts';
import { creditNote, invoice } from '../../../test/support/receipts/receipts.ts';
import { createTestService, type TestService } from '../../../test/support/service.ts';
import { openShop, type Shop } from '../../../test/support/shop.ts';
import { issueToken } from '../../platform/tokens/issue-token.ts';

let service: TestService;
let shop: Shop;
let operator: string;
let qrContent: string;

beforeAll(async () => {
  service = await createTestService();
  shop = await openShop(service);
  ({ token: operator } = await issueToken(service.pool, { name: 'operator', scopes: ['admin'] }));
  const signed = await service.sign(shop.token, invoice(shop.deviceId, 'INV-1'));
  qrContent = signed.json<{ QrCodeContent: string }>().QrCodeContent;
  expect((await service.sign(shop.token, creditNote(shop.deviceId, 'CN-1', 'INV-1'))).statusCode).toBe(200);
});
afterAll(() => service.close());

const print = (query: string, reference = 'INV-1') =>
  service.get(shop.token, `/api/receipt/${reference}/print${query}`);
const change = (body: object) =>
  service.call(operator, 'PATCH', `/api/admin/taxpayers/${shop.taxpayerId}/printing`, body);

/** A picture of one colour. */
function picture(width: number, height: number): string {
  const png = new PNG({ width, height });
  png.data.fill(0x40);
  return PNG.sync.write(png).toString('base64');
}

describe('a receipt is printed', () => {
  test.each([
    ['', 'application/pdf', 'INV-1.pdf', '%PDF-'],
    ['?format=pdf&form=InvoiceA4', 'application/pdf', 'INV-1.pdf', '%PDF-'],
    ['?format=html', 'text/html; charset=utf-8', 'INV-1.html', '<!doctype html>'],
    ['?format=text', 'text/plain; charset=utf-8', 'INV-1.txt', '   '],
    ['?format=escpos', 'application/octet-stream', 'INV-1.bin', '\u001b@'],
    ['?format=png', 'image/png', 'INV-1.png', '\u0089PNG'],
  ])('with %j as %s', async (query, type, name, start) => {
    const answer = await print(query);
    expect(answer.statusCode, answer.body.slice(0, 500)).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': type,
      'content-disposition': `inline; filename="${name}"`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(answer.rawPayload.toString('latin1').startsWith(start)).toBe(true);
  });

  test('the same every time', async () => {
    const [one, two] = [await print('?format=pdf'), await print('?format=pdf')];
    expect(one.rawPayload.equals(two.rawPayload)).toBe(true);
  });

  test.each(['Receipt48', 'InvoiceA4'])(
    '%s: the QR code in the picture and in the PDF says QrCodeContent',
    async (form) => {
      const png = PNG.sync.read((await print(`?format=png&form=${form}`)).rawPayload);
      expect(decodeQr(png)).toBe(qrContent);
      const pdf = (await print(`?format=pdf&form=${form}`)).rawPayload;
      expect(decodeQr(pdfQrPicture(pdf))).toBe(qrContent);
    },
  );

  test('in the form it was sent with, when none is asked for', async () => {
    await service.sign(shop.token, invoice(shop.deviceId, 'INV-A4', { ReceiptPrintForm: 'InvoiceA4' }));
    expect((await print('?format=text', 'INV-A4')).body).toContain('Fiscal device ID');
    expect((await print('?format=text&form=Receipt48', 'INV-A4')).body).toContain('Device ID:');
    expect((await print('?format=escpos', 'INV-A4')).statusCode).toBe(200);
  });

  test('in any script, whatever it is printed on', async () => {
    const lines = [{ ...invoice(0, '').ReceiptLines[0], Name: '有机绿茶 500克' }];
    const signed = await service.sign(shop.token, invoice(shop.deviceId, 'INV-TEA', { ReceiptLines: lines }));
    expect(signed.statusCode, signed.body).toBe(200);
    for (const form of ['Receipt48', 'InvoiceA4']) {
      expect((await print(`?format=text&form=${form}`, 'INV-TEA')).body).toContain('有机绿茶 500克');
      expect(pdfLines((await print(`?form=${form}`, 'INV-TEA')).rawPayload).join('\n')).toContain('有机绿茶 500克');
      const html = await print(`?format=html&form=${form}`, 'INV-TEA');
      expect(html.body).toContain('@font-face');
      const [, fonts = ''] = [...html.body.matchAll(/<style>(.*?)<\/style>/gs)].map(([, style = '']) => style);
      expect(html.headers['content-security-policy']).toContain(createHash('sha256').update(fonts).digest('base64'));
    }
    const paper = printOnPaper((await print('?format=escpos', 'INV-TEA')).rawPayload);
    expect(paper.rasterCount).toBe(1);
    expect(decodeQr(paper)).toBe(signed.json<{ QrCodeContent: string }>().QrCodeContent);
  });

  test('a note with the invoice it credits', async () => {
    const { body } = await print('?format=text', 'CN-1');
    expect(body).toMatch(/CREDIT NOTE/);
    expect(body).toMatch(
      /CREDITED INVOICE +\nDevice Serial No: +SN-TEST\nInvoice No: +1\nDate: +15\/11\/26 12:00\nCustomer reference No: +INV-1\n/,
    );
    expect(body).toMatch(/Total USD +-115\.50\nUSD Cash +-115\.50\nNumber of Items +1\n/);
  });

  test('a note whose invoice was sealed elsewhere, with what the note says of it', async () => {
    const fields = { OriginalAuthorityDeviceId: 77, OriginalGlobalCounter: 12, OriginalFiscalDayNumber: 3 };
    const note = await service.sign(shop.token, creditNote(shop.deviceId, 'CN-2', 'THEIRS', fields));
    expect(note.statusCode, note.body).toBe(200);
    expect((await print('?format=text', 'CN-2')).body).toMatch(
      /CREDITED INVOICE +\nDevice ID: +77\nInvoice No: +12\nFiscal day No: +3\nCustomer reference No: +THEIRS\n/,
    );
  });

  test('for operators by device and number, whoever sealed it', async () => {
    const path = `/api/admin/devices/${shop.deviceId}/receipts`;
    const answer = await service.get(operator, `${path}/1/print?format=text`);
    expect(answer.body).toBe((await print('?format=text')).body);
    expect(answer.headers['content-disposition']).toBe(`inline; filename="${shop.deviceId}-1.txt"`);
    expect((await service.get(operator, `${path}/999/print`)).statusCode).toBe(404);
    expect((await service.get(operator, '/api/admin/devices/999999/receipts/1/print')).statusCode).toBe(404);
  });
});

describe('what cannot be printed', () => {
  test("is answered as the receipt itself is when it is unknown or another taxpayer's", async () => {
    const stranger = await openShop(service);
    const essence = (body: string) => body.replace(/"requestId":"[^"]+"/, '');
    const known = await service.get(stranger.token, '/api/receipt/INV-1');
    for (const reference of ['INV-1', 'NOWHERE', 'a%00b']) {
      const answer = await service.get(stranger.token, `/api/receipt/${reference}/print`);
      expect([answer.statusCode, essence(answer.body)]).toEqual([404, essence(known.body)]);
    }
  });

  test.each([
    ['?format=docx', 'format', 'NotOneOf'],
    ['?form=A5', 'form', 'NotOneOf'],
    ['?Format=pdf', 'Format', 'UnknownField'],
    ['?format=escpos&form=InvoiceA4', 'form', 'NotOneOf'],
  ])('%s is refused with its field', async (query, Field, Code) => {
    const answer = await print(query);
    expect(answer.statusCode).toBe(400);
    expect(answer.json<{ errors: object[] }>().errors).toMatchObject([{ Field, Code }]);
  });

  test('needs a token that may read', async () => {
    const { token } = await issueToken(service.pool, { taxpayerId: shop.taxpayerId, name: 'signs', scopes: ['sign'] });
    expect((await service.get(token, '/api/receipt/INV-1/print')).statusCode).toBe(403);
    expect((await service.get('tsk_wrong', '/api/receipt/INV-1/print')).statusCode).toBe(401);
  });
});

describe('a receipt of a thousand lines', () => {
  const names = ['Kettle', '有机绿茶', 'شاي أخضر', 'हरी चाय'];
  const ReceiptLines = Array.from({ length: 1000 }, (_, index) => ({
    ...invoice(0, '').ReceiptLines[0],
    Name: `${names[index % names.length]} ${index}`,
    UnitPrice: 1,
    Quantity: 1,
    LineTotal: 1,
  }));
  const long = (deviceId: number, reference: string) =>
    invoice(deviceId, reference, {
      ReceiptLines,
      TotalAmount: 1000,
      Payments: [{ Type: 'Cash', Amount: 1000 }],
      Taxes: [{ TaxPercent: 15.5, SalesAmountWithTax: 1000, TaxAmount: 134.2 }],
    });

  test('is not even read by the thread that seals, and only three of one taxpayer are taken at a time', async () => {
    const signed = await service.sign(shop.token, long(shop.deviceId, 'INV-LONG'));
    expect(signed.statusCode, signed.body).toBe(200);
    const neighbour = await openShop(service);
    await service.sign(neighbour.token, invoice(neighbour.deviceId, 'SHORT'));
    const asked = Array.from({ length: 6 }, () => print('?format=text&form=InvoiceA4', 'INV-LONG'));
    // Who is told to wait asks again: that must not cost another reading of the long receipt.
    await Promise.any(asked.map(async (answer) => expect((await answer).statusCode).toBe(429)));
    const queries = vi.spyOn(service.pool, 'query');
    expect((await print('?format=text', 'INV-LONG')).statusCode).toBe(429);
    expect(queries.mock.calls.filter(([query]) => JSON.stringify(query).includes('r.body'))).toEqual([]);
    queries.mockRestore();
    const other = await service.get(neighbour.token, '/api/receipt/SHORT/print?format=escpos');
    expect(other.statusCode).toBe(200);
    const answers = await Promise.all(asked);
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(3);
    const refused = answers.find(({ statusCode }) => statusCode === 429);
    expect(refused?.json()).toMatchObject({
      detail: expect.stringContaining('documents of this taxpayer are waiting'),
    });
    expect(refused?.headers['retry-after']).toBe('2');
    expect(answers.find(({ statusCode }) => statusCode === 200)?.body).toContain('有机绿茶 997');
  });
});

describe('X and Z reports', () => {
  test('come as JSON, as 48 columns and as PDF, for the taxpayer and for operators', async () => {
    const own = `/api/device/${shop.deviceId}/day/1/report`;
    const managed = `/api/admin/devices/${shop.deviceId}/days/1/report`;
    for (const [token, path] of [
      [shop.token, own],
      [operator, managed],
    ] as const) {
      expect((await service.get(token, path)).json<{ Kind: string }>().Kind).toBe('X');
      const text = await service.get(token, `${path}?format=text`);
      expect(text.body).toContain('X REPORT');
      expect(text.headers['content-disposition']).toBe(`inline; filename="X-report-${shop.deviceId}-1.txt"`);
      const pdf = await service.get(token, `${path}?format=pdf`);
      expect(pdf.headers['content-type']).toBe('application/pdf');
      expect(pdf.rawPayload.subarray(0, 5).toString()).toBe('%PDF-');
      expect((await service.get(token, `${path}?format=png`)).statusCode).toBe(400);
    }
  });
});

describe('logo and footer of a taxpayer', () => {
  test('are printed, can be read and taken away, and every change is in the audit log', async () => {
    const plain = (await print('?format=escpos')).rawPayload;
    const logo = picture(120, 40);
    const changed = await change({ Footer: 'Thank you!\nCome again', Logo: logo });
    expect(changed.json()).toEqual({
      Footer: 'Thank you!\nCome again',
      Logo: logo,
      LogoWidth: 120,
      LogoHeight: 40,
      FiscalNoteTitles: false,
    });
    expect((await print('?format=text')).body).toMatch(/ +Thank you! +\n +Come again +\n$/);
    expect((await print('?format=html')).body).toContain(`src="data:image/png;base64,${logo}"`);
    const withLogo = (await print('?format=escpos')).rawPayload;
    expect(withLogo.includes(Buffer.from([0x1d, 0x76, 0x30, 0x00]))).toBe(true);
    expect((await print('?format=pdf')).rawPayload.includes('/Subtype /Image')).toBe(true);

    await change({ Footer: null, Logo: null });
    expect((await print('?format=escpos')).rawPayload.equals(plain)).toBe(true);
    const path = `/api/admin/audit?TaxpayerId=${shop.taxpayerId}&Action=taxpayer.printing_changed`;
    const { Entries } = (await service.get(operator, path)).json<{ Entries: { Before: object; After: object }[] }>();
    expect(Entries).toHaveLength(2);
    expect(Entries[1]?.After).toMatchObject({ LogoWidth: 120, LogoSha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(JSON.stringify(Entries)).not.toContain(logo);
  });

  test('notes are titled FISCAL in every format where the taxpayer wants it, and invoices stay as they are', async () => {
    const titled = async (form: string, reference: string) => [
      (await print(`?format=text&form=${form}`, reference)).body,
      (await print(`?format=html&form=${form}`, reference)).body,
      pdfLines((await print(`?format=pdf&form=${form}`, reference)).rawPayload).join('\n'),
      (await print('?format=escpos', reference)).rawPayload.toString('latin1'),
    ];
    const picture48 = () => print('?format=png&form=Receipt48', 'CN-1').then((answer) => answer.rawPayload);
    const before = await picture48();
    for (const text of await titled('Receipt48', 'CN-1')) expect(text).not.toContain('FISCAL CREDIT NOTE');
    expect((await change({ FiscalNoteTitles: true })).json()).toMatchObject({ FiscalNoteTitles: true, Footer: null });
    for (const form of ['Receipt48', 'InvoiceA4']) {
      for (const text of await titled(form, 'CN-1')) expect(text).toContain('FISCAL CREDIT NOTE');
      for (const text of await titled(form, 'INV-1')) expect(text).toContain('FISCAL TAX INVOICE');
    }
    expect((await picture48()).equals(before)).toBe(false);
    await change({ FiscalNoteTitles: false });
    expect((await picture48()).equals(before)).toBe(true);
  });

  test('that cannot be printed are refused, and nothing changes', async () => {
    const broken = Buffer.from(picture(10, 10), 'base64');
    broken[broken.length - 20] = (broken[broken.length - 20] ?? 0) ^ 0xff;
    const refusals: [object, string, string][] = [
      [{ Footer: 'x'.repeat(501) }, 'Footer', 'TooLong'],
      [{ Logo: 'not base64!' }, 'Logo', 'Malformed'],
      [{ Logo: Buffer.from('GIF89a').toString('base64') }, 'Logo', 'Malformed'],
      [{ Logo: broken.toString('base64') }, 'Logo', 'Malformed'],
      [{ Logo: picture(2001, 5) }, 'Logo', 'TooLarge'],
      [{ Logo: Buffer.alloc(100_001).toString('base64') }, 'Logo', 'TooLarge'],
    ];
    for (const [body, Field, Code] of refusals) {
      const answer = await change(body);
      expect(answer.statusCode).toBe(400);
      expect(answer.json<{ errors: object[] }>().errors).toMatchObject([{ Field, Code }]);
    }
    const path = `/api/admin/taxpayers/${shop.taxpayerId}/printing`;
    expect((await service.get(operator, path)).json()).toMatchObject({ Footer: null, Logo: null });
  });
});
