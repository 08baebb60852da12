import ReceiptPrinterEncoder from '@point-of-sale/receipt-printer-encoder';
import { PAPER_COLUMNS, type PaperRow } from '../core/paper-row.ts';
import { rowText } from '../render-text.ts';
import { CodePageWriter } from './code-pages.ts';

export interface Pixels {
  /** RGBA. */
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}

const QR_MODULE_DOTS = 6;
const FEED_BEFORE_CUT = 4;
const LINE_FEED = 0x0a;
/** Set by hand: a printer may have been left at another code page. */
const FIRST_PAGE = Uint8Array.of(0x1b, 0x74, 0);
const bold = (isOn: boolean) => [0x1b, 0x45, isOn ? 1 : 0];

/** The bytes for a printer of 80 mm with 48 columns in its usual letters (font A). What no code page has is printed as `?`. */
export function encodeEscPos(rows: readonly PaperRow[], logo: Pixels | undefined): Uint8Array {
  const writer = new CodePageWriter();
  return Buffer.concat([
    newEncoder().initialize().encode(),
    FIRST_PAGE,
    ...rows.map((row) => rowBytes(row, writer, logo)),
    newEncoder().cut('partial').encode(),
  ]);
}

function rowBytes(row: PaperRow, writer: CodePageWriter, logo: Pixels | undefined): Uint8Array {
  switch (row.kind) {
    case 'logo':
      if (logo === undefined) return new Uint8Array();
      return newEncoder()
        .align('center')
        .image({ ...logo }, { algorithm: 'atkinson' })
        .align('left')
        .encode();
    case 'qr': {
      const options = { model: 2, size: QR_MODULE_DOTS, errorlevel: 'm' } as const;
      return newEncoder().align('center').qrcode(row.content, options).align('left').encode();
    }
    case 'rule':
    case 'blank':
      return Uint8Array.of(...writer.bytesOf(rowText(row).trimEnd()), LINE_FEED);
    case 'centre':
    case 'text': {
      const bytes = writer.bytesOf(rowText(row).trimEnd());
      return Uint8Array.of(...(row.isBold ? [...bold(true), ...bytes, ...bold(false)] : bytes), LINE_FEED);
    }
  }
}

function newEncoder(): ReceiptPrinterEncoder {
  return new ReceiptPrinterEncoder({
    language: 'esc-pos',
    columns: PAPER_COLUMNS,
    codepageMapping: 'epson',
    imageMode: 'raster',
    newline: '\n',
    feedBeforeCut: FEED_BEFORE_CUT,
  });
}
