/**
 * A receipt printer of 80 mm as a program: takes the bytes, obeys the commands and shows the paper. It knows the commands by
 * the printers' manuals, shares no code with what makes the bytes, and stops at any it does not know. Its letters are
 * DejaVu Sans Mono, its code pages are written down here.
 */
import makeQrCode from 'qrcode-generator';
import { HIGH_HALVES } from './escpos-code-pages.ts';
import { CELL, letterDots } from './escpos-letters.ts';

const DOTS = 576;
const COLUMNS = DOTS / CELL.width;
const DEFAULT_SPACING = 30;
const [ESC, FS, GS, LF, CR] = [0x1b, 0x1c, 0x1d, 0x0a, 0x0d];

export interface Paper {
  /** RGBA. */
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
  /** What stands on each line of letters, as the paper shows it. */
  readonly lines: readonly string[];
  /** How many pictures were printed, and how often the paper was cut. */
  readonly rasterCount: number;
  readonly cutCount: number;
}

export function printOnPaper(bytes: Uint8Array): Paper {
  const printer = new Printer(bytes);
  printer.run();
  return printer.paper();
}

interface Letter {
  readonly character: string;
  readonly isBold: boolean;
  readonly scale: number;
}

class Printer {
  readonly #bytes: Uint8Array;
  #at = 0;
  readonly #rows: Uint8Array[] = [];
  readonly #lines: string[] = [];
  #letters: Letter[] = [];
  #y = 0;
  #page = 0;
  #align = 0;
  #isBold = false;
  #scale = 1;
  #spacing = DEFAULT_SPACING;
  #qr = { module: 3, level: 0x30, content: '' };
  #rasterCount = 0;
  #cutCount = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  paper(): Paper {
    const height = Math.max(this.#y, this.#rows.length);
    const data = new Uint8Array(DOTS * height * 4).fill(0xff);
    this.#rows.forEach((row, y) => {
      row.forEach((isBlack, x) => {
        if (isBlack) data.fill(0, (y * DOTS + x) * 4, (y * DOTS + x) * 4 + 3);
      });
    });
    const counts = { rasterCount: this.#rasterCount, cutCount: this.#cutCount };
    return { data, width: DOTS, height, lines: this.#lines, ...counts };
  }

  run(): void {
    while (this.#at < this.#bytes.length) {
      const byte = this.#next();
      if (byte === ESC) this.#escape(this.#next());
      else if (byte === GS) this.#group(this.#next());
      else if (byte === FS) this.#expect(this.#next(), 0x2e, 'FS');
      else if (byte === LF) this.#endLine();
      else if (byte === CR) continue;
      else if (byte >= 0x20) this.#write(byte);
      else throw new Error(`byte ${byte} at ${this.#at - 1} is no command`);
    }
    if (this.#letters.length > 0) throw new Error('letters are left in the buffer: the last line was never ended');
  }

  #next(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new Error('the bytes end in the middle of a command');
    this.#at += 1;
    return byte;
  }

  #take(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.#next());
  }

  #expect(byte: number, known: number, command: string): void {
    if (byte !== known) throw new Error(`${command} ${byte} at ${this.#at - 1} is not known`);
  }

  #escape(command: number): void {
    switch (String.fromCharCode(command)) {
      case '@':
        [this.#page, this.#align, this.#isBold, this.#scale, this.#spacing] = [0, 0, false, 1, DEFAULT_SPACING];
        return;
      case 't':
        this.#page = this.#next();
        return;
      case 'a':
        if (this.#letters.length > 0) throw new Error('alignment changes only at the beginning of a line');
        this.#align = this.#next();
        return;
      case 'E':
        this.#isBold = this.#next() % 2 === 1;
        return;
      case 'M':
        this.#expect(this.#next(), 0, 'ESC M');
        return;
      case 'd':
        for (let lines = this.#next(); lines > 0; lines -= 1) this.#endLine();
        return;
      case '2':
        this.#spacing = DEFAULT_SPACING;
        return;
      case '3':
        this.#spacing = this.#next();
        return;
      default:
        throw new Error(`ESC ${command} at ${this.#at - 1} is not known`);
    }
  }

  #group(command: number): void {
    switch (String.fromCharCode(command)) {
      case '!': {
        const size = this.#next();
        this.#scale = (size & 7) + 1;
        this.#expect(size >> 4, size & 7, 'GS !');
        return;
      }
      case 'V':
        if (this.#next() >= 65) this.#next();
        this.#cutCount += 1;
        return;
      case 'v':
        this.#raster();
        return;
      case '(':
        this.#symbol();
        return;
      default:
        throw new Error(`GS ${command} at ${this.#at - 1} is not known`);
    }
  }

  #write(byte: number): void {
    const high = HIGH_HALVES[this.#page];
    if (high === undefined) throw new Error(`code page ${this.#page} is not known`);
    const character = byte < 0x80 ? String.fromCharCode(byte) : (high[byte - 0x80] ?? '\ufffd');
    this.#letters.push({ character, isBold: this.#isBold, scale: this.#scale });
  }

  #endLine(): void {
    const columns = this.#letters.reduce((sum, { scale }) => sum + scale, 0);
    if (columns > COLUMNS) throw new Error(`a line of ${columns} columns: ${this.#lineText()}`);
    let x = this.#left(columns * CELL.width);
    const height = Math.max(1, ...this.#letters.map(({ scale }) => scale));
    for (const letter of this.#letters) {
      const cell = letterDots(letter.character, letter.isBold);
      for (let row = 0; row < CELL.height * letter.scale; row += 1) {
        for (let column = 0; column < CELL.width * letter.scale; column += 1) {
          const dot = Math.floor(row / letter.scale) * CELL.width + Math.floor(column / letter.scale);
          if (cell[dot]) this.#dot(x + column, this.#y + row);
        }
      }
      x += CELL.width * letter.scale;
    }
    if (this.#letters.length > 0) this.#lines.push(this.#lineText());
    this.#letters = [];
    this.#y += Math.max(this.#spacing, height * CELL.height);
  }

  #lineText(): string {
    return this.#letters.map(({ character }) => character).join('');
  }

  #left(width: number): number {
    if (width > DOTS) throw new Error(`${width} dots do not fit on the paper`);
    return [0, Math.floor((DOTS - width) / 2), DOTS - width][this.#align % 48] ?? 0;
  }

  #dot(x: number, y: number): void {
    while (this.#rows.length <= y) this.#rows.push(new Uint8Array(DOTS));
    const row = this.#rows[y];
    if (row !== undefined) row[x] = 1;
  }

  #raster(): void {
    if (this.#letters.length > 0) throw new Error('a picture in the middle of a line');
    this.#expect(this.#next(), 0x30, 'GS v');
    this.#expect(this.#next(), 0, 'GS v 0');
    const [xLow = 0, xHigh = 0, yLow = 0, yHigh = 0] = this.#take(4);
    const [lineBytes, height] = [xLow + xHigh * 256, yLow + yHigh * 256];
    const left = this.#left(lineBytes * 8);
    const dots = this.#take(lineBytes * height);
    for (let y = 0; y < height; y += 1) {
      for (let x = 0; x < lineBytes * 8; x += 1) {
        if ((dots[y * lineBytes + (x >> 3)] ?? 0) & (0x80 >> (x & 7))) this.#dot(left + x, this.#y + y);
      }
    }
    this.#y += height;
    this.#rasterCount += 1;
  }

  /** `GS ( k`: a QR code, told in steps. */
  #symbol(): void {
    this.#expect(this.#next(), 0x6b, 'GS (');
    const [low = 0, high = 0] = this.#take(2);
    const [kind = 0, step = 0, ...rest] = this.#take(low + high * 256);
    this.#expect(kind, 0x31, 'GS ( k');
    if (step === 0x41) this.#expect(rest[0] ?? 0, 0x32, 'model');
    else if (step === 0x43) this.#qr.module = rest[0] ?? 0;
    else if (step === 0x45) this.#qr.level = rest[0] ?? 0;
    else if (step === 0x50) this.#qr.content = Buffer.from(rest.slice(1)).toString('latin1');
    else if (step === 0x51) this.#printQr();
    else throw new Error(`GS ( k ${step} is not known`);
  }

  #printQr(): void {
    if (this.#letters.length > 0) throw new Error('a QR code in the middle of a line');
    const { module, level, content } = this.#qr;
    const code = makeQrCode(0, (['L', 'M', 'Q', 'H'] as const)[level - 0x30] ?? 'L');
    code.addData(content, 'Byte');
    code.make();
    const side = code.getModuleCount() * module;
    const left = this.#left(side);
    for (let y = 0; y < side; y += 1) {
      for (let x = 0; x < side; x += 1) {
        if (code.isDark(Math.floor(y / module), Math.floor(x / module))) this.#dot(left + x, this.#y + y);
      }
    }
    this.#y += side;
  }
}
