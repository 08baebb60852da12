import ReceiptPrinterEncoder from '@point-of-sale/receipt-printer-encoder';
import { PAPER_COLUMNS, type PaperRow } from '../core/paper-row.ts';
import { rowText } from '../render-text.ts';

export interface Pixels {
  /** RGBA. */
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}

/** Pages that printers with the commands of Epson have: Western, Central European, Cyrillic, Greek, with the euro sign. */
const CODE_PAGES = ['cp437', 'cp858', 'cp852', 'cp866', 'windows1252', 'windows1251', 'windows1253'] as const;
const QR_MODULE_DOTS = 6;
const FEED_BEFORE_CUT = 4;

/** The bytes for a printer of 80 mm with 48 columns in its usual letters (font A). What no page has is printed as `?`. */
export function encodeEscPos(rows: readonly PaperRow[], logo: Pixels | undefined): Uint8Array {
  const encoder = new ReceiptPrinterEncoder({
    language: 'esc-pos',
    columns: PAPER_COLUMNS,
    codepageMapping: 'epson',
    codepageCandidates: [...CODE_PAGES],
    imageMode: 'raster',
    newline: '\n',
    feedBeforeCut: FEED_BEFORE_CUT,
  });
  encoder.initialize().codepage('auto');
  for (const row of rows) {
    switch (row.kind) {
      case 'logo':
        if (logo !== undefined) {
          encoder
            .align('center')
            .image({ ...logo }, { algorithm: 'atkinson' })
            .align('left');
        }
        break;
      case 'qr':
        encoder.align('center').qrcode(row.content, { model: 2, size: QR_MODULE_DOTS, errorlevel: 'm' }).align('left');
        break;
      case 'rule':
      case 'blank':
        encoder.line(rowText(row));
        break;
      case 'centre':
      case 'text':
        encoder.bold(row.isBold).line(rowText(row)).bold(false);
        break;
    }
  }
  return encoder.cut('partial').encode();
}
