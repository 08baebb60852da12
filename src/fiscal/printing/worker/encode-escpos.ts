import type { PaperRow } from '../core/paper-rows.ts';
import { rowText } from '../render-text.ts';
import { CodePageWriter, isWritable } from './code-pages.ts';

export interface Pixels {
  /** RGBA. */
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}

const QR_MODULE_DOTS = 6;
const LINE_FEED = 0x0a;
/** Reset, no Chinese letters, font A, and the first code page: a printer may have been left at another. */
const START = Uint8Array.of(0x1b, 0x40, 0x1c, 0x2e, 0x1b, 0x4d, 0, 0x1b, 0x74, 0);
/** Up to the knife, and cut all but a corner. */
const END = Uint8Array.of(LINE_FEED, LINE_FEED, LINE_FEED, LINE_FEED, 0x1d, 0x56, 1, LINE_FEED);
const RASTER = [0x1d, 0x76, 0x30, 0];
/** Thin strokes are grey in a picture of this size: what is half way is printed. */
const DARK = 0xa0;
/** A picture's dots are black below this, and its greys become a pattern of dots. */
const BLACK = 0x81;
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
  return Buffer.concat([START, ...rows.map((row) => rowBytes(row, writer, logo, drawRow)), END]);
}

function rowBytes(row: PaperRow, writer: CodePageWriter, logo: Pixels | undefined, drawRow: DrawRow): Uint8Array {
  switch (row.kind) {
    case 'logo':
      return logo === undefined ? new Uint8Array() : centred(logoBytes(logo));
    case 'qr':
      return centred(qrBytes(row.content));
    case 'rule':
    case 'blank':
      return Uint8Array.of(...writer.bytesOf(rowText(row).trimEnd()), LINE_FEED);
    case 'centre':
    case 'text': {
      const text = rowText(row).trimEnd();
      if (!isWritable(text)) return rowPicture(drawRow(row));
      const bytes = writer.bytesOf(text);
      return Uint8Array.of(...(row.isBold ? [...bold(true), ...bytes, ...bold(false)] : bytes), LINE_FEED);
    }
  }
}

function centred(bytes: Uint8Array): Uint8Array {
  return Uint8Array.of(0x1b, 0x61, 1, ...bytes, LINE_FEED, 0x1b, 0x61, 0);
}

/** `GS ( k`: the printer draws the code itself. Model 2, the size of a module, error correction M, the content, print. */
function qrBytes(content: string): Uint8Array {
  const command = (...bytes: number[]) => [
    0x1d,
    0x28,
    0x6b,
    (bytes.length + 1) & 0xff,
    (bytes.length + 1) >> 8,
    0x31,
    ...bytes,
  ];
  return Uint8Array.of(
    ...command(0x41, 0x32, 0),
    ...command(0x43, QR_MODULE_DOTS),
    ...command(0x45, 0x31),
    ...command(0x50, 0x30, ...Buffer.from(content, 'latin1')),
    ...command(0x51, 0x30),
  );
}

/** By Atkinson: what a dot is too light or too dark by goes on to six of its neighbours, an eighth to each. */
function logoBytes({ data, width, height }: Pixels): Uint8Array {
  const grey = Uint8ClampedArray.from({ length: width * height }, (_unused, dot) => {
    const [red = 0, green = 0, blue = 0] = data.subarray(dot * 4);
    return red * 0.299 + green * 0.587 + blue * 0.114;
  });
  const isDark = (dot: number) => (grey[dot] ?? 0) < BLACK;
  for (let dot = 0; dot < grey.length; dot += 1) {
    const error = Math.floor(((grey[dot] ?? 0) - (isDark(dot) ? 0 : 0xff)) / 8);
    for (const next of [1, 2, width - 1, width, width + 1, 2 * width]) {
      if (dot + next < grey.length) grey[dot + next] = (grey[dot + next] ?? 0) + error;
    }
  }
  return rasterBytes(width, height, isDark);
}

/** Black on white: one colour says how dark it is. */
function rowPicture({ pixels, width, height }: ReturnType<DrawRow>): Uint8Array {
  return rasterBytes(width, height, (dot) => (pixels[dot * 4] ?? 0xff) < DARK);
}

/** `GS v 0`: a bit a dot, from the left, lines of whole bytes. */
function rasterBytes(width: number, height: number, isDark: (dot: number) => boolean): Uint8Array {
  const lineBytes = Math.ceil(width / 8);
  const dots = new Uint8Array(lineBytes * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = y * lineBytes + (x >> 3);
      if (isDark(y * width + x)) dots[at] = (dots[at] ?? 0) | (0x80 >> (x & 7));
    }
  }
  const size = [lineBytes & 0xff, lineBytes >> 8, height & 0xff, height >> 8];
  return Buffer.concat([Uint8Array.of(...RASTER, ...size), dots]);
}
