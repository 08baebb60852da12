import { readFile } from 'node:fs/promises';
import subsetFont from 'subset-font';
import { charactersOf } from '../core/columns.ts';
import { isReadEverywhere, PAGE_FONT } from '../core/page-font.ts';
import { candidateFiles, type FontFile, withTheirParts } from './script-fonts.ts';

/** The style that brings a page the letters its reader's machine may lack: cut out, and inside the page itself. */
export async function htmlFonts(texts: readonly string[]): Promise<string> {
  const characters = [...new Set(texts.flatMap(charactersOf))].filter((character) => !isReadEverywhere(character));
  const faces: string[] = [];
  for (const [file, members] of Map.groupBy(characters, (character) => candidateFiles(character)[0])) {
    if (file !== undefined) faces.push(await faceOf(file, withTheirParts(members)));
  }
  return faces.join('\n');
}

/** All say that they have both weights: a browser takes letters only from faces that agree. */
async function faceOf(file: FontFile, characters: string): Promise<string> {
  const font = await subsetFont(await readFile(file.path), characters, {
    targetFormat: 'woff2',
    variationAxes: { wght: { min: 400, max: 700 } },
  });
  const points = [...new Set(characters)].map((one) => `U+${(one.codePointAt(0) ?? 0).toString(16)}`);
  return `@font-face { font-family: "${PAGE_FONT}"; font-weight: 400 700; unicode-range: ${points.join(',')}; src: url(data:font/woff2;base64,${font.toString('base64')}) format("woff2") }`;
}
