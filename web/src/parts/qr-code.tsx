import makeQrCode from 'qrcode-generator';

/** White around it that a scanner needs to see where it begins, in modules. */
const QUIET = 4;

/** Dark on white in both themes: that is what scanners look for. */
export function QrCode({ content, size = 168 }: { readonly content: string; readonly size?: number }) {
  const code = makeQrCode(0, 'M');
  code.addData(content, 'Byte');
  code.make();
  const modules = code.getModuleCount();
  const path: string[] = [];
  for (let row = 0; row < modules; row += 1) {
    for (let column = 0; column < modules; column += 1) {
      if (code.isDark(row, column)) path.push(`M${column + QUIET} ${row + QUIET}h1v1h-1z`);
    }
  }
  const whole = modules + 2 * QUIET;
  return (
    <svg
      role="img"
      aria-label={`QR code of ${content}`}
      width={size}
      height={size}
      viewBox={`0 0 ${whole} ${whole}`}
      shapeRendering="crispEdges"
      className="paper-receipt"
    >
      <rect width={whole} height={whole} fill="#fff" />
      <path d={path.join('')} fill="#14181c" />
    </svg>
  );
}
