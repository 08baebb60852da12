import ReceiptPrinterEncoder from '@point-of-sale/receipt-printer-encoder';
import { PAPER_COLUMNS, type PaperRow } from '../core/paper-rows.ts';
import { rowText } from '../render-text.ts';
import { CodePageWriter, isWritable } from './code-pages.ts';

export interface Pixels {
  /** RGBA. */
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}

const QR_MODULE_DOTS = 6;
const FEED_BEFORE_CUT = 4;
const LINE_FEED = 0x0a;
const RASTER = [0x1d, 0x76, 0x30, 0];
/** Thin strokes are grey in a picture of this size: what is half way is printed. */
const DARK = 0xa0;
/** Set by hand: a printer may have been left at another code page. */
const FIRST_PAGE = Uint8Array.of(0x1b, 0x74, 0);
const bold = (isOn: boolean) => [0x1b, 0x45, isOn ? 1 : 0];

/** Of 80 mm paper it prints on 72, eight a millimetre. */
export const PRINTER_DOTS = 576;

/** A row as a picture as wide as the paper. */
export type DrawRow = (row: PaperRow) => {
  readonly pixels: ArrayLike<number>;
  readonly width: number;
  readonly height: number;
};

/**
 * The bytes for a printer of 80 mm with 48 columns in its usual letters (font A). A line with anything that none of its code
 * pages has is sent as a picture.
 */
export function encodeEscPos(rows: readonly PaperRow[], logo: Pixels | undefined, drawRow: DrawRow): Uint8Array {
  const writer = new CodePageWriter();
  return Buffer.concat([
    newEncoder().initialize().encode(),
    FIRST_PAGE,
    ...rows.map((row) => rowBytes(row, writer, logo, drawRow)),
    newEncoder().cut('partial').encode(),
  ]);
}

function rowBytes(row: PaperRow, writer: CodePageWriter, logo: Pixels | undefined, drawRow: DrawRow): Uint8Array {
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
      const text = rowText(row).trimEnd();
      if (!isWritable(text)) return rasterBytes(drawRow(row));
      const bytes = writer.bytesOf(text);
      return Uint8Array.of(...(row.isBold ? [...bold(true), ...bytes, ...bold(false)] : bytes), LINE_FEED);
    }
  }
}

/** `GS v 0`: a bit a dot, from the left, lines of whole bytes. */
function rasterBytes({ pixels, width, height }: ReturnType<DrawRow>): Uint8Array {
  const lineBytes = Math.ceil(width / 8);
  const dots = new Uint8Array(lineBytes * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      // Black on white: one colour says how dark it is.
      if ((pixels[(y * width + x) * 4] ?? 0xff) >= DARK) continue;
      const at = y * lineBytes + (x >> 3);
      dots[at] = (dots[at] ?? 0) | (0x80 >> (x & 7));
    }
  }
  const size = [lineBytes & 0xff, lineBytes >> 8, height & 0xff, height >> 8];
  return Buffer.concat([Uint8Array.of(...RASTER, ...size), dots]);
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
