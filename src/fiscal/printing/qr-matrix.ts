import makeQrCode from 'qrcode-generator';

export interface QrRun {
  readonly row: number;
  readonly column: number;
  readonly length: number;
}

export interface QrMatrix {
  readonly size: number;
  /** Dark modules, as runs within a row: a third of the shapes of single squares. */
  readonly runs: readonly QrRun[];
}

/** Error correction M: a receipt that was folded once still scans. */
export function qrMatrix(content: string): QrMatrix {
  const code = makeQrCode(0, 'M');
  code.addData(content, 'Byte');
  code.make();
  const size = code.getModuleCount();
  const runs: QrRun[] = [];
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column < size; column += 1) {
      let length = 0;
      while (column + length < size && code.isDark(row, column + length)) length += 1;
      if (length > 0) runs.push({ row, column, length });
      column += length;
    }
  }
  return { size, runs };
}

/** White around it that a scanner needs to see where it begins, in modules. */
export const QR_QUIET = 4;

/** As the path of an SVG, in units of modules. */
export function qrPath({ runs }: QrMatrix): string {
  return runs
    .map(({ row, column, length }) => `M${column + QR_QUIET} ${row + QR_QUIET}h${length}v1h-${length}z`)
    .join('');
}
