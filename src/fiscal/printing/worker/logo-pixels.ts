import { renderSvg } from './draw-png.ts';

/**
 * The logo on white, without transparency, 8 bits a colour: what every renderer takes, whatever kind of PNG it was. Not
 * larger than paper can show.
 */
export function flattenLogo(png: Uint8Array, { width, height }: { width: number; height: number }, widest: number) {
  const zoom = Math.min(1, widest / width, widest / height);
  const href = `data:image/png;base64,${Buffer.from(png).toString('base64')}`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="${width}" height="${height}" fill="#fff"/><image width="${width}" height="${height}" href="${href}"/></svg>`;
  return renderSvg(svg, zoom);
}
